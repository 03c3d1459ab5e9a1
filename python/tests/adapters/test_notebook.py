"""Tests that the notebook `docs/python.ipynb` runs to its end and is kept without outputs."""

import pathlib

import nbformat
from nbclient import NotebookClient

NOTEBOOK = pathlib.Path(__file__).resolve().parents[3] / "docs/python.ipynb"


def test_the_notebook_runs_from_top_to_bottom(sample):
    # Where the sample tools are built is where the notebook finds them.
    (place,) = {sample(name).parents[1] for name in ("calculator", "thumbnail", "run-python")}
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    resources = {"metadata": {"path": str(place)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    text = "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    for shown in ("3.10", "To mend it", "328350", "(128, 64)", "91.44"):
        assert shown in text, text
    # The function that becomes a tool: called here, inspected, called and failing in the sandbox.
    asks = "Asks for\n  nothing: it only computes"
    for shown in ("reading_time(text: text, rate?: ", asks, "nobody reads at that rate"):
        assert shown in text, text
    assert {"2.0", "4.7"} <= set(text.splitlines()), text


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
