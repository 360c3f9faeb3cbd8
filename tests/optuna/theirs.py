"""We read what Optuna writes, and go on with it."""

import json
import math
import random
import re
import time

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import TrialState, create_trial

from peer import as_ours, floats, load, opened, resumed, same, seen, storage

MIXED = ["adam", True, None, 3, 2.5, False, "3 "]

DISTRIBUTIONS = {
    "rate": FloatDistribution(1e-5, 1.0, log=True),
    "float": FloatDistribution(-3.0, 4.5),
    "halves": FloatDistribution(0.0, 10.0, step=0.5),
    "whole steps": FloatDistribution(0.0, 8.0, step=1.0),
    "int": IntDistribution(-4, 9),
    "odd": IntDistribution(1, 9, step=2),
    "log int": IntDistribution(1, 4096, log=True),
    "one float": FloatDistribution(0.5, 0.5),
    "one int": IntDistribution(3, 3),
    "one name": CategoricalDistribution(["only"]),
    "one number": CategoricalDistribution([7]),
    "names": CategoricalDistribution(["a", 'b "c" \\', "学習"]),
    "mixed": CategoricalDistribution(MIXED),
    "flag": CategoricalDistribution([False, True]),
    "flag, turned": CategoricalDistribution([True, False]),
    "numbers": CategoricalDistribution([16, 32, 64]),
    "halved": CategoricalDistribution([0.5, 0.25]),
    "nothing or a name": CategoricalDistribution([None, "x"]),
    "limits": CategoricalDistribution([1.5, math.inf, -math.inf, math.nan]),
}

ATTRIBUTES = {
    "text": 'a "b" \\ \n 学習 🍞',
    "nested": {"a": [1, 2.5, None, True, {"b": []}], "": {}},
    "numbers that JSON does not have": [math.nan, math.inf, -math.inf],
    "long": 10**40,
    "a file's name": b"\xff\xfe".decode("utf-8", "surrogateescape"),
    "deep": json.loads("[" * 300 + "]" * 300),
    "NaN, Infinity": "-Infinity",
    "cost of others": {"cost": 1},
}


def value_of(name, params):
    """The value as we have it: what is neither a number nor a flag is a name."""
    value = params[name]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    choices = getattr(DISTRIBUTIONS[name], "choices", None)
    if choices is None or set(map(type, choices)) == {bool}:
        return value
    return as_ours(value) if isinstance(value, str) else f"={json.dumps(value)}"


def check_all_distributions_and_attributes_of_a_study_of_optuna(folder):
    path = f"{folder}/a.log"
    study = optuna.create_study(
        storage=storage(path),
        study_name="theirs",
        direction="maximize",
        sampler=RandomSampler(seed=3),
    )
    for key, value in ATTRIBUTES.items():
        study.set_user_attr(key, value)
    for number in range(40):
        trial = study.ask(DISTRIBUTIONS)
        for key, value in ATTRIBUTES.items():
            trial.set_user_attr(key, value)
        trial.set_user_attr("cost", 0.5 + number)
        trial.report(math.nan, 0)
        trial.report(1.0, 1)
        study.tell(trial, number + 0.125)
    with resumed(path) as peer:
        trials, left_out = peer.trials()
        assert left_out == {} and len(trials) == 40, left_out
        for theirs in study.trials:
            ours = trials[theirs.number]
            assert same(ours["outcome"], theirs.value), (ours, theirs)
            for name, value in ours["values"].items():
                expected = value_of(name, theirs.params)
                # A whole number of ours may be a float there.
                assert value == expected, (name, value, expected)
                kinds = {type(value), type(expected)}
                assert len(kinds) == 1 or kinds == {int, float}, (name, value, expected)
            assert ours["notes"]["text"] == ATTRIBUTES["text"]
            assert json.loads(ours["notes"]["nested"]) == ATTRIBUTES["nested"]
        # What we suggest has the distributions that they have.
        for _ in range(8):
            trial = peer("ask")["trial"]
            peer.tell(trial, outcome=100.0 + trial, cost=1.0)
        go_on = load(path, sampler=TPESampler(seed=1, n_startup_trials=3))
        for theirs in go_on.trials[40:]:
            assert theirs.distributions == DISTRIBUTIONS, theirs.distributions
            for name, distribution in DISTRIBUTIONS.items():
                assert type(theirs.params[name]) is type(study.trials[0].params[name]) or name in (
                    "mixed",
                    "nothing or a name",
                    "numbers",
                ), (name, theirs.params[name])
        go_on.optimize(
            lambda trial: sum(
                isinstance(trial._suggest(name, distribution), float)
                for name, distribution in DISTRIBUTIONS.items()
            ),
            n_trials=6,
        )
        trials, left_out = peer.trials()
        assert left_out == {} and len(trials) == 54, left_out
    for key, value in ATTRIBUTES.items():
        found = load(path).user_attrs[key]
        assert repr(found) == repr(value), (key, found)


def check_all_states_of_a_study_of_optuna(folder):
    path = f"{folder}/a.log"
    study = optuna.create_study(storage=storage(path), study_name="theirs")
    x = {"x": FloatDistribution(0.0, 1.0)}
    outcomes = [1.0, math.inf, -math.inf, 2.0]
    for outcome in outcomes:
        study.tell(study.ask(x), outcome)
    study.tell(study.ask(x), state=TrialState.FAIL)
    pruned = study.ask(x)
    pruned.report(5.0, 1)
    study.tell(pruned, state=TrialState.PRUNED)
    running = study.ask(x)
    study.ask()
    study.enqueue_trial({"x": 0.75}, user_attrs={"why": "a guess"})
    for state, value in [
        (TrialState.COMPLETE, 3.0),
        (TrialState.FAIL, None),
        (TrialState.PRUNED, 4.0),
    ]:
        study.add_trial(
            create_trial(
                state=state,
                value=value,
                params={"x": 0.5},
                distributions=x,
                user_attrs={"cost": 2.5},
            )
        )
    study.add_trial(create_trial(state=TrialState.WAITING))
    trial = study.ask(x)
    assert trial.number == 8 and trial.params == {"x": 0.75}
    # An outcome that is no number: Optuna takes the trial for a failure.
    study.tell(study.ask(x), math.nan, skip_if_finished=True)
    with opened(path, {"x": floats()}) as peer:
        peer("ask")
        trials, left_out = peer.trials()
        states = {number: trial["state"] for number, trial in trials.items()}
        # Infinite outcomes are failures. Those without a parameter and pruned ones are left out.
        assert states == {
            0: "complete",
            1: "failed",
            2: "failed",
            3: "complete",
            4: "failed",
            6: "pending",
            8: "pending",
            9: "complete",
            10: "failed",
            12: "failed",
            13: "pending",
        }, (states, left_out)
        assert set(left_out) == {5, 11}, left_out
        assert trials[9]["cost"] == 2.5 and trials[9]["notes"] == {"cost": "2.5"}
        assert trials[8]["notes"] == {"why": "a guess"}
        study.tell(running, 0.5)
        study.tell(trial, state=TrialState.PRUNED)
        trials, left_out = peer.trials()
        assert trials[6]["state"] == "complete" and trials[6]["outcome"] == 0.5
        assert trials[8]["state"] == "withdrawn", trials[8]


def check_optuna_asks_and_tells_on_our_study(folder):
    path = f"{folder}/a.log"
    with opened(
        path,
        {"x": floats(), "y": {"log_int": {"low": 1, "high": 64}}},
        cost="learned",
        direction="maximize",
    ) as peer:
        study = load(path, sampler=RandomSampler(seed=2))
        both = {}
        for number in range(60):
            if number % 3 == 0:
                asked = peer("ask")
                assert asked["trial"] == number
                peer.tell(number, outcome=float(number), cost=1.0)
                both[number] = dict(zip("xy", asked["values"]))
            else:
                trial = study.ask()
                both[number] = {
                    "x": trial.suggest_float("x", 0, 1),
                    "y": trial.suggest_int("y", 1, 64, log=True),
                }
                if number % 3 == 1:
                    trial.set_user_attr("cost", 0.25)
                else:
                    time.sleep(0.002)
                study.tell(trial, float(number))
        trials, left_out = peer.trials()
        assert left_out == {} and {n: t["values"] for n, t in trials.items()} == both
        for number, trial in trials.items():
            assert trial["outcome"] == number
            theirs = study.trials[number]
            lasted = (theirs.datetime_complete - theirs.datetime_start).total_seconds()
            expected = {0: 1.0, 1: 0.25, 2: lasted}[number % 3]
            assert abs(trial["cost"] - expected) < 1e-6, (trial, expected)
    with resumed(path) as again:
        assert again.trials() == (trials, left_out)


def check_several_studies_in_one_file(folder):
    path = f"{folder}/a.log"
    store = storage(path)
    x = {"x": FloatDistribution(0.0, 1.0)}

    def make(name, trials, direction="minimize"):
        study = optuna.create_study(storage=store, study_name=name, direction=direction)
        for number in range(trials):
            study.tell(study.ask(x), float(number))
        return study

    make("gone", 3)
    first = make("first", 4)
    second = make('second 学習 "x"', 5, "maximize")
    optuna.delete_study(study_name="gone", storage=store)
    make("gone", 2)
    first.tell(first.ask(x), 40.0)
    second.tell(second.ask(x), 50.0)
    for name, outcomes in [
        ("first", [0, 1, 2, 3, 40]),
        ('second 学習 "x"', [0, 1, 2, 3, 4, 50]),
        ("gone", [0, 1]),
    ]:
        with resumed(path, name) as peer:
            trials, _ = peer.trials()
            assert [t["outcome"] for t in trials.values()] == outcomes, (name, trials)
            trial = peer("ask")["trial"]
            assert trial == len(outcomes)
            peer.tell(trial, outcome=-1.0)
            study = load(path, name)
            assert [t.value for t in study.trials] == outcomes + [-1.0]
    with opened(path, {"z": floats()}, name="ours") as peer:
        peer({"work": {"trials": 3}})
    assert sorted(optuna.get_all_study_names(store)) == sorted(
        ["first", 'second 学習 "x"', "gone", "ours"]
    )
    # One that is deleted while we have it open is an error. Nothing is written into another.
    with resumed(path, "first") as peer:
        optuna.delete_study(study_name="first", storage=store)
        before = seen(load(path, "gone"))
        try:
            peer("ask")
        except Exception as error:
            assert "first" in str(error) and "deleted" in str(error), error
        else:
            raise AssertionError("a deleted study was asked")
        assert seen(load(path, "gone")) == before


def check_times_without_a_zone(folder):
    """Optuna of before 3.1 wrote local times."""
    path, old = f"{folder}/a.log", f"{folder}/old.log"
    study = optuna.create_study(storage=storage(path), study_name="a")
    for number in range(3):
        study.tell(study.ask({"x": FloatDistribution(0.0, 1.0)}), float(number))
    with open(path) as file, open(old, "w") as naive:
        naive.write(re.sub(r"(\d\d:\d\d:\d\d)(\.\d+)?\+00:00", r"\1", file.read()))
    for zone in ["UTC", "Asia/Tokyo", "America/New_York"]:
        with resumed(old, environment={"TZ": zone}) as peer:
            trials, left_out = peer.trials()
            assert left_out == {} and len(trials) == 3
        import os

        os.environ["TZ"] = zone
        time.tzset()
        try:
            for theirs in load(old).trials:
                started, ended = trials[theirs.number]["times"]
                assert abs(theirs.datetime_start.timestamp() - started) < 1e-6, (
                    zone,
                    theirs,
                    started,
                )
                assert abs(theirs.datetime_complete.timestamp() - ended) < 1e-6, (
                    zone,
                    theirs,
                    ended,
                )
        finally:
            del os.environ["TZ"]
            time.tzset()


def check_distributions_of_old_files(folder):
    old = {
        "u": {"name": "UniformDistribution", "attributes": {"low": 0.0, "high": 2.0}},
        "l": {"name": "LogUniformDistribution", "attributes": {"low": 0.01, "high": 2.0}},
        "d": {
            "name": "DiscreteUniformDistribution",
            "attributes": {"low": 0.0, "high": 2.0, "q": 0.5},
        },
        "i": {"name": "IntUniformDistribution", "attributes": {"low": 0, "high": 6, "step": 2}},
        "g": {"name": "IntLogUniformDistribution", "attributes": {"low": 1, "high": 6, "step": 1}},
        "c": {"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}},
    }
    path = f"{folder}/old.log"
    values = {"u": 0.5, "l": 0.25, "d": 1.5, "i": 4, "g": 3, "c": 1}
    with open(path, "w") as file:

        def write(**operation):
            file.write(json.dumps({"worker_id": "w", **operation}) + "\n")

        write(op_code=0, study_name="old", directions=[1])
        write(op_code=4, study_id=0, datetime_start="2022-11-01T12:00:00.000000")
        for name, distribution in old.items():
            write(
                op_code=5,
                trial_id=0,
                param_name=name,
                param_value_internal=values[name],
                distribution=json.dumps(distribution),
            )
        write(
            op_code=6,
            trial_id=0,
            state=1,
            values=[2.0],
            datetime_complete="2022-11-01T12:00:01.500000",
        )
    theirs = load(path).trials[0]
    with resumed(path) as peer:
        trials, left_out = peer.trials()
        assert left_out == {}, left_out
        assert trials[0]["values"] == theirs.params, (trials, theirs.params)
        peer("ask")
    assert len(load(path).trials[1].params) == 6


def check_a_study_that_was_copied_or_renamed(folder):
    """`optuna.copy_study` copies trials with all that they have."""
    path = f"{folder}/a.log"
    with opened(path, {"x": floats(), "y": floats()}, cost="learned") as peer:
        peer({"work": {"trials": 12}})
        peer("ask")
        # A cost that was told before its outcome is a cost of the copy too.
        for trial in [peer("ask")["trial"], peer("ask")["trial"]]:
            peer({"tell_cost": {"trial": trial, "cost": 2.0}})
        peer.tell(trial, outcome=1.0)
        before, _ = peer.trials()
    optuna.copy_study(
        from_study_name="a",
        from_storage=storage(path),
        to_storage=storage(path),
        to_study_name="copy",
    )
    with resumed(path, "copy") as peer:
        after, left_out = peer.trials()
        assert left_out == {}, left_out
        for number, trial in before.items():
            for key in ["state", "values", "outcome", "cost"]:
                assert after[number][key] == trial[key], (trial, after[number])
        peer({"work": {"trials": 3}})
    assert len(load(path, "copy").trials) == 18 and len(load(path, "a").trials) == 15


def check_bounds_that_change_from_trial_to_trial(folder):
    path = f"{folder}/a.log"
    study = optuna.create_study(storage=storage(path), study_name="a")
    random.seed(1)
    for number in range(10):
        trial = study.ask()
        trial.suggest_float("x", -number, number + 1)
        trial.suggest_int("k", 1, 4 + number)
        study.tell(trial, float(number))
    with resumed(path) as peer:
        trials, left_out = peer.trials()
        assert left_out == {} and len(trials) == 10
        peer("ask")
    last = load(path).trials[-1]
    assert last.distributions == {"x": FloatDistribution(-9.0, 10.0), "k": IntDistribution(1, 13)}
