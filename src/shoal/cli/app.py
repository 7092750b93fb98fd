"""shoal app: the whole product in the browser, on this machine."""

from typing import Annotated

import typer

from shoal.cli.console import stdout
from shoal.cli.options import flag, option
from shoal.errors import PlanError


def app_command(
    data: Annotated[str | None, typer.Argument(help="A table to begin with.", metavar="[DATA]")] = None,
    plan: str | None = option("A plan to begin with, a TOML file.", metavar="PLAN"),
    folder: str | None = option("A folder whose tables may be chosen, read where they are.", metavar="DIR"),
    port: int = option("Where to listen, on loopback alone; a free port if 0.", default=0),
    no_open: bool = flag("Print the address, and open no browser."),
    demo: bool = flag("Begin with the bundled table."),
) -> None:
    """Open the app in the browser: all steps from a table to a signed release, on this machine alone.

    The address that is printed holds a secret that lets one browser in. Ctrl-C ends the app, and so does the page; its
    working files are removed then.
    """
    if data is not None and demo:
        raise PlanError("--demo begins with the bundled table, and DATA names another: give one of them")
    try:
        from shoal.app import Start, serve
    except ModuleNotFoundError as error:
        raise PlanError(f"the app needs {error.name}: install it with pip install 'shoal[app]'") from None
    serve(Start(data, plan, folder, port, demo=demo, open_browser=not no_open), stdout.print)
