"""What it costs to start: `import shoal`, `shoal --version` and `shoal --help`, as ratios to imports they may cost.

Each in a fresh interpreter, taken in turns, by processor time: the median and the least of many rounds. The two options
may cost at most 1.5 times what it takes to import typer and NumPy.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

ROUNDS = 25
LIBRARIES = "import typer, numpy"
COMMANDS: dict[str, list[str]] = {
    "bare Python": ["-c", "pass"],
    LIBRARIES: ["-c", LIBRARIES],
    "import shoal": ["-c", "import shoal"],
    "import shoal.partitioners": ["-c", "import shoal; shoal.partitioners"],
    "shoal --version": ["-m", "shoal", "--version"],
    "shoal --help": ["-m", "shoal", "--help"],
    "shoal anonymize --help": ["-m", "shoal", "anonymize", "--help"],
}


def cpu_seconds(arguments: list[str]) -> float:
    """Return the processor time of an interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the seconds and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, arguments in COMMANDS.items():
            times[name].append(cpu_seconds(arguments))
    median, least = ({name: how(seconds) for name, seconds in times.items()} for how in (statistics.median, min))
    print(f"{'':24} {'median':>8} {'least':>8}   to `{LIBRARIES}`: median, least")
    for name in COMMANDS:
        ratios = f"{median[name] / median[LIBRARIES]:.2f}x {least[name] / least[LIBRARIES]:.2f}x"
        print(f"{name:24} {median[name]:6.3f} s {least[name]:6.3f} s   {ratios}")


if __name__ == "__main__":
    main()
