"""Notebooks: plain nbformat without outputs; their cells run in order, and machines show their screens."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from retrosim.lessons.lesson import lesson_names, load_lesson


def read(name: str) -> dict[str, Any]:
    return json.loads(load_lesson(name).notebook.read_text(encoding="utf-8"))


def codes(name: str) -> list[str]:
    return ["".join(cell["source"]) for cell in read(name)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", lesson_names())
def test_a_notebook_is_whole(name: str) -> None:
    book = read(name)
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5) and book["metadata"]["kernelspec"]["name"] == "python3"
    cells = book["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    assert "".join(cells[0]["source"]).startswith(f"# {load_lesson(name).title}\n")
    trees = [ast.parse(code) for code in codes(name)]
    assert any(isinstance(tree.body[-1], ast.Expr) and isinstance(tree.body[-1].value, ast.Name) for tree in trees)


@pytest.mark.full
@pytest.mark.parametrize("name", lesson_names())
def test_cells_run_in_order(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each prints something, or its last line is a machine whose picture Jupyter shows."""
    namespace: dict[str, Any] = {}
    for number, code in enumerate(codes(name), 1):
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{name} cell {number}", "exec"), namespace)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"{name} cell {number}", "eval"), namespace)
        is_picture = hasattr(value, "_repr_png_") and value._repr_png_()[1:4] == b"PNG"
        assert capsys.readouterr().out or is_picture, number


@pytest.mark.full
@pytest.mark.parametrize("name", lesson_names())
def test_jupyter_runs_them(name: str) -> None:
    """Where nbclient and a kernel are installed."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.read(load_lesson(name).notebook, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=600).execute()
