"""A file as its plan reads it: text turned into what the plan declares, and what it calls missing made missing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from shoal.files import SourceFile
from shoal.frames import Table, with_gaps
from shoal.plan import Plan
from shoal.plan.missing_values import missing_values


def parsed(source: SourceFile, plan: Plan, *, released: bool = False, without: Collection[str] = ()) -> SourceFile:
    """Turn the text of a CSV file into what the plan declares; columns the plan does not know stay text.

    What the plan calls missing is missing, whatever the format. Of a release, columns are what the plan makes of them:
    a date may have become a distance. Columns of ``without`` stay text.
    """
    readable = set(source.frame.columns).difference(without)
    declared = {name: a for name, a in plan.attributes.items() if name in readable}
    kinds = {name: a.compared if released else a.kind for name, a in declared.items()}
    gaps = missing_values(plan, source.frame.columns)
    source = source.parse(
        {name: kind.in_files.value for name, kind in kinds.items() if kind is not None}
        | ({plan.weights: "numeric"} if plan.weights in declared else {}),
        date_formats={name: a.format for name, a in declared.items() if a.format is not None and kinds[name] == "date"},
        missing={name: [str(value) for value in values] for name, values in gaps.items()},
    )
    return replace(source, frame=with_gaps(Table.of(source.frame), gaps).data) if gaps else source
