"""Commands whose outputs are, by chance, files that they also read, or that they write twice.

Data, plans, trees, codebooks, keys, models, row maps, manifests, databases and earlier releases, and every command that
writes files but the app and Spark. The judge compares names and bytes on the disk: what is read stays as it was,
whatever the exit code; where two names lead to one file the command is refused in a sentence and leaves nothing; and
where none does it is not refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from command import Done, shoal
from fuzz.command_lines import Case, json_beside, manifest_beside
from fuzz.judging import Found, contents, words_that_must_not_be
from fuzz.workshop import workshop


def _table(case: Case) -> str:
    """Return the data as an argument: a file, standard input, or a table of a database."""
    match case.dice.randrange(8):
        case 0:
            case.stdin = case.input("data")
            return case.dice.choice(["-", "-", "/dev/stdin --format csv"])
        case 1:
            return f"duckdb://{case.input('database')}/visits"
        case _:
            return case.input("data")


def _with_book(case: Case, chance: float = 0.3) -> list[str]:
    if "database" in case.names or case.dice.random() > chance:
        return []
    return ["--codebook", case.input("codebook")]


def _anonymize(case: Case) -> None:
    dice = case.dice
    case.words += ["anonymize", *_table(case).split(), "--plan", case.input("plan"), "-q", *_with_book(case)]
    if dice.random() < 0.3:
        case.words += ["--sign", case.input("signing_key")]
    if (chance := dice.random()) < 0.2:
        case.words += ["--previous", case.input("model"), "--remember", case.input("memory_key")]
    elif chance < 0.4 and case.stdin is None and "database" not in case.names:
        release, manifest, rows = case.input("release"), case.input("manifest"), case.input("row_map")
        case.words += ["--after", f"{release},rows={rows},manifest={manifest}", "--after-anyway"]
        case.words += ["--codebook", case.input("codebook")] if "codebook" in case.names else []
    named = dice.random() < 0.4
    if dice.random() < 0.15:
        named |= "--sign" in case.words  # which a database has no place for
        case.words += ["-o", f"duckdb://{case.database('out.db')}/released"]
    else:
        case.words += [
            "-o",
            case.output(f"out.{dice.choice(['csv', 'csv', 'parquet'])}", lambda n: [] if named else manifest_beside(n)),
        ]
    case.words += ["--manifest", case.output("out.json")] if named else []
    if dice.random() < 0.3:
        case.words += [
            "--report",
            case.output(dice.choice(["out.md", "out.md", "out.html"]), json_beside),
            "--attacks",
            "none",
        ]
    case.words += ["--row-map", case.output("out.rows")] if dice.random() < 0.4 else []
    if "--previous" in case.words or dice.random() < 0.4:  # who follows a release is to be followed
        case.words += ["--model", case.output("out.model")]
    if dice.random() < 0.3:
        there = dice.random() < 0.3
        case.words += ["--keep-subject", "pseudonym", "--key-file"]
        case.words += [case.input("pseudonym_key") if there else case.key("out.key")]
    if "--model" in case.words and "--remember" not in case.words and dice.random() < 0.6:
        case.words += ["--remember", case.key("out.memory")]


def _apply(case: Case) -> None:
    case.words += ["apply", *_table(case).split(), "--model", case.input("model"), "-q"]
    case.words += ["-o", case.output("out.csv", manifest_beside)]


def _report(case: Case) -> None:
    case.words += ["report", case.input("data"), case.input("release"), "--plan", case.input("plan"), "-q"]
    # Without a row map, the manifest beside the release is read for whether its rows were shuffled.
    case.words += ["--row-map", case.input("row_map")] if case.dice.random() < 0.5 else []
    if "--row-map" not in case.words and manifest_beside(case.input("release"))[0] not in case.read:
        case.input("manifest")
    case.words += ["--edition", case.dice.choice(["internal", "external"]), "--attacks", "none"]
    case.words += ["-o", case.output(case.dice.choice(["out.md", "out.md", "out.html"]), json_beside)]


def _init(case: Case) -> None:
    case.words += ["init", *_table(case).split(), *_with_book(case, 0.6), "--force"]
    case.words += ["-o", case.output("out.toml")]


def _compare(case: Case) -> None:
    case.words += [
        "compare",
        case.input("data"),
        "--plan",
        case.input("plan"),
        *_with_book(case),
        "-q",
        "-j1",
        "-m",
        "dld",
    ]
    case.words += ["--try-k", "3,4"]
    names = ["comparison.csv", "comparison.json", "map.html"]
    if case.dice.random() < 0.4:
        case.words += ["--pick", "dld <= 100"]
        names.append("picked.toml")
    folder = case.dice.choice(["out", ".", "sub/..", str(case.folder), *case.read])
    (case.folder / "sub").mkdir(exist_ok=True)
    case.words += ["-o", folder]
    case.written += [folder] if folder in case.read else [f"{folder}/{name}" for name in [*names, "runs"]]


def _stream(case: Case) -> None:
    dice = case.dice
    case.words += ["stream", "--plan", case.input("stream_plan"), "-q"]
    events = case.input("events")
    if dice.random() < 0.2:
        case.stdin = events
    else:
        case.words += ["-i", dice.choice([events, f"./{events}"])]
    if dice.random() < 0.4:
        folder = dice.choice(["out", ".", str(case.folder)])
        case.words += ["--state", folder]
        case.words += ["--state-key-file", case.input("state_key")] if dice.random() < 0.6 else []
        case.written += [folder] if folder in case.read else [f"{folder}/lock", f"{folder}/stream.snapshot"]
    case.words += ["-o", case.output("out.ndjson")]
    case.words += ["--dead-letter", case.output("out.letters")] if dice.random() < 0.4 else []
    case.words += ["--trace", case.output("out.trace")] if dice.random() < 0.4 else []


def _reproduce(case: Case) -> None:
    (case.folder / "census.csv").write_bytes(workshop()["census"])
    case.read.append("census.csv")
    case.words += ["reproduce", "p3-blocks", "--data", case.dice.choice([".", str(case.folder)]), "-q"]
    case.words += ["-o", case.output("out.md")]


COMMANDS = (_anonymize,) * 6 + (_stream,) * 4 + (_report, _report, _apply, _init, _compare, _reproduce)


def make(seed: int, folder: Path) -> Case:
    """Make a command line and its files in a folder."""
    dice = random.Random(seed)
    case = Case(folder, dice)
    dice.choice(COMMANDS)(case)
    return case


def trouble(seed: int) -> Found:
    """Run and judge one case."""
    with TemporaryDirectory() as name:
        case = make(seed, Path(name).resolve())
        clashes, before = case.clashes, contents(case.folder)
        kept = {path: (case.folder / path).read_bytes() for path in case.read if clashes or path != case.grows}
        done = shoal(*case.words, cwd=case.folder, stdin=case.folder / case.stdin if case.stdin else b"")
        wrong = list(judge(case, clashes, before, kept, done))
    taken = done.returncode == 0
    if not wrong:
        return Found("", taken)
    told = f"{' '.join(case.words)}\nread {case.read}, written {case.written}\n{done.stderr.decode(errors='replace')}"
    return Found(f"seed {seed}: {'; '.join(wrong[:5])}\n{told}", taken)


def judge(
    case: Case, clashes: list[str], before: dict[str, bytes], kept: dict[str, bytes], done: Done
) -> Iterator[str]:
    """Say what is wrong with what a command left on the disk, and with how it ended."""
    said = done.stderr.decode(errors="replace")
    after = contents(case.folder)
    yield from words_that_must_not_be(said)
    yield from (f"{name} was changed" for name, content in kept.items() if after.get(name) != content)
    new = set(after) - set(before)
    yield from (f"left {name}" for name in new if name.endswith((".part", ".old")))
    if clashes:
        if done.returncode != 2:
            yield f"exit code {done.returncode}, and {clashes} was read or written already"
        elif said.count("\n") != 1:
            yield "refused in more than a sentence"
        if new:
            yield f"refused, and left {sorted(new)}"
    elif done.returncode:
        yield f"exit code {done.returncode} for no reason"
