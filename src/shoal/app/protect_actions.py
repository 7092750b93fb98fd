"""What clicks on Protect do: each is a change of the plan, with the line that it writes as its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.app.browser_session import Session
from shoal.app.form import Form, typed_number, whole_number
from shoal.errors import PlanError
from shoal.partitioners import METHODS
from shoal.plan.attribute import Role
from shoal.plan.plan_keys import UNREFINED
from shoal.plan.toml import parse_value, value


def change_promises(session: Session, form: Form) -> None:
    """Change what is promised, and how it is reached."""
    editor = session.require_editor()
    method, refine = form.one("method") or "mdav", form.one("refine") or UNREFINED
    changes: dict[str, Any] = {
        "k": typed_number("k", form.one("k")),
        "method": method,
        # Said where it was said before, so that the history tells what it became.
        "refine": refine if refine != UNREFINED or editor.values.get("refine") else None,
        "missing": None if form.one("missing") in ("", "error") else form.one("missing"),
        "round": True if form.one("round") else None,
        "closeness.t": typed_number("t", form.one("t")),
        **_diversity(form),
    }
    if changes["k"] is None:
        raise PlanError("k is required: how many must look alike at least, such as 5")
    changes |= _closeness(session, form, asked=changes["closeness.t"] is not None)
    diversity = {path: given for path, given in changes.items() if path.startswith("diversity.")}
    others = {f"diversity.{key}" for key in editor.values.get("diversity", {})} - {"diversity.attributes", *diversity}
    if not others and all(given is None for given in diversity.values()):
        changes["diversity"] = None  # or an empty section would stay in the plan
    for name, registered in METHODS.items():
        for option, about in registered.options.model_fields.items():
            text = form.one(f"option.{option}") if name == method else ""
            typed = parse_value(text) if text else None
            changes[option] = None if typed == about.default else typed
    editor.change_fields(changes)


def _diversity(form: Form) -> dict[str, Any]:
    """Return the kinds of diversity that are asked for; None for the others."""
    c, l = typed_number("c", form.one("c")), typed_number("l", form.one("l"))  # noqa: E741  as the literature has it
    if l is not None and c is None:
        raise PlanError("recursive diversity needs c beside l: how many times all others together, such as 2")
    return {
        "diversity.distinct": typed_number("l", form.one("distinct")),
        "diversity.entropy": typed_number("l", form.one("entropy")),
        "diversity.recursive": None if l is None else {"c": c, "l": l},
    }


def _closeness(session: Session, form: Form, *, asked: bool) -> dict[str, Any]:
    values = session.require_editor().values
    if not asked:
        return {"closeness": None} if "closeness" in values else {}
    changes: dict[str, Any] = {}
    way = form.one("way")
    if way and way != values.get("closeness", {}).get("method", "t_first"):
        changes["closeness.method"] = way
    confidential = [n for n, about in values["attributes"].items() if about.get("role") == Role.CONFIDENTIAL.value]
    if "closeness" in values and form.all("way"):
        places = map(whole_number, form.all("protected"))
        chosen = [confidential[i] for i in places if i is not None and i < len(confidential)]
        if not chosen:
            raise PlanError("closeness must protect at least one confidential column: tick one, or leave t empty")
        lead = form.one("lead")
        if lead in chosen:
            chosen = [lead, *(name for name in chosen if name != lead)]
        changes["closeness.attributes"] = None if chosen == confidential else chosen
        own = {name: typed_number("t", form.one(f"t.{confidential.index(name)}")) for name in chosen}
        by_name = {name: typed_number("t", form.one("t")) if t is None else t for name, t in own.items()}
        changes["closeness.t"] = by_name if len(set(by_name.values())) > 1 else by_name[chosen[0]]
    return changes


def take_way_out(session: Session, form: Form) -> None:
    """Take one of the ways out that were tried, so that closeness costs less."""
    preview = session.preview()
    job = session.costs(preview.result.asked) if preview.state == "done" else None
    trials = job.result.trials if job is not None and job.result is not None else ()
    way = next((trial.way for trial in trials if trial.way.name == form.one("way")), None)
    if way is None:
        raise PlanError("there is no such way: the plan has changed since")
    words = [f"{path}: –" if given is None else f"{path} = {value(given)}" for path, given in way.changes.items()]
    session.require_editor().change_paths(", ".join(words), way.changes)


def change_toml(session: Session, form: Form) -> None:
    """Take the plan as it was typed."""
    session.require_editor().parse(form.one("toml").replace("\r\n", "\n"), "TOML")


ACTIONS: dict[str, Callable[[Session, Form], str | None]] = {
    "/protect/options": change_promises,
    "/protect/way": take_way_out,
    "/protect/toml": change_toml,
}
