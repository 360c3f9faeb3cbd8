"""Candidates in a table, in place of a space."""

from __future__ import annotations

import json
import pickle
import random

import pytest

import gittins
from gittins import Journal, Study, Table, errors

CSV = """name,family,size,price
oak-7,oak,7,0.2
oak-70,oak,70,1.8
elm-8,elm,8,0.25
fir,fir,,0.1
"""


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "models.csv"
    found.write_text(CSV)
    return found


def models():
    return Table(
        {
            "family": ["oak", "oak", "elm", "fir"],
            "size": [7, 70, 8, None],
            "new": [True] * 2 + [False] * 2,
        },
        log=["size"],
    )


def test_a_study_chooses_among_the_rows_and_has_their_values():
    table = models()
    study = Study(table, "maximize", seed=1)
    rows = []
    for _ in range(len(table)):
        ask = study.ask()
        rows.append(table.row_of(ask))
        study.tell(ask, -abs(rows[-1] - 1))
    assert sorted(rows) == [0, 1, 2, 3]
    with pytest.raises(errors.ExhaustedError):
        study.ask()
    best = {"family": "oak", "size": 70, "new": True}
    found = study.recommendation()
    assert found is not None
    assert found.values == best == study.best().values
    # Whole numbers stay whole, flags flags, and what is absent is.
    assert repr(found.values["size"]) == "70"
    assert study.names == ["family", "size", "new"]
    assert study.space == table
    trial = next(one for one in study.trials() if one.values["family"] == "fir")
    assert trial.values == {"family": "fir", "size": None, "new": False}
    assert set(study.record()["size"]) == {7, 70, 8, None}
    assert study.verdict()


def test_what_is_absent_is_not_in_an_ask():
    study = Study(models(), seed=1)
    asks = study.ask_many(4)
    fir = next(ask for ask in asks if ask["family"] == "fir")
    assert dict(fir) == {"family": "fir", "new": False}
    assert fir.point["size"] is None
    assert models().row_of(fir) == 3


def test_the_same_table_comes_from_columns_rows_a_frame_and_a_file(path):
    columns = {"family": ["oak", "oak", "elm", "fir"], "size": [7, 70, 8, None]}
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]

    class Frame(dict):
        @property
        def columns(self):
            return list(self)

    frame = Frame({**columns, "size": [7.0, 70.0, 8.0, float("nan")]})
    table = Table(columns, log=["size"])
    assert table == Table(rows, log=["size"]) == Table(frame, log=["size"])
    assert table == Table.from_csv(path, ["family", "size"], log=["size"])
    whole = Table.from_csv(path)
    assert whole.names == ["name", "family", "size", "price"]
    assert whole.row_of({"name": "elm-8", "family": "elm", "size": 8, "price": 0.25}) == 2


def test_a_frame_of_pandas_is_a_table():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"name": ["a", "b", "c"], "size": [7, 70, None], "new": [True, False, True]}
    )
    table = Table(frame, log=["size"])
    assert table.to_data()["rows"] == [["a", 7.0, True], ["b", 70.0, False], ["c", None, True]]
    assert frame.iloc[table.row_of(Study(table, seed=2).ask())]["name"] in {"a", "b", "c"}


def test_files_of_other_programs_are_read(tmp_path):
    path = tmp_path / "arms.csv"
    for text in [
        "\ufeffname;size\r\na;1,5\r\nb;2\r\n",
        ",name,size\n0,a,1.5\n1,b,2\n",
        "name\tsize\na\t1.5\n\nb\t2e0\n",
        '"name" , size\n"a",1.50\n"b", +2\n',
    ]:
        path.write_text(text, encoding="utf-8", newline="")
        rows = Table.from_csv(path).to_data()["rows"]
        assert rows == [["a", 1.5], ["b", 2]], text


def test_each_row_is_an_arm_of_items():
    table = Table({"name": ["a", "b", "c", "d"], "size": [1, 2, 3, 4]})
    study = Study(table, "maximize", stages={"items": 60}, price=0.01, seed=1)
    while not study.verdict():
        with study.run() as run:
            for batch in run.items:
                good, luck = table.row_of(run.values), random.Random(f"{run.number} {batch}")
                run.report([good + luck.gauss(0, 0.5) for _ in batch], cost=len(batch) / 60)
    assert study.recommendation().values == {"name": "d", "size": 4}
    assert study.total_cost < 4
    assert {trial.values["name"] for trial in study.trials()} <= set("abcd")


def test_the_cost_may_be_that_of_a_column():
    table = Table({"name": ["a", "b"], "price": [2.0, 3.0]})
    study = Study(table, cost=gittins.LinearCost({"price": 2.0}), seed=1)
    for ask in study.ask_many(2):
        study.tell(ask, 0.0)
    assert study.total_cost == 10


def test_a_journal_is_opened_with_its_table_each_time(tmp_path):
    path, table = tmp_path / "study.log", models()
    journal = Journal(path, table, "maximize", seed=1)
    first = journal.ask()
    journal.tell(first, 1.0)
    again = Journal(path, table, "maximize", seed=1)
    assert again.trials()[0].values == first.point
    assert again.ask() != first
    with pytest.raises(errors.InvalidSettingError, match="not in the file: open the study with it"):
        Journal(path)
    with pytest.raises(TypeError, match="open the file with it in each process"):
        pickle.dumps(journal)
    more = Table({"family": ["ash"], "size": [9], "new": [True]}).to_data()["rows"]
    data = table.to_data()
    rows = [dict(zip(data["names"], row)) for row in [*more, *data["rows"]]]
    grown = Journal(path, Table(rows, log=["size"]), "maximize", seed=1)
    assert grown.trials()[0].values == first.point
    assert len({tuple(grown.ask().point.values()) for _ in range(3)}) == 3
    fewer = Journal(path, Table(more and rows[:1], log=["size"]), "maximize")
    assert fewer.left_out
    with pytest.raises(errors.InvalidSettingError, match="the row of trial 0 is not in the table"):
        fewer.ask()
    other = Table({"family": ["oak"], "height": [7]})
    with pytest.raises(errors.InvalidSettingError, match=r"one with family, size, new .* height"):
        Journal(path, other, "maximize")


@pytest.mark.parametrize(
    "values",
    [
        [2**53 + 1, 2**53 + 3],
        [20260101123456789, 20260101123456791],
        [10**18 + 1, 10**18 + 2],
        [2**60 + 1, 0.5],
        ["007", "7"],
    ],
)
def test_values_of_rows_are_those_that_were_given(values):
    table = Table({"a": values, "b": [1, 2]})
    asks = Study(table, seed=1).ask_many(2)
    assert sorted(str(ask["a"]) for ask in asks) == sorted(map(str, values))
    assert {table.row_of(dict(ask)) for ask in asks} == {0, 1}
    assert [type(ask["a"]) for ask in asks] == [type(values[table.row_of(ask)]) for ask in asks]
    study = Study(table, seed=1)
    study.tell(study.ask(), 1.0)
    assert study.trials()[0].values["a"] == study.record()["a"][0] in values
    assert study.enter({"a": values[1], "b": 2}, 0.5) == 1


def test_cells_of_a_file_are_what_it_has(tmp_path):
    path = tmp_path / "arms.csv"
    for text, names in [
        ("a,b\n007,1\n012,2\n", ["007", "012"]),
        ("a\n4.10\n4.1\n", ["4.10", "4.1"]),
        ("a\n12345678901234567890\n12345678901234567891\n", None),
        ("a,b\n12345678901234567890,1\n12345678901234567891,2\n", None),
    ]:
        path.write_text(text)
        wanted = names or [12345678901234567890, 12345678901234567891]
        table = Table.from_csv(path)
        found = [ask["a"] for ask in Study(table, seed=1).ask_many(2)]
        assert sorted(map(str, found)) == sorted(map(str, wanted)), text
    path.write_text("a,b\n007,1\n012,2\n")
    table = Table.from_csv(path)
    assert table.to_data()["rows"] == [[7.0, 1], [12.0, 2]]
    assert table.row_of({"a": "012", "b": 2}) == table.row_of({"a": 12, "b": 2.0}) == 1
    path.write_text("a,b\n4.10,1\n4.1,2\n")
    assert Table.from_csv(path).row_of({"a": "4.10", "b": "1"}) == 0
    path.write_text('"Yield, %";"Temp, C"\n1,5;20\n2,5;30\n')
    assert Table.from_csv(path).names == ["Yield, %", "Temp, C"]


def test_an_odd_cell_makes_no_names_of_numbers(tmp_path):
    path = tmp_path / "arms.csv"
    for cell, value in [("NA", None), ("None", None), ("#N/A", None), ("\u22125", -5)]:
        path.write_text(f"a\n1\n2\n{cell}\n", encoding="utf-8")
        assert Table.from_csv(path).to_data()["rows"] == [[1], [2], [value]]
    for cell in ["$3.5", "1 200", "<0.1", "x", "5%"]:
        path.write_text(f"a\n1\n2\n{cell}\n", encoding="utf-8")
        with pytest.raises(errors.InvalidSettingError, match="line 4, column 'a': expected a num"):
            Table.from_csv(path)
        table = Table.from_csv(path, categorical=["a"])
        assert table.to_data()["rows"] == [["1"], ["2"], [cell]]
    with pytest.raises(errors.UnknownParameterError, match="categorical: no column is named 'b'"):
        Table.from_csv(path, categorical=["b"])


def test_trials_of_elsewhere_are_of_a_row():
    study = Study(models(), seed=1)
    row = {"family": "fir", "new": False}
    assert study.enter(row, 0.5) == 0
    assert study.announce({**row, "family": "elm", "size": 8.0}) == 1
    with pytest.raises(errors.OutOfBoundsError, match="none of the 4 rows has family = elm"):
        study.enter({**row, "family": "elm"}, 0.5)
    with pytest.raises(errors.InvalidSettingError, match="conditions are for spaces"):
        study.ask(where={"family": "elm"})
    first = Study(models(), first=[row], seed=1)
    assert first.ask()["family"] == "fir"


WRONG = {
    "no columns": ({}, "at least one column"),
    "no rows": ({"a": []}, "at least one row"),
    "nothing": (None, "a data frame, got None"),
    "a text": ("abc", "a data frame, got 'abc'"),
    "a list of lists": ([[1, 2]], "a data frame, got"),
    "a number as a column": ({"a": 3}, "column 'a': expected a list of values, got 3"),
    "a set as a column": ({"a": {1, 2}}, "column 'a': expected a list of values, got {1, 2}"),
    "columns of two lengths": ({"a": [1, 2], "b": [1]}, "{'a': 2, 'b': 1}"),
    "texts among numbers": ({"a": [1, "b"]}, "row 1, column 'a': .* got 'b' beside 1"),
    "flags among numbers": ({"a": [True, 1]}, "row 1, column 'a': .* got 1 beside True"),
    "an infinite number": ({"a": [1, float("inf")]}, "row 1, column 'a': expected a finite"),
    "a list as a value": ({"a": [[1], [2]]}, "row 0, column 'a': expected a number, a text"),
    "an empty column": ({"a": [None, None]}, "column 'a': nothing stands in it"),
    "a number as a name": ({1: [1]}, "the name of a column: expected a text, got 1"),
    "rows that agree": ({"a": [1, 2, 1.0]}, "rows 0 and 2 agree in a"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_table_is_said(what):
    given, words = WRONG[what]
    with pytest.raises(errors.GittinsError, match=words):
        Table(given)


def test_what_is_wrong_with_a_log_scale_is_said():
    for log, words in [
        (["a"], "row 0, column 'a': a log scale needs positive numbers, got 0"),
        (["b"], "row 0, column 'b': a log scale needs positive numbers, got 'x'"),
        (["c"], "log: no column is named 'c'; there are"),
        ("a", "log: expected a list of names, got 'a'"),
        (["a", "a"], "log: 'a' is there twice"),
        ([None], "log: expected a text, got None"),
    ]:
        with pytest.raises(errors.GittinsError, match=words):
            Table({"a": [0, 1], "b": ["x", "y"]}, log=log)


def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path):
    path = tmp_path / "arms.csv"
    for text, given, words in [
        ("", {}, "arms.csv: expected a line of names"),
        ("a,b\n", {}, "arms.csv: expected a line of names and a line for each"),
        ("a,b\n1,2\n3\n", {}, "arms.csv: line 3: expected 2 cells, one for each column, got 1"),
        ("a,a\n1,2\n", {}, "arms.csv: two columns are named 'a'"),
        ("a,,b\n1,2,3\n", {}, "arms.csv: column 2 has no name"),
        ("a,b\n1,2\n", {"columns": ["c"]}, "arms.csv: no column is named 'c'; there are"),
        ("a,b\n1,2\n", {"columns": "a"}, "columns: expected a list of names"),
        ("a,b\n1,2\n", {"columns": []}, "expected at least one column"),
        ("a,b\n1,2\n", {"columns": ["b"], "log": ["a"]}, "log: no column is named 'a'"),
        ("a,b\n1,2\n-1,2\n", {"log": ["a"]}, "arms.csv: line 3, column 'a': a log scale .* -1"),
        ("a,b\n1,2\nx,2\n", {"log": ["a"]}, "arms.csv: line 3, column 'a': a log scale .* 'x'"),
        ("a,b\n1,2\n\n1,3\n", {"columns": ["a"]}, "arms.csv: lines 2 and 4 agree in a"),
        ("a,b\n1,\n2,\n", {}, "arms.csv: column 'b': nothing stands in it"),
    ]:
        path.write_text(text)
        with pytest.raises(errors.GittinsError, match=words):
            Table.from_csv(path, **given)
    with pytest.raises(errors.StorageError, match=r"nope.csv: No such file"):
        Table.from_csv(tmp_path / "nope.csv")
    with pytest.raises(errors.InvalidSettingError, match="path of a CSV file, got None"):
        Table.from_csv(None)
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(errors.StorageError, match="UTF-8"):
        Table.from_csv(path)


def test_values_that_no_row_has_are_said():
    table = models()
    for values, words in [
        ({"family": "oak"}, "none of the 4 rows has {'family': 'oak'}"),
        ({"famly": "oak"}, "did you mean 'family'"),
        ({"family": "elmm", "size": 8}, "got 'elmm'; did you mean 'elm'"),
        (3, "expected a dictionary with"),
    ]:
        with pytest.raises(errors.GittinsError, match=words):
            table.row_of(values)
    with pytest.raises(AttributeError, match=r"'iloc'; here it is row_of\(values\)"):
        _ = table.iloc
    with pytest.raises(errors.InvalidSettingError, match=r"as a gittins.Table, got .*\(dict\)"):
        Study({"size": [1, 2]})


def test_its_data_is_what_the_engine_reads():
    data = models().to_data()
    assert json.loads(json.dumps(data)) == data
    assert list(data) == ["names", "rows", "log"]
    assert repr(models()) == "Table(4 rows; family, size, new)"


def test_a_candidate_has_its_label_wherever_it_is_shown(path):
    table = Table.from_csv(path, ["family", "size", "price"])
    study = Study(table, "maximize", seed=3)
    for _ in range(4):
        ask = study.ask()
        assert ask.label == (f"{ask['family']}-{ask['size']}" if ask["size"] else "fir")
        study.tell(ask, ask["price"])
    assert study.best().label == study.recommendation().label == "oak-70"
    assert {trial.label for trial in study.trials} == {"oak-7", "oak-70", "elm-8", "fir"}
    assert "oak-70 (family = oak" in study._repr_html_()
    assert Study(models()).ask().label is None
    named = Table({"size": [1, 2]}, labels=["small", "large"])
    assert Study(named).ask().label in ("small", "large")
    for wrong, words in [(["a"], "2 rows, and 1 labels"), ([1, 2], "a label")]:
        with pytest.raises(errors.GittinsError, match=words):
            Table({"size": [1, 2]}, labels=wrong)
