"""The page: its code runs as it stands, block after block."""

from __future__ import annotations

import pathlib
import re

import pytest

pytest.importorskip("optuna")
PAGE = pathlib.Path(__file__).parent.parent / "README.md"


def test_the_code_of_the_page_runs():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, object] = {"__name__": "page"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"README.md, block {number}", "exec"), names)
