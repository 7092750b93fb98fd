"""One-line faults in what judges a release: which of them no test notices, but for those that are explained.

    python tests/mutants [PATTERN ...]        for example 'shoal.protect.*'

Run by `make mutants` in a copy of the tree. The faults are those of mutmut, but for those that only change words:
messages, descriptions, the case of a name, `strict=`, `dtype=`. Each is tried with the fastest of the tests that call
its function, those of a function in one process; what was noticed is not tried again. Faults that no test can notice
stand in explained.toml, by function and by the line as it is with the fault, with the reason.
"""

from __future__ import annotations

import ast
import fnmatch
import gc
import io
import os
import signal
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
import pytest
from _pytest.runner import runtestprotocol
from mutmut import __main__ as mutmut
from mutmut.configuration import config
from mutmut.mutation import file_mutation
from mutmut.mutation.data import MutantLineSpans, SourceFileMutationData
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.utils.file_utils import (
    change_cwd,
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
    walk_mutatable_files,
)
from mutmut.workers.isolation import get_mutant_runner

SECONDS = 30.0
"""What the tests of one function may take together."""

WORKERS = 2
"""Faults that are tried at the same time."""

SURVIVED, NOTICED = 0, 1
"""What mutmut calls them."""

NOT_LOADED = "--ignore=tests/run/test_pipeline.py"
"""Starts the threads of polars when it is loaded, which do not survive a fork."""

RESULTLESS = ("strict", "description", "help", "dtype")
"""Arguments that change no result: what is read by people, and types of arrays, which kernels and mypy check."""


# Faults that matter


def is_words(text: str) -> bool:
    """Text with a space is read by people; names are not."""
    return " " in text


class Meaning(ast.NodeTransformer):
    """Code without its words: those become None."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(None) if isinstance(node.value, str) and is_words(node.value) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        words = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        return ast.Constant(None) if is_words(words) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.keywords = [each for each in node.keywords if each.arg not in RESULTLESS]
        if isinstance(node.func, ast.Name) and node.func.id.endswith(("Error", "Unreadable")):
            node.args = []
        return node


def meaning(code: str) -> str:
    """Return what a piece of code does, but for its words."""
    return ast.dump(Meaning().visit(ast.parse(code.strip())))


class InsideWords(cst.CSTVisitor):
    """The nodes inside of words, of messages of exceptions, and of arguments that change no result."""

    def __init__(self) -> None:
        self.nodes: set[cst.CSTNode] = set()

    def _add(self, node: cst.CSTNode) -> None:
        self.nodes.add(node)
        for child in node.children:
            self._add(child)

    def visit_FormattedString(self, node: cst.FormattedString) -> None:
        if is_words("".join(part.value for part in node.parts if isinstance(part, cst.FormattedStringText))):
            self._add(node)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None and node.keyword.value in RESULTLESS:
            self._add(node)

    def visit_Raise(self, node: cst.Raise) -> None:
        if isinstance(node.exc, cst.Call):
            for argument in node.exc.args:
                if argument.keyword is None:
                    self._add(argument)


def create_meaningful(filename: str, code: str, *lines: Any) -> tuple[Any, ...]:
    """Create the faults of a file that change more than words."""
    module, mutations, *ignored = CREATE(filename, code, *lines)
    inside = InsideWords()
    module.visit(inside)
    return module, [each for each in mutations if matters(module, inside.nodes, each)], *ignored


CREATE = file_mutation.create_mutations


def matters(module: cst.Module, words: set[cst.CSTNode], fault: file_mutation.Mutation) -> bool:
    """Whether a fault changes more than words."""
    before, after = fault.original_node, fault.mutated_node
    if before in words:
        return False
    if isinstance(after, cst.SimpleString) and isinstance(before, cst.SimpleString) and "XX" not in after.value:
        return False  # who notices that a name is another one notices the same in capitals
    try:
        return meaning(module.code_for_node(before)) != meaning(module.code_for_node(after))
    except SyntaxError:  # an operator
        return True


# Tests of a function


def fastest(tests: Iterable[str]) -> list[str]:
    """Return the fastest of some tests that take no longer together than they may, at least one."""
    left, chosen = SECONDS, []
    durations = state().duration_by_test
    for test in sorted(tests, key=lambda test: (durations[test], test)):
        left -= durations[test]
        if chosen and left < 0:
            break
        chosen.append(test)
    return chosen


class Fault(NamedTuple):
    """A mutant of mutmut."""

    name: str
    file: SourceFileMutationData

    @property
    def function(self) -> str:
        """What it is in, as mutmut calls it."""
        return self.name.partition("__mutmut_")[0]

    @property
    def line(self) -> str:
        """The line as it is with the fault; what is gone where nothing came instead."""
        mutant = self.name.rpartition(".")[2]
        before, after = (
            list(lines_of(self.file.path)[name])
            for name in (f"{mutant.partition('__mutmut_')[0]}__mutmut_orig", mutant)
        )
        while before and after and before[0] == after[0]:
            del before[0], after[0]
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
        return " ".join(line.strip() for line in after or ["without:", *before])


@lru_cache
def lines_of(path: Path) -> dict[str, list[str]]:
    """Return the lines of each function that mutmut made of those of a file, without their names."""
    spans = MutantLineSpans.load(path)
    assert spans is not None, "mutmut writes them"
    names = list(spans.span_by_function_name)
    sources = spans.read_function_sources(names)
    return {name: source.replace(name, "").splitlines() for name, source in zip(names, sources, strict=True)}


class Trial:
    """A plugin that runs no test but those of each fault, the faults of a function in a process of their own."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.left = defaultdict[str, list[Fault]](list)
        for fault in faults:
            self.left[fault.function].append(fault)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every fault."""
        items = {item.nodeid: item for item in session.items}
        calling = state().tests_by_mangled_function_name
        functions = list(self.left)
        running: dict[int, str] = {}
        CACHES[:] = (each for each in gc.get_objects() if type(each) is CACHE and each.__module__.startswith("shoal"))
        gc.freeze()
        while functions or running:
            if not functions or len(running) == WORKERS:
                process, _ = os.wait()
                function = running.pop(process)
                if self.take_in(function):
                    functions.insert(0, function)
                continue
            function = functions.pop(0)
            if tests := [items[test] for test in fastest(calling.get(function, set()) & items.keys())]:
                running[self.start(function, tests)] = function
        return True

    def start(self, function: str, tests: list[pytest.Item]) -> int:
        """Try the faults of a function in a process of its own, and write down what came of each; return its number."""
        outcomes = OUTCOMES / function
        outcomes.write_text("")
        if process := os.fork():
            return process
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        with outcomes.open("w") as file:
            for fault in (*self.left[function], None):
                set_mutant_under_test("" if fault is None else fault.name)
                for cache in CACHES:
                    cache.cache_clear()
                failed = first_failure(tests)
                if fault is None and failed:
                    os.write(2, f"{function}: without a fault {failed}\n".encode())
                file.write("failed " if failed else "passed ")
                file.flush()
        os._exit(0)

    def take_in(self, function: str) -> bool:
        """Read what came of the faults of a function; say whether some are left to try."""
        outcomes = (OUTCOMES / function).read_text().split()
        faults = self.left[function]
        if len(outcomes) <= len(faults):
            outcomes.append("ended")  # the process did, by this fault
        elif outcomes.pop() == "failed":
            return False  # what failed may have done so without a fault
        for fault, outcome in zip(faults, outcomes, strict=False):
            fault.file.exit_code_by_key[fault.name] = SURVIVED if outcome == "passed" else NOTICED
        with change_cwd(".."):
            faults[0].file.save()
        del faults[: len(outcomes)]
        return bool(faults)


OUTCOMES = Path("outcomes").absolute()
"""Where processes write what came of the faults of a function."""

CACHE = type(lru_cache(len))
CACHES: list[Any] = []
"""What functions of the package remember."""


def first_failure(tests: list[pytest.Item]) -> str:
    """Run tests until one fails, and return what it says; it is the first the next time."""
    for place, test in enumerate(tests):
        signal.alarm(300)  # a fault may wait, or work, for ever
        signal.setitimer(signal.ITIMER_PROF, 10)
        for result in runtestprotocol(test, log=False, nextitem=tests[place + 1] if test is not tests[-1] else None):
            if result.failed:
                tests.insert(0, tests.pop(place))
                return f"{test.nodeid} fails: {result.longreprtext}"
    return ""


def main(patterns: Sequence[str]) -> int:
    """Try the faults that no test has noticed yet, and print those that nobody has explained."""
    os.environ["CI"] = "1"  # the same examples every time
    set_mutant_under_test("mutant_generation")
    Path("mutants").mkdir(exist_ok=True)
    file_mutation.create_mutations = create_meaningful
    mutmut.print_status = lambda *_, **__: None
    with redirect_stdout(io.StringIO()):
        copy_src_dir()
        copy_also_copy_files()
        setup_source_paths()
        mutmut.create_mutants(WORKERS)
        mutmut.collect_or_load_stats(get_mutant_runner(WORKERS), apply_config_invalidation=True)
    faults = []
    for path in walk_mutatable_files():
        file = SourceFileMutationData(path=path)
        file.load()
        faults += [
            Fault(name, file)
            for name in file.exit_code_by_key
            if any(fnmatch.fnmatch(name, each) for each in patterns or "*")
        ]
    explained = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))
    left = [fault for fault in faults if fault.file.exit_code_by_key[fault.name] != NOTICED]
    left = [fault for fault in left if fault.line not in explained.get(fault.function, {})]
    OUTCOMES.mkdir(exist_ok=True)
    arguments = [*config().pytest_add_cli_args, *config().pytest_add_cli_args_test_selection, NOT_LOADED]
    with change_cwd("mutants"):
        pytest.main(["-q", "--tb=native", *arguments], plugins=[Trial(left)])
    return report(faults, explained)


def report(faults: Sequence[Fault], explained: Mapping[str, Mapping[str, str]]) -> int:
    """Print what is neither noticed nor explained, and explanations of what is gone; return whether there is any."""
    functions = {fault.function for fault in faults}
    gone = {(name, line) for name, lines in explained.items() if name in functions for line in lines}
    outcomes = defaultdict[str, Counter[str]](Counter)
    left = []
    for fault in faults:
        key = (fault.function, fault.line)
        if fault.line in explained.get(fault.function, {}):
            outcome = "explained"
            gone.discard(key)
        elif fault.file.exit_code_by_key[fault.name] == NOTICED:
            outcome = "noticed"
        else:
            outcome = "left"
            left.append(f"{fault.name}: {fault.line}")
        outcomes[fault.function.rpartition(".")[0]][outcome] += 1
    for module, counts in sorted(outcomes.items()):
        sys.stdout.write(
            f"{module}: {counts['noticed']} noticed, {counts['explained']} explained, {counts['left']} left\n"
        )
    sys.stdout.writelines(f"{line}\n" for line in left)
    sys.stdout.writelines(f"explained, but gone: {name}: {line}\n" for name, line in sorted(gone))
    return 1 if left or gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
