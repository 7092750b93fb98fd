"""The JSON Schema of a plan, for editors that complete and check TOML.

``python -m shoal.plan.json_schema`` writes it to its file.
"""

from __future__ import annotations

import json
from pathlib import Path

from shoal.kinds import Kind
from shoal.kinds.registry import KINDS
from shoal.partitioners import METHODS
from shoal.plan.plan import Plan
from shoal.plan.registered_keys import registered

SCHEMA_FILE = Path(__file__).with_name("plan.schema.json")


def json_schema() -> str:
    """Return the schema as text."""
    schema = Plan.model_json_schema()
    others = registered().model_json_schema()
    schema["properties"] |= others["properties"]
    schema["$defs"] = dict(sorted({**schema["$defs"], **others.get("$defs", {})}.items()))
    schema["additionalProperties"] = False
    schema["properties"]["method"]["enum"] = list(METHODS)
    schema["$defs"]["Kind"]["enum"] = [name for name in KINDS if isinstance(name, Kind)]
    schema["title"] = "shoal plan"
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(json_schema(), encoding="utf-8")
