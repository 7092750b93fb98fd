"""Run a benchmark by its name: ``python benchmarks/run.py NAME [arguments]``; without a name, list them."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def benchmarks() -> dict[str, str]:
    """Return the scripts of this folder that can be run, and what the first line of each says."""
    found = {}
    for path in sorted(FOLDER.glob("*.py")):
        source = path.read_text()
        if path != Path(__file__) and "__main__" in source:
            found[path.stem] = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]
    return found


def main(arguments: list[str]) -> None:
    """Run the named benchmark with the arguments that follow."""
    known = benchmarks()
    if not arguments or arguments[0] not in known:
        for name, summary in known.items():
            print(f"{name:<14}{summary}")
        sys.exit(0 if not arguments else f"there is no benchmark {arguments[0]}")
    sys.argv = arguments
    runpy.run_path(str(FOLDER / f"{arguments[0]}.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
