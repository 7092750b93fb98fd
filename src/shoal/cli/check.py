"""shoal check: say what is wrong, or what would be done."""

from shoal.cli.console import Grid, print_giveaways, refuse_strictly, stderr, stdout
from shoal.cli.options import flag
from shoal.cli.overrides import plan_options
from shoal.cli.sources import Data, Reading
from shoal.errors import GuaranteeError, counted
from shoal.partitioners import METHODS
from shoal.plan import Plan
from shoal.plan.treatment import treatment
from shoal.run._check import check_file


@plan_options
def check_command(
    *,
    data: Data,
    plan: Plan,
    require: bool = flag("Exit with 3 where the plan gives a guarantee up (`guarantee = false`)."),
    strict: bool = flag("End with exit code 3 where there is a warning."),
    reading: Reading,
) -> None:
    """Check a table against a plan: say everything that is wrong, or what would be done and what it would give away.

    Exit code 0 if `shoal anonymize` would try, 2 for a wrong plan or wrong data, 3 for a guarantee that cannot be met.
    """
    (table,) = reading.read(data)
    table_check = check_file(table, plan)
    outlook = table_check.outlook
    given_up = plan.given_up()
    if require and given_up is not None:
        raise GuaranteeError(f"the plan gives {given_up} up by guarantee = false, and --require asks for it")
    giveaways = outlook.giveaways
    records = len(table.frame)
    grid = Grid("column", "role", "kind", "what happens")
    for name in table.frame.columns:
        attribute = plan.attributes[name]
        kind = attribute.kind.value if attribute.kind else ""
        grid.add_row(name, attribute.role.value, kind, treatment(name, plan))
    stdout.print(grid)
    subjects = table_check.inputs.subjects
    of_whom = "" if subjects is None else f" of {subjects.count:,} subjects ({subjects.name})"
    stdout.print(f"\n{records:,} records{of_whom}, k = {plan.k}, method {plan.method}: {METHODS[plan.method].summary}.")
    for sentence in outlook.sentences:
        stdout.print(sentence)
    reason = outlook.not_guaranteed
    if reason is not None:
        stdout.print(f"k not guaranteed: {reason}.", style="bold red")
    else:
        for sentence in outlook.ahead:
            stdout.print(sentence)
        most = outlook.most_groups
        stdout.print(f"At most {most:,} group{'s' if most != 1 else ''}. ", end="")
    but = f", but for {counted(len(giveaways), 'warning')}" if giveaways else ""
    stdout.print(f"Nothing {'is' if reason is None else 'else is'} wrong{but}; nothing was written.")
    for sentence in outlook.cautions:
        stderr.print(f"caution: {sentence}")
    if giveaways and strict:
        refuse_strictly(giveaways)
    print_giveaways(giveaways)
