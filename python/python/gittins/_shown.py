"""How a study is shown: in a line, and as a table in notebooks.

Only what is known already is shown: nothing is computed, and nothing raises.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from gittins.errors import GittinsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gittins import _gittins
    from gittins.study import Study

#: This many names are shown in a line, and this much of each.
NAMES = 6
LENGTH = 40


def line_of(study: Study) -> str:
    """Return the study in a line."""
    kind = type(study).__name__
    try:
        best, (_, total), trials = study.best(), study._inner.money(), _trials(study._inner)
    except (AttributeError, GittinsError) as error:
        return f"{kind}({_short(str(error))})"
    parts = [f"{study.direction} {_names(study.names)}", trials]
    if best is not None:
        parts.append(f"best {best.outcome:.6g} in trial {best.trial}")
    if total:
        parts.append(f"cost {_tag(study._inner, total)}")
    if study._judged is not None:
        parts.append(f"last verdict: {_short(study._judged.words)}")
    return f"{kind}({'; '.join(parts)})"


def table_of(study: Study) -> str:
    """Return the study as a table of HTML."""
    try:
        best, (spent, total), trials = study.best(), study._inner.money(), _trials(study._inner)
    except (AttributeError, GittinsError):
        return f"<p>{html.escape(line_of(study))}</p>"
    rows = [("study", f"{study.direction} {_names(study.names)}"), ("trials", trials)]
    if best is not None:
        values = _values(best.values)
        values = values if best.label is None else f"{best.label} ({values})"
        rows.append(("best", f"{best.outcome:.6g} in trial {best.trial}: {values}"))
    if study._recommended is not None:
        rows.append(("last recommendation", study._recommended.words))
    if total:
        rows.append(("cost of all trials", _tag(study._inner, total)))
        rows.append(("of the suggested ones", _tag(study._inner, spent)))
    if study._judged is not None:
        rows.append(("last verdict", study._judged.words))
    cells = (
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows
    )
    return f"<table>{''.join(cells)}</table>"


def _short(text: str) -> str:
    """Return the beginning of a text, in a line."""
    line = " ".join(text.split())
    return line if len(line) <= 3 * LENGTH else line[: 3 * LENGTH] + "..."


def _names(names: list[str]) -> str:
    shown = [name if len(name) <= LENGTH else name[:LENGTH] + "..." for name in names[:NAMES]]
    more = [] if len(names) <= NAMES else [f"and {len(names) - NAMES} more"]
    return ", ".join([*shown, *more])


def _values(values: Mapping[str, Any]) -> str:
    there = {name: value for name, value in values.items() if value is not None}
    return ", ".join(
        f"{name} = {value:.6g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in there.items()
    )


def _trials(inner: _gittins.Study) -> str:
    count, pending = inner.counts()
    under_way = f", {pending} pending" if pending else ""
    return f"{count} trial{'' if count == 1 else 's'}{under_way}"


def _tag(inner: _gittins.Study, cost: float) -> str:
    unit = inner.cost_unit()
    return f"{cost:.6g}{f' {unit}' if unit else ''}"
