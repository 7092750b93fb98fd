"""Run the notebooks of the tutorial and leave what they show in them: `python docs/run_tutorial.py [NAME ...]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

TUTORIAL = Path(__file__).parent / "tutorial"
# Charts as pictures, which show wherever a notebook does: no script of another host.
_SETUP = "import altair; altair.renderers.enable('svg')"


def run(path: Path) -> nbformat.NotebookNode:
    """Return a notebook that was run in a folder of its own.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        A cell failed.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            record_timing=False,
            extra_arguments=[f"--IPKernelApp.exec_lines={_SETUP}"],
            resources={"metadata": {"path": folder}},
        )
        client.execute()
    return _tidy(notebook)


def _tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave out what differs from machine to machine, and what passes: bars of progress, warnings, versions."""
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = _joined([each for each in cell.outputs if _stays(each)])
            for output in cell.outputs:
                if "image/svg+xml" in output.get("data", {}):
                    output.data.pop("text/plain", None)  # it names where the chart lies in memory
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    return notebook


def _joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Return outputs with what was printed one after the other as one: how it came is a matter of time."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _stays(output: nbformat.NotebookNode) -> bool:
    if output.output_type == "stream":
        return bool(output.name == "stdout")
    return bool(output.output_type == "execute_result")


def main() -> None:
    """Run those that are named, or all."""
    paths = [TUTORIAL / name for name in sys.argv[1:]] or sorted(TUTORIAL.glob("*.ipynb"))
    for path in paths:
        nbformat.write(run(path), path)
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
