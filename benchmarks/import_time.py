"""What `import shoal` costs, as a ratio to `import numpy`, each in a fresh interpreter, taken in turns."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

ROUNDS = 9


def cpu_seconds(statement: str) -> float:
    """Return the CPU time of an interpreter that runs one statement."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the ratio of medians, the bare interpreter taken off."""
    times: dict[str, list[float]] = {"pass": [], "import numpy": [], "import shoal": []}
    for _ in range(ROUNDS):
        for statement, seconds in times.items():
            seconds.append(cpu_seconds(statement))
    bare, numpy, shoal = (statistics.median(seconds) for seconds in times.values())
    print(
        f"import numpy {numpy - bare:.3f} s, import shoal {shoal - bare:.3f} s: {(shoal - bare) / (numpy - bare):.2f}x"
    )


if __name__ == "__main__":
    main()
