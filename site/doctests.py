"""Examples in the text of docstrings, `>>> ...`, are code on the pages of the reference."""

from __future__ import annotations

import re

import griffe

#: Lines from one that begins with the prompt to the next blank one.
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


class Doctests(griffe.Extension):
    """Fence each example."""

    def on_instance(self, *, obj, **_):
        """Change the docstring of an object, as it is shown."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
