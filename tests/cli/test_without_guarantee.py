"""Methods that cannot guarantee k, as the command line shows them."""

import json

NUMERIC_PLAN = """
k = 4
method = "individual"

[attributes]
name   = { role = "identifier" }
age    = { role = "quasi_identifier", kind = "numeric" }
grade  = { role = "quasi_identifier", kind = "ordinal", order = ["low", "mid", "high"] }
county = { role = "other" }
seen   = { role = "quasi_identifier", kind = "date" }
pay    = { role = "confidential", kind = "numeric" }
ward   = { role = "other" }
"""


def test_without_giving_up_the_guarantee_nothing_is_released(folder):
    (folder.path / "plan.toml").write_text(NUMERIC_PLAN)
    for command in (["check"], ["anonymize", "-o", "out.csv"]):
        done = folder.shoal(command[0], "data.csv", "--plan", "plan.toml", *command[1:])
        assert done.returncode == 3
        message = done.stderr.decode()
        assert message.startswith("error: k = 4 cannot be guaranteed: the quasi-identifiers are masked in 3 blocks")
        assert "guarantee = false" in message
    assert folder.names() == ["data.csv", "plan.toml"]


def test_the_line_that_says_so_is_the_second(folder):
    (folder.path / "plan.toml").write_text(NUMERIC_PLAN)
    arguments = ("data.csv", "--plan", "plan.toml", "--no-guarantee", "-o", "out.csv")
    for method in ("individual", "mic1d"):
        done = folder.shoal("anonymize", *arguments, "--method", method)
        assert done.returncode == 0, done.stderr
        lines = done.stderr.decode().splitlines()
        assert lines[1].startswith("✗ k_anonymity = ")
        assert "k not guaranteed: " in lines[1]
        assert "to an intruder who knows 1 of them, " in lines[1]
        manifest = json.loads((folder.path / "out.manifest.json").read_text())
        assert manifest["guarantees"][0]["holds"] is False
        detail = manifest["guarantees"][0]["detail"]
        assert f"k' = {detail['k_prime']:.2f} records" in lines[1]


def test_check_says_so_too(folder):
    (folder.path / "plan.toml").write_text(NUMERIC_PLAN)
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--no-guarantee")
    assert done.returncode == 0, done.stderr
    assert "k not guaranteed: the quasi-identifiers are masked in 3 blocks" in done.stdout.decode()
    done = folder.shoal("check", "data.csv", "--plan", "plan.toml", "--no-guarantee", "--method", "mic1d")
    assert "mixed with the other values" in done.stdout.decode()


def test_blocks_and_their_options_are_options_of_the_command(folder):
    (folder.path / "plan.toml").write_text(NUMERIC_PLAN)
    arguments = ("data.csv", "--plan", "plan.toml", "--method", "projected", "--axis", "zscores", "-o", "out.csv")
    done = folder.shoal("anonymize", *arguments)
    assert done.returncode == 0, done.stderr
    assert b"k_anonymity = 4 (asked 4)" in done.stderr
    done = folder.shoal("anonymize", *arguments, "--blocks-make", "spread", "--blocks-size", "2", "--no-guarantee")
    assert done.returncode == 0, done.stderr
    assert b"masked in 2 blocks" in done.stderr
    named = '[["age", "seen"], ["grade"]]'
    done = folder.shoal(
        "anonymize", *arguments, "--set", f"blocks={named}", "--set", 'intruder=[["age", "grade"]]', "--no-guarantee"
    )
    assert done.returncode == 0, done.stderr
    assert b"to an intruder who knows age + grade, " in done.stderr
