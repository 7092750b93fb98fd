"""Where a release comes from: the plan and the manifest, as far as an edition may show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.plan import Plan
from shoal.plan.toml import dump_toml
from shoal.report.data import Plain
from shoal.run.release import Manifest

_NOT_OUTSIDE = ("seed", "format")
"""A seed undoes a permutation; the way dates are written is nobody's business."""


def public_plan(plan: Plan) -> str:
    """Return the plan as TOML without the seed and without any list of values."""
    return dump_toml(_public(plan.to_dict()))


def _public(values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what names columns and numbers: a list or a tree of categories could name what few people have."""
    attributes = values["attributes"]
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if name == "attributes":
            kept[name] = {column: _single(about) for column, about in value.items()}
        elif isinstance(value, Mapping):
            by_column = {
                key: _single({column: item for column, item in inner.items() if column in attributes})
                for key, inner in value.items()
                if isinstance(inner, Mapping)
            }
            kept[name] = _single(value) | {key: inner for key, inner in by_column.items() if inner}
        elif isinstance(value, list):
            kept |= {name: [_single(item) for item in value]} if all(isinstance(i, Mapping) for i in value) else {}
        else:
            kept |= _single({name: value})
    return kept


def _single(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in values.items()
        if name not in _NOT_OUTSIDE and not isinstance(value, Mapping | list)
    }


def provenance(
    manifest: Manifest, *, refined: str | None = None, certified: str | None = None
) -> tuple[tuple[str, Plain], ...]:
    """Return what the manifest says of input, output, versions and time, one fact after another.

    ``refined`` says what refining saved, or would have saved; ``certified`` how far the loss is from the best possible.
    """
    source, output = manifest["input"], manifest["output"]
    facts: list[tuple[str, Plain]] = [
        ("original file", source.get("file")),
        ("original file, SHA-256", source.get("file_sha256")),
        ("original contents, SHA-256", source.get("sha256")),
        ("original columns", len(source["columns"])),
        ("dropped columns", ", ".join(manifest["dropped_columns"]) or "none"),
        *((f"compared with {each['name']}, contents, SHA-256", each["sha256"]) for each in manifest.get("after", ())),
        ("released records", output["rows"]),
        ("released columns", len(output["columns"])),
        ("released file, SHA-256", output.get("file_sha256")),
        ("released contents, SHA-256", output.get("sha256")),
        ("loss", certified),
    ]
    if "order" in manifest:  # of a release by another tool it is not known
        facts.append(("order of rows", "shuffled" if manifest["order"]["shuffled"] else "kept"))
    facts += [(f"version of {name}", text) for name, text in manifest["versions"].items()]
    facts += [("refinement", refined), ("seed", manifest["seed"])]
    facts += [(f"seconds to {stage}", seconds) for stage, seconds in manifest.get("seconds", {}).items()]
    return tuple((name, value) for name, value in facts if value is not None)
