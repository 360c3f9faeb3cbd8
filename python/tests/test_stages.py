"""Trials that are paid for in stages."""

from __future__ import annotations

import doctest
import json
import math
import multiprocessing
import pathlib
import pickle
import re

import pytest

import gittins
import gittins.study
from gittins import errors


def space():
    return gittins.Space().log_float("rate", 1e-4, 1.0).choice("kind", ["a", 3])


def loss(run, until):
    return abs(run["rate"] - 0.01) ** 0.5 + (run["kind"] == 3) * 0.1 + 0.5 / until


def follow(study, turns):
    for _ in range(turns):
        with study.run() as run:
            for until in run:
                run.report(loss(run, until), cost=until - run.progress)


def test_the_documentation_is_true():
    assert doctest.testmod(gittins.study).failed == 0


def test_a_study_is_followed_to_its_stop():
    study = gittins.Study(
        space(), stages={"epochs": 27, "reports": [3, 9, 27]}, budget=400.0, seed=3
    )
    while not study.verdict():
        follow(study, 1)
    best, runs = study.best(), study.trials()
    assert best.outcome == min(run.outcome for run in runs if run.outcome is not None)
    assert best.outcome < 0.2
    assert best.progress == 27.0
    assert {run.state for run in runs} <= {"complete", "paused"}
    assert study.total_cost == pytest.approx(sum(run.cost for run in runs))
    assert study.total_cost <= 427.0
    assert type(best.values["kind"]) in (str, int)
    assert "budget" in str(study.verdict())


def test_ask_and_report():
    study = gittins.Study(
        space(), stages={"epochs": 27, "reports": [3, 9, 27], "resumable": False}, initial=2
    )
    kinds = set()
    for _ in range(12):
        ask = study.ask()
        assert (ask.resume, ask.until) == (None, 3.0)
        assert set(ask) == {"rate", "kind"}
        advice = study.report(ask, ask.until, loss(ask, ask.until), cost=3.0)
        while advice:
            advice = study.report(ask.trial, advice.until, loss(ask, advice.until), cost=1.0)
        kinds.add(advice.kind)
    assert kinds <= {"abandon", "done"}
    assert str(gittins.Advice("continue", 9.0)) == "continue until 9"
    assert not gittins.Advice("pause")


def test_what_becomes_of_a_run_that_is_left():
    study = gittins.Study(space(), stages={"epochs": 9})

    class BrokenError(Exception):
        pass

    with pytest.raises(BrokenError), study.run():
        raise BrokenError
    assert study.trials()[0].state == "failed"
    assert study.trials()[0].cost > 0.0
    with pytest.raises(KeyboardInterrupt), study.run():
        raise KeyboardInterrupt
    assert study.trials()[1].state == "withdrawn"
    with study.run() as run:
        for until in run:
            run.report(loss(run, until))
            break
    assert study.trials()[2].state == "paused"
    assert study.trials()[2].reports[0].cost > 0.0
    with study.run() as run:
        stages = iter(run)
        next(stages)
        with pytest.raises(errors.InvalidSettingError, match=r"call report\(outcome\) at 1"):
            next(stages)
        run.report(0.5, cost=1.0)
        with pytest.raises(errors.InvalidSettingError, match="told to pause"):
            run.report(0.5, cost=1.0)


def test_a_study_takes_the_run_itself():
    study = gittins.Study(space(), stages={"total": 9, "reports": [3, 9]}, initial=3)
    with study.run() as run:
        for until in run:
            advice = study.report(run, until, 0.5, cost=3.0)
            assert run.advice == advice
            assert run.progress == until
    assert study.trials[0].state == "paused"
    with study.run() as run:
        for _ in run:
            study.tell(run, failed=True, cost=2.0)
        with pytest.raises(errors.InvalidSettingError, match="trial 1: it ended, and takes no"):
            run.report(0.5)
    assert (study.trials[1].state, study.trials[1].cost) == ("failed", 2.0)
    with study.run() as run:
        study.withdraw(run)
    assert study.trials[2].state == "withdrawn"
    follow(study, 8)
    run = study.run()
    study.report(run, run.ask.until, 0.4, cost=3.0)
    assert study.forecast_end(run) == study.forecast_end(run.number)
    study.correct(run, 0.3)
    assert study.trials[run.number].reports[-1].outcome == 0.3


def test_what_a_run_had_may_count():
    study = gittins.Study(
        space(), stages={"total": 9, "reports": [3, 9], "any_stage_counts": True}, initial=3
    )
    assert study.forecast_end(study.ask()) is None
    for outcome in (0.5, 0.2, 0.7, 0.4, 0.6, 0.9):
        ask = study.ask()
        study.report(ask, ask.until, outcome, cost=3.0)
    assert study.best().reports[0].outcome == 0.2
    assert study.best_report() == gittins.Report(3.0, 0.2, 3.0)
    left = next(run for run in study.trials() if run.state == "paused")
    forecast = study.forecast_end(left)
    assert str(forecast).startswith("expected ")
    assert forecast.cost == pytest.approx(6.0, rel=0.5)
    assert forecast.sd > 0.0


def test_one_seed_fixes_a_study():
    studies = [gittins.Study(space(), stages={"total": 1.0}, seed=5) for _ in range(2)]
    for study in studies:
        follow(study, 20)
    assert studies[0].trials() == studies[1].trials()


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ({}, r"expected \{'epochs': 27\}, \{'folds': 5\}, \{'items': 800\} or .*, got \{\}"),
        ({"folds": 5, "items": 3}, "expected {'epochs': 27}"),
        ({"items": 0}, "stages: items: expected a whole number"),
        ({"items": 9, "reports": [1.5]}, "expected a whole number of items, got 1.5"),
        (27, r"stages: expected \{'epochs': 27\}.*, got 27"),
        ({"epochs": 27, "total": 3.0}, "expected {'epochs': 27}"),
        ({"epochs": 27, "folds": 3}, "expected {'epochs': 27}"),
        ({"folds": 0}, "stages: folds: expected a whole number"),
        ({"folds": 5, "reports": [1, 3]}, "reports: each fold is a report"),
        ({"folds": 5, "any_stage_counts": True}, "any_stage_counts"),
        ({"folds": 5, "repeats": True}, "repeats"),
        ({"epochs": 5, "repeats": 1}, "repeats: expected True or False"),
        ({"epochs": 0}, "epochs: expected a whole number"),
        ({"epochs": 2.5}, "epochs: expected a whole number"),
        ({"total": -1}, "total: expected a number above 0"),
        ({"total": 9, "reports": [3, 2]}, "report 2: expected a progress above 3"),
        ({"total": 9, "reports": ["3"]}, "reports: expected a number"),
        ({"total": 9, "reports": 3}, "reports: expected a list of numbers, got 3"),
        ({"total": 9, "resumable": None}, "resumable: expected True or False"),
        ({"total": 9, "report": [3]}, "unknown key 'report'; .*did you mean 'reports'"),
    ],
)
def test_mistakes_in_stages_are_named(stages, words):
    with pytest.raises(errors.GittinsError, match=words):
        gittins.Study(space(), stages=stages)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"price": 0}, "price"),
        ({"budget": float("nan")}, "budget: expected a finite number"),
        ({"initial": 0}, "initial: expected at least one trial"),
        ({"policy": "ei"}, 'policy: expected "gittins" with a price'),
        ({"cost": 2.0}, "cost: expected .learned.: reports tell what a stage cost"),
        ({"objectives": {"size": "minimize"}}, "objectives: expected none"),
        ({"n_trials": 9}, "n_trials: in stages price=, budget= or stop= ends a study"),
        ({"stop": "stal"}, "stal"),
    ],
)
def test_what_makes_no_sense_in_stages_is_named(settings, words):
    with pytest.raises(errors.GittinsError, match=words):
        gittins.Study(space(), stages={"epochs": 9}, **settings)


def test_calls_of_stages_are_refused_without_them():
    study = gittins.Study(space())
    assert not study.has_stages
    with pytest.raises(errors.InvalidSettingError, match="this study has no stages"):
        study.run()
    ask = study.ask()
    assert (ask.resume, ask.until) == (None, 1.0)
    with pytest.raises(errors.InvalidSettingError, match="this study has no stages"):
        study.report(ask, 1.0, 0.5, cost=1.0)
    assert study.best_report() is None


def test_limits_hold_at_the_end_of_a_trial():
    limits = {"size": {"at_most": 1.0}}
    study = gittins.Study(space(), stages=gittins.Stages(epochs=9), limits=limits, initial=3)
    for size in (2.0, 0.5):
        ask = study.ask()
        study.tell(ask, 0.5 * size, cost=9.0, measured={"size": size})
    assert study.best().measured == {"size": 0.5}
    assert study.best().reports == [gittins.Report(9.0, 0.25, 9.0)]


def test_the_page_has_each_setting():
    page = pathlib.Path(__file__).parents[2] / "docs" / "stages.md"
    if not page.exists():
        pytest.skip("the pages of the repository are not here")
    cells = [row.rsplit("|", 2)[1] for row in page.read_text().splitlines() if row[:2] == "| "]
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert set(gittins.Stages.__annotations__) <= named


def test_wrong_reports_change_nothing():
    study = gittins.Study(space(), stages={"total": 9, "reports": [3, 9]})
    ask = study.ask()
    for progress, outcome, cost, error in [
        (0.0, 1.0, 1.0, errors.InvalidSettingError),
        (10.0, 1.0, 1.0, errors.InvalidSettingError),
        (3.0, float("nan"), 1.0, errors.NonFiniteError),
        (3.0, 1.0, -1.0, errors.NonPositiveCostError),
        (3.0, None, 1.0, errors.InvalidSettingError),
    ]:
        with pytest.raises(error):
            study.report(ask, progress, outcome, cost=cost)
    with pytest.raises(errors.UnknownTrialError):
        study.report(7, 3.0, 1.0, cost=1.0)
    assert study.trials()[0].reports == []
    assert study.report(ask, 3, 1, cost=1).kind == "pause"


def work(path):
    follow(gittins.Journal(path), 8)


def test_a_file_is_shared(tmp_path):
    path = tmp_path / "stages.log"
    journal = gittins.Journal(
        path, space(), stages={"epochs": 27, "reports": [3, 9, 27]}, initial=4
    )
    processes = [
        multiprocessing.get_context("spawn").Process(target=work, args=(path,)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    follow(journal, 4)
    for process in processes:
        process.join()
        assert process.exitcode == 0
    journal.sync()
    again = gittins.Journal(path)
    assert again.trials() == journal.trials()
    assert sum(len(run.reports) for run in again.trials()) >= 20
    assert again.space.to_data() == space().to_data()
    reports = [line for line in path.read_text().splitlines() if json.loads(line)["op_code"] == 7]
    assert len(reports) == sum(len(run.reports) for run in again.trials())
    with pytest.raises(errors.InvalidSettingError, match="without a space"):
        gittins.Journal(path, seed=3)
    with pytest.raises(errors.InvalidSettingError, match="the total of the stages"):
        gittins.Journal(path, space())


def test_a_run_is_the_mean_of_its_folds():
    """A fold is reported by its own outcome, and most settings are left after some of them."""
    study = gittins.Study(space(), stages={"folds": 4}, budget=120.0, seed=1)
    hard = [0.3, 0.0, 0.6, 0.1]

    def error(rate: float, fold: int) -> float:
        return (math.log10(rate) + 2) ** 2 + hard[fold]

    while not study.verdict():
        with study.run() as run:
            for until in run:
                run.report(error(run["rate"], round(until) - 1), cost=1.0)
    best = study.best()
    assert best.outcome == pytest.approx(0.25, abs=2e-3)
    ended = [run for run in study.trials() if run.state == "complete"]
    assert 0 < len(ended) < len(study.trials()) / 2
    with pytest.raises(gittins.GittinsError, match="expected its fold 1, got progress 2"):
        study.report(study.ask(), 2, 0.1, cost=1.0)


@pytest.mark.parametrize("kind", ["alone", "in a file"])
def test_items_are_judged_in_batches_and_a_good_arm_is_found(kind, tmp_path):
    right = {"a": 0.3, "b": 0.6, "c": 0.9, "d": 0.5}
    arms = gittins.Space().choice("arm", list(right))
    settings = {"direction": "maximize", "stages": {"items": 200}, "budget": 200.0, "seed": 1}
    path = tmp_path / "items.journal"
    study = (
        gittins.Study(arms, **settings)
        if kind == "alone"
        else gittins.Journal(path, arms, **settings)
    )
    seen: dict[int, list[int]] = {}
    while not study.verdict():
        with study.run() as run:
            for batch in run.items:
                seen.setdefault(run.number, []).extend(batch)
                answers = [item * 7 % 10 < 10 * right[run["arm"]] for item in batch]
                run.report(answers, cost=float(len(batch)))
    if kind == "in a file":
        study = gittins.Journal(path)
    found = study.recommendation()
    assert found is not None
    assert found.values == {"arm": "c"}
    assert found.mean == pytest.approx(0.9, abs=0.1)
    assert study.total_cost <= 200.0
    # All see the same items in the same order, and none twice.
    longest = max(seen.values(), key=len)
    assert all(items == longest[: len(items)] for items in seen.values())
    assert len(set(longest)) == len(longest) < 200
    for run in study.trials():
        assert run.reports[-1].progress == len(seen[run.trial])


def test_what_is_no_batch_of_items_is_said():
    np = pytest.importorskip("numpy")
    study = gittins.Study(space(), stages={"items": 50}, budget=9.0, seed=1)
    with study.run() as run:
        for batch in run.items:
            for outcomes, words in [
                ([1.0], "expected 2 outcomes, one for each item, got 1"),
                ([], "expected 2 outcomes, one for each item, got 0"),
                (["yes", 0], "trial 0: an outcome: expected a number, got 'yes'"),
                ([1.0, math.nan], "an outcome: expected a finite number"),
                ("11", "expected a number"),
                ({1.0, 0.0}, "the outcome: expected a number, got {"),
                (b"11", "expected a number"),
                ({batch[0]: 1.0}, f"trial 0: item {batch[1]} has no outcome"),
                ({**dict.fromkeys(batch, 1.0), 50: 1.0}, "item 50 is none of this stage"),
                (dict.fromkeys(map(str, batch), 1.0), "an item: expected a whole number, got '"),
                (None, "expected a number"),
            ]:
                with pytest.raises(gittins.GittinsError, match=words):
                    run.report(outcomes)
            assert len(batch) == 2
            run.report(np.array([True, False]), cost=1.0)
            break
    assert study.trials()[0].reports[0].outcome == 0.5
    with study.run() as run:
        batch = next(run.items)
        outcomes = {np.int64(item): item == batch[0] for item in batch[::-1]}
        run.report(outcomes, cost=1.0)
    assert study.trials()[run.number].reports[-1].outcome == 1 / len(batch)
    with study.run() as run:
        next(iter(run))
        run.report(np.float64(0.25), cost=1.0)
    study = gittins.Study(space(), stages={"epochs": 9}, budget=9.0)
    with study.run() as run:
        with pytest.raises(gittins.GittinsError, match=r"this study has no stages=\{'items'"):
            run.items  # noqa: B018
        with pytest.raises(gittins.GittinsError, match=r"the outcome: expected a number, got {1"):
            run.report({1: 2.0})


def test_a_study_in_a_file_is_pickled_as_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = gittins.Space().log_float("rate", 1e-4, 1.0)
    study = gittins.Journal(
        "journal", space, "maximize", stages={"epochs": 9}, name="s", budget=5.0
    )
    kept = pickle.dumps(study)
    ask = study.ask()
    study.report(ask, ask.until, 1.0, cost=1.0)
    # The path holds from any folder, and what was told since is there.
    monkeypatch.chdir("/")
    again = pickle.loads(kept)
    assert again.direction == "maximize"
    assert again.trials() == study.trials()


def test_a_report_is_corrected_and_whole_runs_are_entered():
    study = gittins.Study(space(), stages={"total": 9.0, "reports": [3.0]}, initial=3, seed=2)
    follow(study, 6)
    spent = study.total_cost
    run = study.enter({"rate": 0.01, "kind": "a"}, -2.0, cost=40.0)
    assert study.best().trial == run
    assert study.total_cost == spent + 40.0
    study.correct(run, 0.9)
    assert [report.outcome for report in study.trials()[run].reports] == [0.9]
    broken = study.enter({"rate": 0.5, "kind": 3}, failed=True)
    assert study.trials()[broken].state == "failed"
    with pytest.raises(errors.InvalidSettingError, match=f"run {broken}|trial {broken}"):
        study.correct(broken, 1.0)
    with pytest.raises(errors.InvalidSettingError, match="expected an outcome"):
        study.enter({"rate": 0.5, "kind": 3})
    with pytest.raises(errors.NonFiniteError):
        study.correct(run, float("nan"))
    study.verdict()


def test_a_rule_ends_a_study_in_place_of_a_price():
    study = gittins.Study(
        space(),
        stages={"total": 9.0, "reports": [3.0]},
        initial=3,
        seed=2,
        stop={"name": "stall", "window": 3},
    )
    turns = 0
    while not study.verdict():
        follow(study, 1)
        turns += 1
        assert turns < 300
    assert study.verdict().rule == "no new best"
