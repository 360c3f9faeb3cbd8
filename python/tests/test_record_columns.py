"""The columns of a record, whatever parameters and measured numbers are called."""

from __future__ import annotations

import gittins


def test_no_two_columns_have_one_name():
    names = ["cost", "parameter cost", "measured ms", "ms (s)", "trial"]
    space = gittins.Space()
    for name in names:
        space = space.float(name, 0.0, 1.0)
    study = gittins.Study(
        space, limits={"ms": {"at_most": 3.0}}, objectives={"size": "minimize"}, initial=2
    )
    ask = study.ask()
    study.tell(ask, 0.5, measured={"ms": 1.0, "size": 2.0})
    record = study.record()
    for name in names:
        prefix = "parameter " if name != "ms (s)" else ""
        assert record[f"{prefix}{name}"] == [ask[name]]
    assert record["cost"] == [1.0]
    assert (record["ms"], record["size"]) == ([1.0], [2.0])
