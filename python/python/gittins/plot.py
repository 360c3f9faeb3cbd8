"""Pictures of what a study did. They need matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gittins.study import Study

__all__ = ["costs", "progress"]


def progress(study: Study, axes: Any = None) -> Any:
    """Draw the outcomes, and the best so far, against the cost of all trials up to each.

    Without costs the number of trials takes their place. Returns the axes.

    Raises:
        ImportError: matplotlib is not there.
    """
    axes = _axes(axes)
    record = study.record()
    told = [row for row in range(record.rows) if record["told"][row] is not None]
    told.sort(key=lambda row: record["told"][row])
    total, spent, best = 0.0, [], []
    for row in told:
        total += 1.0 if record["cost"][row] is None else record["cost"][row]
        spent.append(total)
        best.append(record["best"][row])
    points = [(x, record["outcome"][row]) for x, row in zip(spent, told)]
    complete = [point for point in points if point[1] is not None]
    if complete:
        axes.plot(*zip(*complete), ".", color="0.6", label="trials")
    axes.step(spent, best, where="post", label="best so far")
    axes.set_xlabel("cost")
    axes.set_ylabel("outcome")
    axes.legend()
    return axes


def costs(study: Study, axes: Any = None) -> Any:
    """Draw what suggested trials cost against what they were expected to cost. Returns the axes.

    Raises:
        ImportError: matplotlib is not there.
    """
    axes = _axes(axes)
    record = study.record()
    pairs = [
        (expected, cost)
        for expected, cost in zip(record["expected_cost"], record["cost"])
        if expected is not None and cost is not None
    ]
    if pairs:
        axes.plot(*zip(*pairs), ".")
        ends = [min(map(min, pairs)), max(map(max, pairs))]
        axes.plot(ends, ends, color="0.6")
    axes.set_xlabel("expected cost")
    axes.set_ylabel("cost")
    return axes


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots()[1]
