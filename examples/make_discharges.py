"""Write the bundled example, discharges.csv, as it is: python examples/make_discharges.py."""

from pathlib import Path

from shoal import files
from shoal.examples import discharges

if __name__ == "__main__":
    files.write(discharges(5000, patients=2000, seed=0), Path(__file__).with_name("discharges.csv"))
