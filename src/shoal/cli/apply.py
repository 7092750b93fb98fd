"""shoal apply: new records masked by the model of an earlier release."""

import json
from dataclasses import dataclass
from typing import Annotated

from shoal.cli.console import print_giveaways, stderr
from shoal.cli.options import REQUIRED, EscapeFormulas, Quiet, flag, option
from shoal.cli.sources import Reading, first_table
from shoal.errors import printable
from shoal.files import Outputs, target_format, write
from shoal.files.database import shown
from shoal.files.outputs import STDOUT
from shoal.giveaways import as_manifest, file_label, formulas_of
from shoal.jobs.local_engine import leaves_formulas
from shoal.plan.attribute import Role
from shoal.report.wording import plural
from shoal.run.manifest import versions
from shoal.run.model import Model
from shoal.run.saved_release import manifest_path
from shoal.run.source_parsing import parsed


@dataclass(frozen=True)
class ApplyOptions:
    """By what records are masked, and where they go."""

    model: str = option("What `shoal anonymize --model` wrote.", default=REQUIRED, metavar="FILE")
    output: str = option("The masked records; standard output if left out.", "--output", "-o", default=STDOUT)
    close: bool = flag("Only by groups that stay within t of the plan; who fits into none is left out and counted.")
    escape_formulas: EscapeFormulas = False
    quiet: Quiet = False


def apply_command(
    data: Annotated[str, first_table("The new records")], options: ApplyOptions, reading: Reading
) -> None:
    """Mask new records by the model of an earlier release.

    Each gets the quasi-identifiers of the nearest group whose values at least k subjects shared already: it is one of
    k + 1. Whoever has that release, and knows who is new, finds new records among themselves: to release a table
    that has grown, give `shoal anonymize` the model as --previous.
    """
    (table,) = reading.read(data)
    learnt, output, escape = Model.load(options.model), options.output, options.escape_formulas
    runs = leaves_formulas(output, table, escape=escape)
    records = parsed(table, learnt.plan)
    with Outputs() as outputs:
        applied = learnt.apply(records.frame, close=options.close)
        giveaways = (
            *applied.giveaways,
            *(file_label(records) if target_format(output, like=records).labelled else ()),
            *(formulas_of(applied.data, learnt.plan) if runs else ()),
        )
        # ``by`` is not written as it came: it is part of what makes records of a group alike.
        touched = (*learnt.plan.names(Role.QUASI_IDENTIFIER), *learnt.plan.recoded_names(), learnt.plan.by)
        like = records.take(applied.rows) if applied.left_out else records
        untouched = [name for name in applied.data.columns if name not in touched]
        write(applied.data, output, like=like, verbatim=untouched, escape_formulas=escape, outputs=outputs)
        if (manifest := manifest_path(output, None)) is not None:
            content = {  # what was masked, by which release, and what holds of it: no record values
                "format": 1,
                "applied": {"released": learnt.released, "plan": learnt.plan.to_dict()},
                "versions": versions(),
                "input": {"file": records.name, "file_sha256": records.sha256, "rows": len(records.frame)},
                "output": {"rows": len(applied.rows), "left_out": applied.left_out},
                "promise": applied.promise,
                "not_promised": applied.not_promised,
                **as_manifest(giveaways),
            }
            text = json.dumps(content, indent=2, ensure_ascii=False)
            outputs.text(manifest, f"{text}\n", private="where possible")
    if not options.quiet:
        print_giveaways(giveaways)
        groups = plural(len(set(applied.groups.tolist())), "group")
        stderr.print(f"{plural(len(applied.rows), 'new record')} masked by {groups}")
        if applied.left_out:
            left_out = plural(applied.left_out, "record was", "records were")
            stderr.print(f"{left_out} left out: no near group stays within t with them")
        stderr.print(f"  {applied.promise}", style="dim")
        stderr.print(f"  not promised: {applied.not_promised}", style="dim")
        if output != STDOUT:
            stderr.print(f"wrote {printable(shown(output))}")
