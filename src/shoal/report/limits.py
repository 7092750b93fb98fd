"""Limits: what classes of k cannot promise, whatever the plan asks; said once."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.plan import Plan, ReleaseMode
from shoal.protect import asked
from shoal.report.wording import plural
from shoal.run.release import Release


def limits_of(release: Release, plan: Plan) -> tuple[str, ...]:
    """Return what a reader should not believe of a release, in a few sentences without numbers of records.

    Notes
    -----
    ``docs/limits.md`` works each of them out on a few records.
    """
    return (_several_releases(release), *_minimality(plan), _background(plan))


def _several_releases(release: Release) -> str:
    manifest = release.manifest
    earlier = len(manifest.get("after", ())) + manifest.get("previous", {}).get("releases", 0)
    checked = (
        f"This one was compared with {plural(earlier, 'earlier release')}, and with no other."
        if earlier
        else "This one was compared with no other (shoal anonymize --after does that)."
    )
    return (
        "Several releases of one table: who has two of them looks for the records that share a person's class in both, "
        f"and may find fewer than k. {checked}"
    )


def _minimality(plan: Plan) -> Iterator[str]:
    if any(guarantee.key != "k" for guarantee in asked(plan.demand())):
        yield (
            "Large classes tell why they are large: groups are merged only where one of them fell short of what was "
            "asked beside k, and who can form the groups again learns which of them did."
        )


def _background(plan: Plan) -> str:
    known = "Background knowledge: who can rule out some of the confidential values in a class is left with the others"
    if plan.release is not ReleaseMode.PERMUTE and plan.averaged_names():
        return f"{known}; who knows all original values behind a mean but one computes the last."
    return f"{known}."
