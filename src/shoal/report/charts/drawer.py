"""Draw Vega-Lite charts as SVG: one per line of standard input, one per line of standard output.

A process of its own: the renderer is native code that aborts on some inputs, and then takes no more than this with it.
It is run as a file, and imports nothing of shoal.
"""

from __future__ import annotations

import json
import sys

import vl_convert


def main() -> None:
    """Answer each line, a JSON object of a chart and its version of Vega-Lite, by a line: the SVG as a JSON string."""
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        try:
            drawn = vl_convert.vegalite_to_svg(asked["spec"], vl_version=asked["version"])
        except Exception:  # whatever the renderer did not like: this chart is lost, the next one is not
            drawn = None
        sys.stdout.buffer.write(json.dumps(drawn).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
