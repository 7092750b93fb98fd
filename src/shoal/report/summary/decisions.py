"""What remains to be decided before signing: what was found, and what nobody but a person can judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.errors import sentence
from shoal.plan import Plan, ReleaseMode
from shoal.plan.attribute import Role
from shoal.report.edition import Guard
from shoal.report.summary.summary import Tried, Verdict
from shoal.report.wording import abridged, listed
from shoal.run.release import Release


def decisions(
    release: Release, plan: Plan, cautions: Sequence[str], tried: Sequence[Tried], guard: Guard
) -> tuple[str, ...]:
    """Return what remains to be decided, the worst first; external readers see nothing that counts few records."""
    return (
        *_attacks(tried),
        *cautions,
        *_roles(plan),
        *_earlier(release),
        *([] if guard.external else _about(plan)),
    )


def _attacks(tried: Sequence[Tried]) -> Iterator[str]:
    for each in tried:
        if each.verdict is Verdict.BEYOND:
            yield f"{sentence(each.name)} found somebody with a better chance than the promise allows."


def _roles(plan: Plan) -> Iterator[str]:
    """Ask whether what leaves as it is may be known from elsewhere: no computation can say."""
    stays = [
        *(plan.names(Role.CONFIDENTIAL) if plan.release is not ReleaseMode.PERMUTE else ()),
        *plan.names(Role.OTHER),
    ]
    if stays:
        as_it_is = "It leaves as it is" if len(stays) == 1 else "They leave as they are"
        yield (
            f"Is it certain that nobody outside knows {abridged(stays, 'or')} of a person? {as_it_is}, and whoever "
            "knows a value may find the person by it."
        )


def _earlier(release: Release) -> Iterator[str]:
    if not release.manifest.get("after", ()) and "previous" not in release.manifest:
        yield "Was anything of this table released before? This release was compared with no other (--after)."


def _about(plan: Plan) -> Iterator[str]:
    lacking = [key for key in ("purpose", "recipient", "contact") if getattr(plan.about, key, None) is None]
    if lacking:
        yield f"Who gets it, what for, whom to ask? The plan does not say its {listed(lacking)} ([about])."
