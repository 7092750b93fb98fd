"""Every command and snippet of the README and the pages runs as it stands, in order; what cannot is listed here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import shoal
from docs.pages import ROOT, text_of
from docs.snippets import Reader, blocks_of, run_page
from shoal.measures import MEASURES

PAGES = ["README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").glob("*.md")))]

NOT_RUN = {
    ("README.md", "builds the package, and tests all of it"): 1,
    ("README.md", "installs packages"): 1,
    ("README.md", "needs a Valkey server"): 1,
    ("README.md", "needs a Kafka broker"): 1,
    ("docs/app.md", "serves until it is stopped"): 1,
    ("docs/coming-from.md", "Java, written from the documentation of ARX"): 3,
    ("docs/coming-from.md", "R, written from the documentation of sdcMicro"): 3,
    ("docs/databases.md", "needs a PostgreSQL server"): 1,
    ("docs/from-r.md", "R; tests/docs/test_from_r.py runs it where Rscript and its package arrow are"): 1,
    ("docs/index.md", "installs packages"): 1,
    ("docs/install.md", "installs packages"): 1,
    ("docs/install.md", "needs Docker"): 1,
    ("docs/install.md", "the suite would run itself"): 1,
    ("docs/refine-bound.md", "needs the Census file of the CASC project"): 1,
    ("docs/security.md", "takes hours"): 1,
    ("docs/spark-streaming.md", "needs a Spark session"): 3,
    ("docs/spark-streaming.md", "needs a Spark session and a Kafka broker"): 1,
    ("docs/spark.md", "needs a Spark session"): 2,
    ("docs/spark.md", "installs packages, and needs Java"): 1,
    ("docs/streams.md", "needs a Kafka broker and a Valkey server"): 1,
}
"""Blocks that no test runs as they stand, by page and reason: how many."""


@pytest.mark.parametrize("page", [page for page in PAGES if blocks_of(text_of(page))])
def test_the_page_runs(page: str, tmp_path: Path) -> None:
    ran = run_page(page, tmp_path)
    assert len(ran.done) == sum(block.reason is None for block in blocks_of(text_of(page)))


def test_what_is_not_run_is_listed() -> None:
    found = Counter((page, block.reason) for page in PAGES for block in blocks_of(text_of(page)) if block.reason)
    assert dict(found) == NOT_RUN


FAILING = {
    "a kind that nobody runs": ("```ruby\nputs 1\n```\n", "not 'ruby'"),
    "no kind": ("```\nshoal --version\n```\n", "not ''"),
    "a command that fails": ("```sh\nshoal check absent.csv --plan absent.toml\n```\n", "ended with 2, not 0"),
    "a command that does not fail": ("```sh\nshoal --version  # exit 3\n```\n", "ended with 0, not 3"),
    "the second command": ("```sh\nshoal --version\nfalse | cat\n```\n", "ended with 1, not 0"),
    "another output": ("```console\n$ shoal --version\nshoal 99\n```\n", "shown:\nshoal 99"),
    "another output, below": ("```sh\nshoal --version\n```\n\n```text\nshoal 99\n```\n", "shown:\nshoal 99"),
    "another output of Python": ("```python\nprint(1)\n```\n```text\n2\n```\n", "shown:\n2"),
    "Python that raises": ("```python\n1 / 0\n```\n", "division by zero"),
    "no plan": ("```toml\n[attributes]\nage = { role = 'everything' }\n```\n", "role"),
    "a file that the page does not make": ("```python\nopen('stays.csv')\n```\n", "stays.csv"),
}


@pytest.mark.parametrize(("text", "said"), FAILING.values(), ids=FAILING)
def test_a_page_that_does_not_run_fails(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, ArithmeticError, OSError, shoal.ShoalError)) as caught:
        Reader("page.md", tmp_path).run(text)
    assert said in str(caught.value)


def test_blocks_run_in_order_in_one_folder_and_leave_registries_as_they_were(tmp_path: Path) -> None:
    known = list(MEASURES)
    text = """
```toml
# plan.toml
[attributes]
age = { role = "quasi_identifier", kind = "numeric" }
```

```python
import polars as pl
from shoal.measures import MEASURES

MEASURES.unregister("dld")
pl.DataFrame({"age": [3, 1, 2, 5, 4, 6]}).write_csv("ages.csv")
```

```sh
shoal anonymize ages.csv --plan plan.toml \\
  -o out.csv
cat out.csv | wc -l > lines.txt
```

```console
$ cat lines.txt
7
$ shoal anonymize ages.csv --plan plan.toml -o out.csv --k 7   # exit 2
error: k is 7 ... bring more data
```

<!-- not run: there is no such program -->
```sh
absent
```

```text
Nothing printed this.
```
"""
    ran = Reader("page.md", tmp_path).run(text.replace("```\n\n```text", "```\n\nTo look at:\n\n```text"))
    assert [block.kind for block in ran.done] == ["toml", "python", "sh", "console", "text"]
    assert (tmp_path / "out.csv").exists()
    assert list(MEASURES) == known
