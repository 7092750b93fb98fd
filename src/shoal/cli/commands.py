"""The commands by name: what `shoal --help` lists without loading any of them."""

import importlib
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

COMMANDS = {
    "init": "Propose a plan from the columns of a table, commented, to edit.",
    "check": (
        "Check a table against a plan: say everything that is wrong, or what would be done and what it would give away."
    ),
    "anonymize": "Anonymize a table by a plan.",
    "apply": "Mask new records by the model of an earlier release.",
    "measure": "Measure a release against the table it was made from: risk, utility and their balance.",
    "utility": "Compare the analyst's work on the release with that on the original: statistics, models, predictions.",
    "attack": "Attack a release: try to single out, link and guess, and count how often it works.",
    "risk": "Tell the risk in the population: three adversaries with their thresholds, and how many people are unique.",
    "bound": "Bound the loss: prove how little any release by groups of k could lose, and how near to that one is.",
    "report": "Report on a release: guarantees, distributions, risk and loss, in one HTML file and the same in JSON.",
    "compare": (
        "Compare plans: carry out every combination of the values to try, measure it, and draw risk against loss."
    ),
    "verify": "Judge a written release again, as an outsider would, by a code path of its own.",
    "reproduce": "Make the papers' tables and figures again, ours beside the published, as a Markdown page.",
    "stream": (
        "Anonymize a stream: every record leaves in a group of k within --max-delay records, or is dropped and counted."
    ),
    "app": "Open the app in the browser: all steps from a table to a signed release, on this machine alone.",
}
"""The commands in the order of a user's work. ``NAME`` is the function ``NAME_command`` of ``shoal.cli.NAME``, and its
help here is the first line of that function's docstring."""

_LOOK: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "markdown"}


class _LoadedWhenCalled(TyperGroup):
    """Lists commands that are names and helps alone, and replaces the one that is called by the real one."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with its arguments is said without the credentials in them, and in our words.

        Some versions of typer read values by pydantic, and say what that says.
        """
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(sentence := getattr(error, "message", None), str):
                from pydantic import ValidationError

                from shoal.errors import without_credentials
                from shoal.options import explain_value

                if isinstance(error.__cause__, ValidationError):
                    sentence = explain_value(error.__cause__)
                vars(error)["message"] = without_credentials(sentence)
            raise

    # The context is click's, which some versions of typer bring along and others depend on.
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed if name is None else load_command(name), rest


def load_command(name: str) -> Any:
    """Load a command's module and return the command as typer runs it."""
    from shoal.cli.console import guarded
    from shoal.cli.options import expanded

    module = importlib.import_module(f"shoal.cli.{name}")
    alone = typer.Typer(**_LOOK)
    alone.command(name)(guarded(expanded(getattr(module, f"{name}_command"))))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="shoal",
    help="Anonymize tables by microaggregation, with guarantees that are checked and losses that are measured.",
    no_args_is_help=True,
    cls=_LoadedWhenCalled,
    **_LOOK,
)


def _listed() -> None:
    raise AssertionError("a command is loaded before it runs")


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(_listed)


def _print_version(wanted: bool) -> None:
    if wanted:
        import shoal

        typer.echo(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass
