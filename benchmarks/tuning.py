"""Tuning constants of the kernels: the kernels compiled anew for each value, and their times as ratios.

python benchmarks/run.py tuning                          the constants, and the values that are tried
python benchmarks/run.py tuning kFewNumbers              try them
python benchmarks/run.py tuning kFewNumbers 4 6 10       try these

The constants are those of `src/shoal/_core/tuning.hpp`. For each value a copy of that header with the value in it goes
to a temporary folder, the kernels are compiled with it there (by the compiler that CXX names, or the default one), and
run on the inputs below, all values in turn. Times are of the processor, the least of a few tries; a ratio below 1 is
faster than the value in the header. All values must give the same answers, or the script fails.

Needs CMake, Ninja and nanobind: pip install cmake ninja nanobind.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "src/shoal/_core/tuning.hpp"
ANOTHER_CORE = ROOT / "benchmarks/another_core"
REPEATS = 8

Calls = dict[str, Callable[[], object]]


def partitions(sizes: dict[int, int], engine: str, shapes: tuple[str, ...] = ("normal", "clustered")) -> Calls:
    """MDAV on points of several widths; ``sizes`` has the records of each."""
    from shapes import points_of
    from shoal.partitioners import mdav

    return {
        f"mdav {engine}, {shape} {n:,}×{d}": partial(mdav, points_of(shape, n, d), 5, engine=engine)
        for d, n in sizes.items()
        for shape in shapes
    }


def code_tables(records: int, shapes: dict[int, tuple[int, ...]]) -> Calls:
    """MDAV on nominal columns, so many and of so many categories each."""
    from shoal.partitioners import mdav
    from shoal.points import Points

    rng, calls = np.random.default_rng(0), Calls()
    for columns, sizes in shapes.items():
        for categories in sizes:
            codes = rng.integers(0, categories, (records, columns))
            points = Points.build(codes=codes, code_weights=np.ones(columns), code_levels=[categories] * columns)
            calls[f"mdav, {columns} columns of {categories:,} categories"] = partial(mdav, points, 5)
    return calls


def merges() -> Calls:
    """Merging groups until they are close: many removals and insertions."""
    from shoal.constrain import merge
    from shoal.partitioners import mdav

    rng = np.random.default_rng(0)
    calls: Calls = {}
    for n in (5_000, 30_000):
        points = rng.standard_normal((n, 3))
        labels = mdav(points, 3)
        calls[f"merge {n:,}"] = partial(merge, points, rng.standard_normal(n), labels, t=0.1)
    return calls


def runs(ks: tuple[int, ...], n: int = 1_000_000) -> Calls:
    """Optimal univariate microaggregation."""
    from shoal.partitioners import univariate

    values = np.random.default_rng(0).standard_normal(n)
    return {f"univariate {n:,}, k = {k}": partial(univariate, values, k) for k in ks}


def subsets() -> Calls:
    """t-First, with confidential values that go with the points and values that do not."""
    from shoal.constrain import t_first

    rng = np.random.default_rng(0)
    points = rng.standard_normal((30_000, 3))
    hidden = {"alike": points[:, 0] + 0.1 * rng.standard_normal(30_000), "apart": rng.standard_normal(30_000)}
    return {f"t_first, {name}": partial(t_first, points, values, k=5, t=0.1) for name, values in hidden.items()}


def streams(delays: tuple[int, ...], ks: tuple[int, ...] = (5,)) -> Calls:
    """Streams with buffers of several sizes."""
    from shoal.stream.engine import StreamEngine
    from shoal.stream.engine.settings import ContinuousSetting, StreamSettings

    def run(k: int, delay: int, cells: np.ndarray) -> np.ndarray:
        settings = StreamSettings(k=k, max_delay=delay, coords=(ContinuousSetting(),) * cells.shape[1])
        return StreamEngine(settings).push_many(cells).positions

    rng = np.random.default_rng(0)
    return {
        f"stream of {m} numbers, k = {k}, delay {delay:,}": partial(run, k, delay, rng.random((4 * delay + 20_000, m)))
        for m in (2, 8)
        for k in ks
        for delay in delays
    }


TRIED: dict[str, tuple[tuple[int, ...], Callable[[], Calls]]] = {
    "kFewNumbers": ((1, 3, 6, 9, 16), lambda: partitions({2: 60_000, 4: 40_000, 8: 15_000, 12: 8_000}, "tree")),
    "kPlainNumbers": ((2, 5, 8, 12, 20), lambda: partitions({4: 20_000, 8: 15_000, 12: 12_000, 20: 8_000}, "scan")),
    "kTrial": ((6, 24, 48, 96, 384), lambda: partitions({8: 20_000, 13: 15_000, 30: 10_000}, "auto")),
    "kNearby": ((1 << 10, 1 << 13, 1 << 15, 1 << 17, 1 << 20), lambda: partitions({2: 300_000, 5: 200_000}, "tree")),
    "kTail": ((1, 4, 8, 16, 64), merges),
    "kArrange": ((8, 32, 128, 512, 2048), lambda: partitions({13: 15_000, 30: 10_000}, "scan")),
    "kLeafSample": ((16, 64, 256), lambda: partitions({2: 100_000, 5: 50_000}, "tree")),
    "kLongLists": ((0, 512, 2048, 8192), lambda: code_tables(50_000, {3: (20, 60, 200, 1_000)})),
    "kFewPlanes": ((1 << 14, 1 << 16, 1 << 17, 1 << 18), lambda: code_tables(150_000, {3: (60,), 5: (15,), 8: (5,)})),
    "kDuplicateSample": (
        (256, 1024, 2048, 8192),
        lambda: partitions({2: 100_000, 5: 50_000}, "auto", ("normal", "duplicates")),
    ),
    "kDivideFrom": ((50, 100, 200, 400, 1000), lambda: runs((60, 150, 300, 600))),
    "kRegion": ((2, 4, 8, 32), lambda: runs((3, 100, 300))),
    "kRegionLeast": ((128, 256, 512, 2048, 8192), lambda: runs((3, 10, 30))),
    "kDigitBits": ((8, 10, 11, 13, 16), lambda: runs((3,)) | runs((3,), 20_000)),
    "kShareLeast": ((1 << 12, 1 << 14, 1 << 16, 1 << 18), lambda: runs((3,), 100_000) | runs((3,))),
    "kSubsetPatience": ((4, 16, 64, 256, 1024), subsets),
    "kStreamScan": ((96, 192, 384, 768, 1536), lambda: streams((150, 300, 600, 1_200))),
    "kStreamLeaf": ((32, 64, 128, 256, 512), lambda: streams((1_000, 10_000, 50_000))),
    "kStreamFew": ((4, 16, 48, 96, 200), lambda: streams((300, 2_000), (5, 15, 40))),
}


def value_in(text: str, name: str) -> re.Match[str]:
    """Find the value of a constant in the header."""
    found = re.search(rf"(?<= {name} = )[^;]+(?=;)", text)
    if found is None:
        raise SystemExit(f"{HEADER.name} has no constant {name}")
    return found


def compiled(folder: Path, name: str, value: str) -> Path:
    """Compile the kernels with a value of a constant; only what depends on the header is compiled again."""
    tuned, build = folder / "tuned", folder / "build"
    tuned.mkdir(exist_ok=True)
    text = HEADER.read_text()
    place = value_in(text, name)
    (tuned / HEADER.name).write_text(text[: place.start()] + value + text[place.end() :])
    nanobind = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], check=True, capture_output=True, text=True
    ).stdout.strip()
    options = {"CMAKE_BUILD_TYPE": "Release", "SHOAL_TUNED": tuned, "nanobind_DIR": nanobind}
    options["Python_EXECUTABLE"] = Path(sys.executable)
    steps = [
        ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *(f"-D{key}={option}" for key, option in options.items())],
        ["cmake", "--build", build, "-j2"],
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for step in steps:
        done = subprocess.run(step, check=False, capture_output=True, text=True, env={**os.environ, "PATH": path})
        if done.returncode != 0:
            raise SystemExit(done.stdout[-4000:] + done.stderr[-4000:])
    module = next(path for path in build.glob("_core*") if path.suffix in (".so", ".pyd"))
    kept = folder / re.sub(r"\W", "_", value) / module.name
    kept.parent.mkdir(exist_ok=True)
    return module.rename(kept)


def measured(module: Path, name: str) -> dict[str, tuple[float, str]]:
    """Run the inputs of a constant in a process with these kernels: seconds and a digest of each answer."""
    before = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = os.pathsep.join(map(str, (ANOTHER_CORE, ROOT / "benchmarks", *filter(None, before))))
    environment = {**os.environ, "SHOAL_CORE": str(module), "PYTHONPATH": paths}
    command = [sys.executable, __file__, "--measure", name]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return {case: (seconds, digest) for case, (seconds, digest) in json.loads(answer).items()}


def measure(name: str) -> None:
    """Print what `measured` reads: the part that runs with the other kernels."""
    found = {}
    for case, call in TRIED[name][1]().items():
        start = time.process_time()
        answer = np.ascontiguousarray(call())
        found[case] = (time.process_time() - start, hashlib.sha256(answer.tobytes()).hexdigest())
    print(json.dumps(found))


def compare(name: str, values: list[str]) -> None:
    """Print the times of all values against those of the value in the header."""
    here = value_in(HEADER.read_text(), name).group()
    with tempfile.TemporaryDirectory() as folder:
        modules = {value: compiled(Path(folder), name, value) for value in dict.fromkeys([here, *values])}
        least: dict[str, dict[str, float]] = {value: {} for value in modules}
        answers: dict[str, set[str]] = {}
        for _ in range(REPEATS):
            for value, module in modules.items():
                for case, (seconds, digest) in measured(module, name).items():
                    least[value][case] = min(seconds, least[value].get(case, seconds))
                    answers.setdefault(case, set()).add(digest)
    print(f"{name}: times relative to {here}, which takes the seconds in front")
    print(f"{'':<44}{'seconds':>9}" + "".join(f"{value:>10}" for value in values))
    for case, seconds in least[here].items():
        ratios = "".join(f"{least[value][case] / seconds:>10.2f}" for value in values)
        print(f"{case:<44}{seconds:>9.3f}{ratios}")
    different = [case for case, found in answers.items() if len(found) > 1]
    if different:
        raise SystemExit(f"the answers differ: {', '.join(different)}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", nargs="?", choices=[*TRIED], metavar="constant")
    parser.add_argument("values", nargs="*")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.name is None:
        for name, (values, _) in TRIED.items():
            print(f"{name:<18}{value_in(HEADER.read_text(), name).group():<26}tried: {', '.join(map(str, values))}")
    elif options.measure:
        measure(options.name)
    else:
        compare(options.name, options.values or [str(value) for value in TRIED[options.name][0]])


if __name__ == "__main__":
    main()
