"""PufferLib: the sweep of a study, told as PufferLib's own loop tells one."""

from __future__ import annotations

import copy
import dataclasses
import functools
import importlib
import math
import pickle
import signal
import sys
from collections import defaultdict

import pytest

import gittins
from gittins import errors
from gittins.pufferlib import GittinsSweep


def one(distribution, low, high, mean=None, scale="auto"):
    found = {"distribution": distribution, "min": low, "max": high, "scale": scale}
    return found if mean is None else {**found, "mean": mean}


STEPS = one("log_normal", 5e7, 1e10, 1e8, "time")
RATE = one("log_normal", 1e-5, 0.1, 0.01, 0.5)

#: Sections of PufferLib 3.0.0, as its configuration has them.
SWEEP = {
    "metric": "score",
    "goal": "maximize",
    "downsample": 10,
    "vec": {"num_envs": one("uniform_pow2", 1, 16, 8)},
    "train": {
        "total_timesteps": STEPS,
        "learning_rate": RATE,
        "gamma": one("logit_normal", 0.8, 0.9999, 0.98),
        "clip_coef": one("uniform", 0.01, 1.0, 0.2),
    },
    "env": {"frameskip": one("int_uniform", 1, 8, 4, 2.0)},
}
#: What a run is known by, its steps aside.
VARIED = {
    "vec": {"num_envs": 8},
    "train": {"learning_rate": 0.01, "gamma": 0.98, "clip_coef": 0.2},
    "env": {"frameskip": 4},
}


def sweep_of(goal="minimize", **train):
    return {"metric": "score", "goal": goal, "train": train}


def score_of(args):
    train = args["train"]
    return -(math.log10(train["learning_rate"] / 2e-3) ** 2) - abs(train["clip_coef"] - 0.3)


def run(sweep, args, parts=3, **failure):
    """Ask for a run, and tell it as PufferLib 3.0.0 does: in parts, with their steps."""
    _, info = sweep.suggest(args)
    steps = args["train"]["total_timesteps"]
    for part in range(1, parts + 1):
        args["train"]["total_timesteps"] = steps * part / parts
        cost = 1.0 + steps / 1e7 * part / parts
        sweep.observe(args, score_of(args) - 1.0 / part, cost, **failure)
    args["train"]["total_timesteps"] = steps
    return info["trial"]


def test_the_sweep_is_a_name_of_the_package():
    assert gittins.GittinsSweep is GittinsSweep
    assert gittins.pufferlib.GittinsSweep is GittinsSweep


def test_each_distribution_is_a_parameter_of_the_study():
    assert GittinsSweep(SWEEP).study.space == (
        gittins.Space()
        .numbers("vec/num_envs", [1, 2, 4, 8, 16])
        .log_float("train/total_timesteps", 5e7, 1e10)
        .log_float("train/learning_rate", 1e-5, 0.1)
        .log_float("1 - train/gamma", 1 - 0.9999, 1 - 0.8)
        .float("train/clip_coef", 0.01, 1.0)
        .int("env/frameskip", 1, 8)
    )


def test_the_first_run_has_the_means_and_the_rest_of_the_configuration_stays():
    args = defaultdict(dict, {"train": {"learning_rate": 1.0, "seed": 3}})
    filled, info = GittinsSweep(SWEEP).suggest(args)
    assert filled is args
    assert args["train"].pop("seed") == 3
    assert args["train"].pop("total_timesteps") == pytest.approx(1e8)
    assert args["train"] == pytest.approx(VARIED["train"])
    assert (args["vec"], args["env"]) == (VARIED["vec"], VARIED["env"])
    assert {type(args["vec"]["num_envs"]), type(args["env"]["frameskip"])} == {int}
    assert info["trial"] == 0
    assert info["why"]


def test_a_mean_outside_the_bounds_is_moved_to_them():
    section = sweep_of(
        rate=one("log_normal", 1e-3, 0.1, 1.0),
        gamma=one("logit_normal", 0.8, 0.99, 0.9999),
        size=one("uniform_pow2", 3, 100, 48),
        depth=one("int_uniform", 1, 8, 3.6),
    )
    train = GittinsSweep(section).suggest()[0]["train"]
    assert train == pytest.approx({"rate": 0.1, "gamma": 0.99, "size": 64, "depth": 4})


def test_without_all_means_a_sweep_begins_in_the_middle():
    section = sweep_of(rate=one("log_normal", 1e-4, 1e-2), part=one("uniform", 0, 1, 0.9))
    assert GittinsSweep(section).suggest()[0]["train"] == pytest.approx({"rate": 1e-3, "part": 0.5})


def test_runs_stay_within_the_bounds():
    sweep, args = GittinsSweep(SWEEP, seed=3), {}
    for _ in range(30):
        run(sweep, args, parts=1)
        assert args["vec"]["num_envs"] in (1, 2, 4, 8, 16)
        assert args["env"]["frameskip"] in range(1, 9)
        for name, section in SWEEP["train"].items():
            slack = 1e-12 * section["max"]
            assert section["min"] - slack <= args["train"][name] <= section["max"] + slack


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_goal_is_the_direction(goal):
    sweep = GittinsSweep(sweep_of(goal, part=one("uniform", 0, 1, 0.5)))
    for _ in range(12):
        part = sweep.suggest()[0]["train"]["part"]
        sweep.observe({"train": {"part": part}}, part, 1.0)
    best = sweep.study.best().values["train/part"]
    assert (best > 0.95) if goal == "maximize" else (best < 0.05)


def test_the_last_of_a_run_is_its_outcome_and_what_came_before_is_a_shorter_one():
    sweep, args = GittinsSweep(SWEEP, seed=1), {}
    trial = run(sweep, args)
    whole, *shorter = sweep.study.trials()
    assert (whole.trial, whole.origin) == (trial, "initial")
    assert whole.outcome == score_of(args) - 1 / 3
    assert whole.cost == 1.0 + args["train"]["total_timesteps"] / 1e7
    # Two thirds are within the bounds of the steps, a third is not.
    (second,) = shorter
    assert (second.origin, second.outcome) == ("imported", score_of(args) - 1 / 2)
    steps = second.values.pop("train/total_timesteps")
    assert steps == pytest.approx(whole.values.pop("train/total_timesteps") * 2 / 3)
    assert second.values == whole.values


def test_a_run_may_be_told_in_any_order():
    sweep = GittinsSweep(SWEEP)
    args, _ = sweep.suggest({})
    for steps, score, cost in [(9e7, 2.0, 9.0), (1.1e8, 3.0, 11.0), (6e7, 1.0, 6.0)]:
        args["train"]["total_timesteps"] = steps
        sweep.observe(args, score, cost)
    told = [(one.outcome, one.cost) for one in sweep.study.trials()]
    assert told == [(3.0, 11.0), (2.0, 9.0), (1.0, 6.0)]


@pytest.mark.parametrize("distribution", [None, "uniform_pow2", "int_uniform"])
def test_if_steps_are_not_searched_on_a_scale_only_the_last_counts(distribution):
    train = {"learning_rate": RATE, "clip_coef": one("uniform", 0.0, 1.0, 0.5)}
    if distribution:
        train["total_timesteps"] = one(distribution, 2**20, 2**28, 2**26)
    sweep = GittinsSweep(sweep_of("maximize", **train))
    args = {"train": {"total_timesteps": 2**26}}
    run(sweep, args)
    assert [one.outcome for one in sweep.study.trials()] == [score_of(args) - 1 / 3]
    # So it is with a run that was not suggested.
    args["train"].update(learning_rate=1e-3)
    for part in (1, 2):
        sweep.observe(args, float(part), float(part))
    assert [one.outcome for one in sweep.study.trials()][1:] == [2.0]


def test_several_runs_at_a_time_are_told_apart():
    sweep, args = GittinsSweep(SWEEP, seed=2), {}
    runs = []
    for _ in range(3):
        info = sweep.suggest(args)[1]
        runs.append((info["trial"], copy.deepcopy(args)))
    for trial, configuration in reversed(runs):
        sweep.observe(configuration, float(trial), 10.0 + trial)
    assert [one.outcome for one in sweep.study.trials()] == [0.0, 1.0, 2.0]


def parts_of(runs, order):
    """The parts of runs in an order: each its trial, its steps and whether it is the end."""
    parts = [[(trial, end * p / 4, p == 4) for p in (1, 2, 3, 4)] for trial, end in runs]
    if order == "one after another":
        return [part for run in parts for part in run]
    if order == "the last run first":
        return [part for run in parts[::-1] for part in run]
    if order == "ends first":
        return [part for run in parts for part in run[::-1]]
    if order == "ends alone":
        return [run[-1] for run in parts]
    return [part for step in zip(*parts) for part in step]


@pytest.mark.parametrize(
    "order",
    ["one after another", "the last run first", "ends first", "ends alone", "in turn"],
)
@pytest.mark.parametrize("seed", range(3))
def test_runs_that_differ_in_their_steps_alone_are_told_apart(order, seed):
    sweep = GittinsSweep({**SWEEP, "sweep_only": "total_timesteps"}, seed=seed)
    runs = []
    for _ in range(4):
        filled, info = sweep.suggest({})
        runs.append((info["trial"], filled["train"]["total_timesteps"]))
    for trial, steps, is_end in parts_of(runs, order):
        args = {"train": {"total_timesteps": steps}}
        sweep.observe(args, float(trial) if is_end else -1.0, steps / 1e7)
    told = [one for one in sweep.study.trials() if one.origin != "imported"]
    assert [(one.state, one.outcome) for one in told] == [("complete", float(n)) for n in range(4)]
    assert [one.cost for one in told] == [end / 1e7 for _, end in runs]


def test_equal_runs_are_told_apart():
    section = sweep_of("maximize", depth=one("int_uniform", 1, 2, 1))
    sweep = GittinsSweep(section, seed=1)
    configuration, _ = sweep.suggest({"train": {"total_timesteps": 1e6}})
    # Somebody else runs the same.
    (run,) = sweep._runs[1.0,]
    sweep._runs[1.0,].append(dataclasses.replace(run, trial=sweep.study.announce(run.point)))
    for score, cost in [(1.0, 9.0), (2.0, 5.0)]:
        sweep.observe(configuration, score, cost)
    told = [(one.outcome, one.cost) for one in sweep.study.trials()]
    assert told == [(1.0, 9.0), (2.0, 5.0)]


def test_a_longer_run_that_was_not_suggested_is_entered():
    sweep = GittinsSweep(SWEEP)
    args, _ = sweep.suggest({})
    sweep.observe(args, 0.5, 10.0)
    args["train"]["total_timesteps"] *= 3
    sweep.observe(args, 0.7, 30.0)
    told = [(one.origin, one.outcome) for one in sweep.study.trials()]
    assert told == [("initial", 0.5), ("imported", 0.7)]


@pytest.mark.parametrize("cost", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, None])
@pytest.mark.parametrize("settings", [{}, {"cost": 2.0}, {"budget": 1e6}])
def test_a_cost_that_is_none_is_not_known(cost, settings):
    sweep, args = GittinsSweep(SWEEP, seed=1, **settings), {}
    for turn in range(4):
        sweep.suggest(args)
        sweep.observe(args, float(turn), cost)
    args["train"]["total_timesteps"] *= 1.05
    sweep.observe(args, 9.0, cost)
    whole = [one for one in sweep.study.trials() if one.origin != "imported"]
    assert [one.outcome for one in whole] == [0.0, 1.0, 2.0, 9.0]
    assert {one.cost for one in whole} == {settings.get("cost")}
    run(sweep, args)
    assert sweep.study.trials()[-1].cost > 0.0


def test_costs_of_zero_count_with_a_floor():
    sweep, args = GittinsSweep(SWEEP, cost_floor=0.5), {}
    sweep.suggest(args)
    sweep.observe(args, 1.0, 0)
    assert sweep.study.trials()[0].cost == 0.0


def test_failures_are_told_as_failures():
    sweep, args = GittinsSweep(SWEEP, seed=1), {}
    for score, cost, is_failure in [(0, 0, True), (0.5, 7.0, True), (math.nan, 8.0, False)]:
        sweep.suggest(args)
        sweep.observe(args, score, cost, is_failure=is_failure)
    told = [(one.state, one.outcome, one.cost) for one in sweep.study.trials()]
    assert told == [("failed", None, None), ("failed", None, 7.0), ("failed", None, 8.0)]


def test_a_run_that_broke_at_its_end_stays_failed():
    sweep = GittinsSweep(SWEEP)
    args, _ = sweep.suggest({})
    # The end comes first then.
    for steps, score, cost in [(1e8, math.inf, 10.0), (6e7, 1.0, 6.0), (8e7, 2.0, 8.0)]:
        args["train"]["total_timesteps"] = steps
        sweep.observe(args, score, cost)
    told = [(one.state, one.outcome) for one in sweep.study.trials()]
    assert told == [("failed", None), ("complete", 1.0), ("complete", 2.0)]
    args, _ = sweep.suggest({})
    sweep.observe(args, 1.0, 5.0)
    sweep.observe(args, 1.0, 6.0, is_failure=True)
    assert [one.state for one in sweep.study.trials()][3:] == ["failed", "complete"]


def test_a_run_that_was_not_suggested_is_entered(caplog):
    sweep = GittinsSweep(SWEEP)
    args = copy.deepcopy(VARIED)
    args["train"]["total_timesteps"] = 2e8
    sweep.observe(args, 0.5, 20.0)
    (entered,) = sweep.study.trials()
    assert (entered.origin, entered.outcome, entered.cost) == ("imported", 0.5, 20.0)
    assert not caplog.records
    # Such as one with the defaults.
    args["train"]["total_timesteps"] = 1e7
    sweep.observe(args, 0.5, 2.0)
    assert len(sweep.study.trials()) == 1
    assert "a run is left out of the study, it is no point of the sweep" in caplog.text
    assert "'train/total_timesteps': 10000000.0" in caplog.text


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    sweep = GittinsSweep(SWEEP)
    args, _ = sweep.suggest({})
    args["train"]["total_timesteps"] = numpy.float64(9e7)
    sweep.observe(args, numpy.float32(0.5), numpy.float64(9.0))
    args["train"]["total_timesteps"] = numpy.float64(1e8)
    sweep.observe(args, numpy.float32(numpy.nan), numpy.int64(10))
    assert [one.state for one in sweep.study.trials()] == ["failed", "complete"]


def test_a_sweep_in_a_file_goes_on_where_it_ended(tmp_path):
    path, args = tmp_path / "sweep.journal", {}
    sweep = GittinsSweep(SWEEP, path, seed=1)
    for _ in range(3):
        run(sweep, args)
    before = sweep.study.trials()
    again = GittinsSweep(SWEEP, path, seed=1)
    assert again.study.trials() == before
    # Each of two processes has a run of its own.
    numbers = [one.suggest(copy.deepcopy(args))[1]["trial"] for one in (again, sweep)]
    assert numbers == [len(before), len(before) + 1]
    with pytest.raises(errors.GittinsError):
        GittinsSweep(sweep_of(learning_rate=RATE), path)


def test_a_study_that_stops_ends_the_program(caplog):
    for settings in ({"n_trials": 4}, {"budget": 40.0}):
        sweep, args = GittinsSweep(SWEEP, **settings), {}
        runs = (run(sweep, args) for _ in range(20))
        with pytest.raises(SystemExit) as caught:
            list(runs)
        assert caught.value.code == 0
        assert sweep.study.verdict()
        assert f"the sweep ends: {sweep.study.verdict().words}" in caplog.text
        # Shorter runs are not counted.
        chosen = [one for one in sweep.study.trials() if one.origin != "imported"]
        assert len(chosen) == 4 if "n_trials" in settings else len(chosen) < 20


def test_a_larger_budget_goes_on_with_a_file_that_ended(tmp_path):
    args, counts = {}, []
    for budget in (100.0, 200.0):
        sweep = GittinsSweep(SWEEP, tmp_path / "sweep.journal", budget=budget)
        runs = (run(sweep, args, parts=10) for _ in range(50))
        with pytest.raises(SystemExit):
            list(runs)
        counts.append(len(sweep.study.trials()))
    assert 0 < counts[0] < counts[1]


def test_a_sweep_of_which_all_was_tried_ends(caplog):
    section = sweep_of(depth=one("int_uniform", 1, 3, 2))
    sweep = GittinsSweep(section, incumbent="best_outcome")
    for _ in range(3):
        args, _ = sweep.suggest()
        sweep.observe(args, 1.0, 1.0)
    with pytest.raises(SystemExit):
        sweep.suggest()
    assert "the sweep ends: stop: all 3 settings were evaluated" in caplog.text


def test_the_steps_may_be_fixed():
    sweep, args = GittinsSweep(SWEEP), {}
    for fixed, steps in [(2e8, 2e8), (1e10 * (1 + 1e-15), 1e10)]:
        sweep.suggest(args, fixed_total_timesteps=fixed)
        assert args["train"]["total_timesteps"] == pytest.approx(steps)
    without = GittinsSweep(sweep_of(learning_rate=RATE))
    assert set(without.suggest(fixed_total_timesteps=2e8)[0]["train"]) == {"learning_rate"}


def test_only_what_is_named_is_swept():
    sweep = GittinsSweep({**SWEEP, "sweep_only": "learning_rate, gamma", "max_runs": 5})
    assert sweep.study.names == ["train/learning_rate", "1 - train/gamma"]


def test_a_loss_that_is_nan_stops_a_run_in_another_process():
    sweep = GittinsSweep(SWEEP)
    there = pickle.loads(pickle.dumps(sweep))
    for logs, stops in [
        ({"loss/policy": 1.0, "env/score": math.nan}, False),
        ({"loss/policy": math.nan}, True),
        ({"loss": {"value": math.nan}}, True),
        ({"loss": {"value": 0.5}}, False),
    ]:
        assert there.early_stop(logs, "env/score") is stops
        assert logs.get("is_loss_nan", False) is stops
    with pytest.raises(errors.InvalidSettingError, match="study: it stays with the sweep"):
        there.suggest({})
    sweep.suggest({})


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (None, r"sweep: expected the section \[sweep\] as a dictionary, got None"),
        ({"train": {"rate": RATE}}, "sweep: goal: expected 'maximize' or 'minimize', got None"),
        (sweep_of("maximise", rate=RATE), "did you mean 'maximize'"),
        (sweep_of(rate={"min": 1, "max": 2}), "sweep: train/rate: expected distribution, min and"),
        (sweep_of(rate=one("normal", 0, 1)), "sweep: train/rate: distribution: expected 'uniform'"),
        (sweep_of(rate=one("lognormal", 1, 2)), "did you mean 'log_normal'"),
        (sweep_of(rate=one("uniform", 2, 1)), "train/rate: expected a min of at most max, got 2"),
        (sweep_of(rate=one("uniform", "a", 1)), "sweep: train/rate: min: expected a number"),
        (sweep_of(rate=one("log_normal", 0, 1)), "train/rate: min: expected a number above 0"),
        (sweep_of(size=one("uniform_pow2", -2, 1)), "train/size: min: expected a number above 0"),
        (sweep_of(size=one("uniform_pow2", 5, 7)), "train/size: no power of two is from 5 to 7"),
        (sweep_of(gamma=one("logit_normal", 0.5, 1.0)), "train/gamma: max: expected a number bel"),
        (sweep_of(depth=one("int_uniform", 0.5, 3)), "train/depth: min: expected a whole number"),
        (sweep_of(rate=one("uniform", 0, 1, "auto")), "train/rate: mean: expected a number"),
        (sweep_of(rate=one("uniform", 0, math.inf)), "train/rate: max: expected a finite number"),
        (sweep_of(rate=RATE, size=32), "sweep: train/size: expected distribution, min and max"),
    ],
)
def test_a_section_says_what_is_wrong_with_it(section, words):
    with pytest.raises(errors.GittinsError, match=words):
        GittinsSweep(section)


def test_a_section_without_parameters_is_refused():
    with pytest.raises(errors.GittinsError):
        GittinsSweep({"metric": "score", "goal": "maximize", "downsample": 10})


def test_a_setting_that_is_not_there_is_answered():
    with pytest.raises(TypeError, match=r"GittinsSweep: 'max_cost' is no setting; .*'budget'"):
        GittinsSweep(SWEEP, max_cost=3600)
    with pytest.raises(TypeError, match="GittinsSweep: 'stages' is no setting"):
        GittinsSweep(SWEEP, stages={"epochs": 27})
    with pytest.raises(errors.InvalidSettingError, match="price"):
        GittinsSweep(SWEEP, price=-1.0)


def test_what_is_told_wrongly_is_said():
    sweep = GittinsSweep(SWEEP)
    args, _ = sweep.suggest({})
    for score, cost, words in [
        (0.5, "1 s", "cost: expected a number, got '1 s'"),
        ("high", 1.0, "score: expected a number, got 'high'"),
        (None, 1.0, "score: expected a number, got None"),
    ]:
        with pytest.raises(errors.GittinsError, match=words):
            sweep.observe(args, score, cost)
    for wrong, words in [
        ({"train": args["train"]}, "hypers: vec/num_envs is missing"),
        ({**args, "env": {}}, "hypers: env/frameskip is missing"),
        ({**args, "env": {"frameskip": "auto"}}, "hypers: env/frameskip: expected a number"),
        (None, "hypers: vec/num_envs is missing"),
    ]:
        with pytest.raises(errors.InvalidSettingError, match=words):
            sweep.observe(wrong, 0.5, 1.0)
    # Nothing of it was told.
    sweep.observe(args, 0.5, 1.0)
    assert [one.outcome for one in sweep.study.trials()] == [0.5]


@pytest.fixture
def pufferl(monkeypatch, tmp_path):
    """PufferLib 3 itself. It brings torch and compiles kernels, so CI does not install it."""
    pytest.importorskip("torch", reason="PufferLib is not here: it needs torch")
    # Its import makes a link in this folder, and lets an interrupt end the process.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["puffer"])
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        found = pytest.importorskip("pufferlib.pufferl", reason="PufferLib is not here")
    finally:
        signal.signal(signal.SIGINT, interrupted)
    if not hasattr(importlib.import_module("pufferlib.sweep"), "Protein"):
        pytest.skip("this PufferLib has no Protein")
    return found


def test_the_configurations_of_pufferlib_are_read(pufferl):
    section = pufferl.load_config("default")["sweep"]
    theirs = importlib.import_module("pufferlib.sweep").Hyperparameters(section, verbose=False)
    sweep = GittinsSweep(section)
    args, _ = sweep.suggest(pufferl.load_config("default"))
    # Its own first run.
    own = theirs.to_dict(theirs.search_centers)
    for section in own:
        for name, value in own[section].items():
            assert args[section][name] == pytest.approx(value), name
    assert len(sweep.study.names) == theirs.num


def test_the_loop_of_pufferlib_runs_a_sweep_by_its_name(pufferl, monkeypatch):
    made, configurations = [], []

    def train(env_name, args):
        configurations.append(copy.deepcopy(args["train"]))
        steps = args["train"]["total_timesteps"]
        rate = math.log10(args["train"]["learning_rate"])
        return [
            {
                "environment/score": -((rate + 3.0) ** 2) - 1.0 / part,
                "uptime": steps / 1e6 * part / 41,
                "agent_steps": steps * part / 41,
            }
            for part in range(10, 42)
        ]

    class Kept(GittinsSweep):
        def __init__(self, *given, **settings):
            super().__init__(*given, **settings)
            made.append(self)

    sweeps = importlib.import_module("pufferlib.sweep")
    kept = functools.partial(Kept, seed=1)
    monkeypatch.setattr(sweeps, "GittinsSweep", kept, raising=False)
    monkeypatch.setattr(pufferl, "train", train)
    flags = ["--wandb", "--max-runs", "9", "--sweep.method", "GittinsSweep"]
    monkeypatch.setattr(sys, "argv", ["puffer", "sweep", "default", *flags])
    pufferl.main()
    (sweep,) = made
    runs = [one for one in sweep.study.trials() if one.origin != "imported"]
    assert len(runs) == len(configurations) == 9
    for told, train in zip(runs, configurations):
        assert told.state == "complete"
        assert told.values["train/learning_rate"] == train["learning_rate"]
        assert told.cost == pytest.approx(train["total_timesteps"] / 1e6)
    assert len(sweep.study.trials()) > 3 * len(runs)
