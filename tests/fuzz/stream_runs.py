"""Runs of one stream after the other, on files that change between them, ended in order, stopped or killed.

The judge looks at the disk and at standard output alone. A run that goes well has released no record twice; in the
end every record has left once or was counted as dropped, and all garbage is a dead letter, once. A run that is
refused has a reason, says it in a sentence, and leaves every file as it was. What would make records leave twice or
never is refused.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from command import Done
from fuzz.ended_runs import run
from fuzz.fed_files import Fed, Feed
from fuzz.judging import Found, contents, words_that_must_not_be

PLAN = """k = 2
subject = "record"
[stream]
max_delay = {}
[attributes]
age = {{ role = "quasi_identifier", kind = "numeric" }}
note = {{ role = "other" }}
"""
DEAD = "dead.ndjson"


class Wrong(Exception):
    """What a judge found."""


class Play:
    """One stream, and everything that happens to it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.dice = random.Random(seed)
        self.folder = folder
        self.feed = Feed(folder, self.dice, csv=self.dice.random() < 0.5)
        self.out: str | None = None  # the file that records go to; None for standard output
        self.outs: list[str] = []
        self.printed: list[str] = []
        self.began = False
        self.unsure = False  # how much the state knows: a run ended on the way
        self.last = ""  # what the last run said
        self.told: list[str] = []
        (folder / "plan.toml").write_text(PLAN.format(self.dice.randint(2, 8)))
        self.feed.new()

    # What is tried -------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Change some files, then run."""
        for _ in range(self.dice.randint(0, 3)):
            self.feed.change()
        if self.began and self.dice.random() < 0.25:
            self.probe()
        else:
            self.go_on()

    def go_on(self) -> None:
        """Run as one does, and now and then without a file, or with one twice."""
        given = self.dice.sample(self.feed.files, len(self.feed.files))
        if self.dice.random() < 0.2:
            given = given[: self.dice.randint(1, len(given))]
        out = self._next_output()
        how = self.dice.choice(["save"] * 5 + ["flush", "stop", "stop"] + ["kill"] * 2 * (out is not None))
        if how == "flush":  # at the end of a stream the last line is taken for whole
            for fed in given:
                self.feed.end_line(fed)
        names = [self.feed.spelled(fed) for fed in given]
        must, may = self._left_out(given, names)
        if self.dice.random() < 0.05:
            names.append(self.feed.spelled(given[0]))
            must = True
        letters = out is None or self.dice.random() < 0.9
        may |= (out != self.out and self.unsure) or (not letters and bool(self.feed.garbage))
        self._judged(given, names, out, how, must=must, may=may, letters=letters)
        for name in names:
            if name.startswith("link"):
                (self.folder / name).unlink()

    def probe(self) -> None:
        """Do to a file what a run must see, run, and undo it."""
        there = [fed for fed in self.feed.files if fed.read and fed.given_as == self.feed.place(fed.name)]
        held = [name for name in self.outs if (self.folder / name).stat().st_size]
        names, out, state = [fed.name for fed in self.feed.files], self.out, "state"
        with contextlib.ExitStack() as undone:
            match self.dice.randrange(6):
                case 0 if there and not self.unsure:
                    undone.enter_context(self._replaced(self.dice.choice(there)))
                case 1 if there and not self.unsure:
                    fed = self.dice.choice(there)
                    undone.enter_context(self._changed(fed.name, self.dice.randrange(fed.read)))
                case 2 if read := [fed for fed in self.feed.files if fed.read]:
                    names.append(self._copied(self.dice.choice(read), undone))
                case 3 if out in held and not self.unsure:
                    undone.enter_context(self._changed(str(out), 0))
                case 4 if not self.unsure and (others := [name for name in held if name != out]):
                    out = self.dice.choice(others)
                case 5 if held:
                    out, state = self.dice.choice(held), "mistyped"
                case _:
                    return
            self._judged([], names, out, "save", must=True, state=state)

    @contextlib.contextmanager
    def _replaced(self, fed: Fed) -> Iterator[None]:
        path, aside = self.folder / fed.name, self.folder / "aside"
        path.rename(aside)
        path.write_bytes(b"note,age\nx,1\n" if self.feed.csv else b'{"age": 1, "note": "x"}\n')
        yield
        aside.replace(path)

    @contextlib.contextmanager
    def _changed(self, name: str, at: int) -> Iterator[None]:
        path = self.folder / name
        content = path.read_bytes()
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        yield
        path.write_bytes(content)

    def _copied(self, fed: Fed, undone: contextlib.ExitStack) -> str:
        copy = self.feed.fresh_name("copy")
        shutil.copy(self.folder / fed.name, self.folder / copy)
        undone.callback((self.folder / copy).unlink)
        return copy

    def _left_out(self, given: Sequence[Fed], names: Sequence[str]) -> tuple[bool, bool]:
        """Tell whether a run must be refused for files that it was not given, and whether it may."""
        places = {self.feed.place(name) for name in names}
        must = may = False
        for fed in self.feed.files:
            if fed in given or not fed.given_as:
                continue
            may |= not fed.done or fed.half or self.unsure or fed.given_as in places
            if fed.read and not self.unsure:
                unread = fed.given_as == self.feed.place(fed.name) and (fed.fresh or fed.half)
                must |= unread or fed.given_as in places
        return must, may

    def _next_output(self) -> str | None:
        chance = self.dice.random()
        if self.out is None or chance > 0.7:
            return None if self.began and chance > 0.5 else self.feed.fresh_name("out", ".ndjson")
        if chance < 0.1 and not self.unsure:  # it goes on under another name
            old, new = self.out, self.feed.fresh_name("out", ".ndjson")
            (self.folder / old).rename(self.folder / new)
            self.outs[self.outs.index(old)] = self.out = new
        return self.out

    # What came of it -----------------------------------------------------------------------------------------------

    def _judged(
        self,
        given: Sequence[Fed],
        names: Sequence[str],
        out: str | None,
        how: str,
        *,
        must: bool = False,
        may: bool = False,
        letters: bool = True,
        state: str = "state",
    ) -> bool:
        """Run, and judge what it did; return whether it went well."""
        words = [word for name in names for word in ("-i", name)] + ([] if out is None else ["-o", out])
        words += ["--dead-letter", DEAD] if letters else []
        words += ["--on-end", "flush" if how == "flush" else "save", "--state", state]
        words += ["--checkpoint", self.dice.choice(["0", "10"])]
        before = contents(self.folder)
        done = run(words, self.folder, how, self.dice)
        self.told.append(f"{how} {' '.join(words)}: {'killed' if done is None else done.returncode}")
        if done is not None and done.returncode != 0:
            self._judge_refusal(done, out, before, expected=must or may)
            return False
        if must:
            raise Wrong("a run that would lose or repeat records was not refused")
        self._note_end(given, names, out, cut=done is None or how == "stop")
        if done is not None:
            self.last = done.stderr.decode()
            self.printed += _notes(done.stdout)
            self._judge_outputs()
        return done is not None

    def _note_end(self, given: Sequence[Fed], names: Sequence[str], out: str | None, *, cut: bool) -> None:
        """Keep what is known after a run that was not refused."""
        self.began = True
        self.unsure = cut or (self.unsure and set(given) != set(self.feed.files))
        self._note_output(out)
        for fed, name in zip(given, names, strict=False):
            fed.given_as, fed.fresh = self.feed.place(name), False
            if not cut:
                fed.done, fed.read = not fed.half, fed.end

    def _note_output(self, out: str | None) -> None:
        there = out is not None and (self.folder / out).exists()  # else it was killed before it wrote anything
        self.out = out if there else None
        if there and out not in self.outs:
            self.outs.append(str(out))

    def _judge_outputs(self) -> None:
        left = Counter(self._left())
        if twice := [note for note, count in left.items() if count > 1]:
            raise Wrong(f"{len(twice)} records left twice")
        if left.keys() - set(self.feed.notes):
            raise Wrong("what left never came")

    def _left(self) -> list[str]:
        return [*self.printed, *(note for name in self.outs for note in _notes((self.folder / name).read_bytes()))]

    def _judge_refusal(self, done: Done, out: str | None, before: dict[str, bytes], *, expected: bool) -> None:
        said, after = done.stderr.decode(), contents(self.folder)
        self.told.append(said)
        errors = [line for line in said.splitlines() if line.startswith("error: ")]
        if done.returncode != 2 or len(errors) != 1 or words_that_must_not_be(said):
            raise Wrong(f"exit code {done.returncode}, and not one sentence")
        if not expected:
            raise Wrong("refused for no reason")
        if "does not fit the plan" in said:  # what came before it may have left
            # What a killed run wrote and the state does not know may be cut off, and leaves again: the end counts it.
            cut = out if self.unsure and "they are cut off" in said else None
            kept = [name for name in before if name in self.outs and name != cut]
            lost = [name for name in kept if not after[name].startswith(before[name])]
            self.unsure = True
            self._note_output(out)
        else:
            lost = [name for name in {*before, *after} if before.get(name) != after.get(name)]
        if lost or (self.folder / "mistyped").exists():
            raise Wrong(f"refused, and changed {sorted(lost)}")

    def end(self) -> None:
        """Give all files to a last run, and look for every record."""
        for fed in self.feed.files:
            self.feed.end_line(fed)
        names = [fed.name for fed in self.feed.files]
        for out in dict.fromkeys([self.out, *self.outs, self.feed.fresh_name("out", ".ndjson")]):
            may = self.unsure or out != self.out
            if out is not None and self._judged(self.feed.files, names, out, "flush", may=may):
                break
        else:
            raise Wrong("no output was taken in the end")
        dropped = int(re.findall(r"dropped=(\d+)", self.last)[-1])
        if len(self._left()) + dropped != len(self.feed.notes):
            raise Wrong(f"{len(self._left())} left and {dropped} dropped of {len(self.feed.notes)} records")
        letters = [json.loads(line)["message"] for line in (self.folder / DEAD).read_text().splitlines()]
        if sorted(letters) != sorted(self.feed.garbage):
            raise Wrong("garbage is missing among the dead letters, or there twice")


def _notes(output: bytes) -> list[str]:
    return [json.loads(line)["note"] for line in output.splitlines()]


def trouble(seed: int) -> Found:
    """Play one stream to its end."""
    with TemporaryDirectory() as name:
        play = Play(seed, Path(name).resolve())
        try:
            for _ in range(play.dice.randint(2, 7)):
                play.step()
            play.end()
        except Wrong as wrong:
            return Found(f"seed {seed}: {wrong}\n" + "\n".join(play.told), taken=True)
    return Found("", taken=True)
