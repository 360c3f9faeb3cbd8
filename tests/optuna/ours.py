"""Optuna reads what we write."""

import json
import random

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import TrialState

from peer import Refused, floats, lines, load, opened, resumed, same, seen, storage

ODD = 'a "choice" with \\ and \n and 学習 and 🍞 and </script>'

KINDS = {
    "rate": {"log_float": {"low": 1e-5, "high": 1.0}},
    "float": floats(-3.0, 4.5),
    "layers": {"int": {"low": 1, "high": 9}},
    "units": {"log_int": {"low": 1, "high": 4096}},
    "eighths": {"steps": {"low": 0.0, "high": 1.0, "step": 0.125}},
    "oven": {"steps": {"low": 180.0, "high": 282.0, "step": 5.0}},
    "batch": {"numbers": {"values": [16.0, 32.0, 64.0]}},
    "size": {"ordinal": {"names": ["small", "large"]}},
    "solver": {"choice": {"names": ["adam", "sgd", ODD]}},
    "momentum": (floats(), [{"parameter": "solver", "is": ["sgd"]}]),
    "bias": "flag",
    "fixed": {"constant": {"value": "v1"}},
    'name "with" \n 学習': floats(),
}

DISTRIBUTIONS = {
    "rate": FloatDistribution(1e-5, 1.0, log=True),
    "float": FloatDistribution(-3.0, 4.5),
    "layers": IntDistribution(1, 9),
    "units": IntDistribution(1, 4096, log=True),
    "eighths": FloatDistribution(0.0, 1.0, step=0.125),
    "oven": IntDistribution(180, 280, step=5),
    "batch": CategoricalDistribution([16.0, 32.0, 64.0]),
    "size": CategoricalDistribution(["small", "large"]),
    "solver": CategoricalDistribution(["adam", "sgd", ODD]),
    "momentum": FloatDistribution(0.0, 1.0),
    "bias": CategoricalDistribution([False, True]),
    "fixed": CategoricalDistribution(["v1"]),
    'name "with" \n 学習': FloatDistribution(0.0, 1.0),
}


def compare(path, peer):
    """All that we have of our own trials is what Optuna has."""
    study = load(path)
    trials, left_out = peer.trials()
    assert left_out == {}, left_out
    found = study.get_trials()
    assert [t.number for t in found] == sorted(trials), (len(found), len(trials))
    states = {
        "complete": "COMPLETE",
        "failed": "FAIL",
        "infeasible": "FAIL",
        "withdrawn": "FAIL",
        "pending": "RUNNING",
    }
    for theirs in found:
        ours = trials[theirs.number]
        assert states[ours["state"]] == theirs.state.name, (ours, theirs)
        assert same(ours["outcome"], theirs.value), (ours, theirs)
        present = {name: value for name, value in ours["values"].items() if value is not None}
        assert present == theirs.params, (present, theirs.params)
        for name, value in present.items():
            assert type(value) is type(theirs.params[name]), (name, value, theirs.params[name])
            assert theirs.distributions[name] == DISTRIBUTIONS[name], theirs.distributions[name]
        assert theirs.user_attrs.get("cost") == ours["cost"] or ours["state"] == "pending", ours
        notes = {k: v for k, v in theirs.user_attrs.items() if k != "cost"}
        assert notes == {k: v for k, v in ours["notes"].items() if k != "cost"}
        # Optuna has local times without a zone.
        started, ended = ours["times"]
        assert abs(theirs.datetime_start.timestamp() - started) < 1e-6
        if theirs.state.is_finished():
            assert abs(theirs.datetime_complete.timestamp() - ended) < 1e-6 and started <= ended
    return study


def check_optuna_loads_it_while_we_write(folder):
    path = f"{folder}/a.log"
    with opened(path, KINDS, cost="learned", direction="maximize") as peer:
        follower = load(path)
        peer.start({"work": {"trials": 300}})
        counts = []
        while not counts or counts[-1] < 300:
            study = load(path)
            trials = study.get_trials(deepcopy=False)
            counts.append(sum(t.state.is_finished() for t in trials))
            assert [t.number for t in trials] == list(range(len(trials)))
            assert all(set(t.params) | {"momentum"} == set(KINDS) for t in trials)
            assert sum(t.state == TrialState.RUNNING for t in trials) <= 1
            # One that stays open takes only what is new.
            assert len(follower.get_trials(deepcopy=False)) >= len(trials)
        assert peer.finish() == {"trials": list(range(300))}
        assert counts == sorted(counts) and len(set(counts)) > 5, counts
        study = compare(path, peer)
        assert seen(follower) == seen(study)
        assert study.direction.name == "MAXIMIZE" and study.study_name == "a"
        complete = [t for t in study.trials if t.state == TrialState.COMPLETE]
        assert len(complete) == 240 and study.best_value == max(t.value for t in complete)
    return f"{len(counts)} loads in the meantime"


def check_suggestions_with_their_models_and_verdicts(folder):
    path = f"{folder}/a.log"
    with opened(path, KINDS, initial=4, cost="learned") as peer:
        for _ in range(3):
            peer({"work": {"trials": 4}})
            words = peer("verdict")["words"]
        trials, _ = peer.trials()
        assert {t["origin"] for t in trials.values()} == {"initial", "suggested"}
        assert words in compare(path, peer).user_attrs["gittins"]
    with resumed(path) as again:
        assert again.trials()[0] == trials


def check_every_end_of_a_trial(folder):
    path = f"{folder}/a.log"
    with opened(path, {"x": floats()}, cost="learned") as peer:
        for _ in range(9):
            peer("ask")
        peer.tell(0, outcome=1.5, cost=2.0)
        peer.tell(1, failed=True, cost=3.0)
        peer.tell(2, infeasible=True, cost=0.25)
        peer({"withdraw": {"trial": 3}})
        peer({"tell_cost": {"trial": 4, "cost": 7.0}})
        peer.tell(4, outcome=2.5)
        peer.tell(5, outcome=4.0, cost=1.0)
        peer({"correct": {"trial": 5, "outcome": 0.5, "cost": 1.0}})
        peer.tell(6, outcome=9.0, cost=1.0)
        peer({"withdraw": {"trial": 6}})
        peer({"note": {"trial": 7, "key": "log", "text": 'line\nline \\ "'}})
        assert peer({"import": {"values": [0.25], "outcome": -1.0, "cost": 3.0}}) == {"trial": 9}
        assert peer({"import": {"values": [0.75], "failed": True}}) == {"trial": 10}
        words = peer("verdict")["words"]
        theirs = load(path)
        expected = [
            "COMPLETE",
            "FAIL",
            "FAIL",
            "FAIL",
            "COMPLETE",
            "COMPLETE",
            "COMPLETE",
            "RUNNING",
            "RUNNING",
            "COMPLETE",
            "FAIL",
        ]
        assert [t.state.name for t in theirs.trials] == expected
        # What was corrected afterward stands in attributes: Optuna lets no trial change that ended.
        values = [1.5, None, None, None, 2.5, 4.0, 9.0, None, None, -1.0, None]
        assert [t.value for t in theirs.trials] == values
        costs = [2.0, 3.0, 0.25, None, 7.0, 1.0, 1.0, None, None, 3.0, None]
        assert [t.user_attrs.get("cost") for t in theirs.trials] == costs
        assert theirs.trials[7].user_attrs == {"log": 'line\nline \\ "'}
        assert theirs.trials[9].params == {"x": 0.25} and theirs.best_trial.number == 9
        assert words in theirs.user_attrs["gittins"], theirs.user_attrs
        before, _ = peer.trials()
    with resumed(path) as again:
        after, _ = again.trials()
        assert after == before, (before, after)
        assert after[5]["outcome"] == 0.5 and after[6]["state"] == "withdrawn"


def check_numbers_survive_to_the_last_bit(folder):
    path = f"{folder}/a.log"
    random.seed(7)
    numbers = [
        5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        -1.7976931348623157e308,
        0.1 + 0.2,
        -0.0,
        0.0,
        1e16,
        2**53 + 2.0,
        1 / 3,
        1e22,
        9007199254740993.0,
        123456789.0,
    ]
    numbers += [random.uniform(-1, 1) * 10 ** random.uniform(-300, 300) for _ in range(200)]
    with opened(path, {"x": floats(), "tiny": floats(0.0, 1e-300)}) as peer:
        for number in numbers:
            peer.tell(peer("ask")["trial"], outcome=number, cost=abs(number) + 1e-320)
        ours, _ = peer.trials()
    theirs = load(path)
    for trial, number in zip(theirs.trials, numbers, strict=True):
        assert same(trial.value, number), (trial.value, number)
        assert same(trial.user_attrs["cost"], abs(number) + 1e-320), trial
        assert all(same(trial.params[k], v) for k, v in ours[trial.number]["values"].items())
    # And back, through a file that Optuna wrote.
    for number in numbers:
        trial = theirs.ask({"x": FloatDistribution(0.0, 1.0)})
        theirs.tell(trial, number)
    with resumed(path) as peer:
        back, left_out = peer.trials()
    told = [
        back[number + len(numbers)]["outcome"]
        for number in range(len(numbers))
        if number + len(numbers) in back
    ]
    # They lack the parameter `tiny`.
    assert told == [] and len(left_out) == len(numbers), (len(told), len(left_out))
    assert all("tiny" in why for why in left_out.values()), left_out


def check_samplers_of_optuna_go_on_with_our_study(folder):
    """Samplers refuse a parameter whose distribution changes, so ours must be theirs."""
    path = f"{folder}/a.log"
    with opened(path, KINDS) as peer:
        peer({"work": {"trials": 30}})
        for sampler in [
            TPESampler(seed=1, n_startup_trials=5),
            TPESampler(seed=1, multivariate=True),
            RandomSampler(seed=1),
        ]:
            study = load(path, sampler=sampler)

            def objective(trial):
                total = 0.0
                for name, distribution in DISTRIBUTIONS.items():
                    if name == "momentum" and trial.params["solver"] != "sgd":
                        continue
                    value = trial._suggest(name, distribution)
                    total += value if isinstance(value, float) else 0.0
                return total

            study.optimize(objective, n_trials=10)
        peer({"work": {"trials": 5}})
        trials, left_out = peer.trials()
        assert left_out == {} and len(trials) == 65, left_out
        assert all(trials[n]["origin"] == "imported" for n in range(30, 60))
        for trial in load(path).trials:
            ours = trials[trial.number]["values"]
            assert {k: v for k, v in ours.items() if v is not None} == trial.params, trial


def check_each_operation_is_one_of_optunas(folder):
    """The storage of Optuna, asked to do the same, writes operations of the same form."""
    ours, theirs = f"{folder}/ours.log", f"{folder}/theirs.log"
    with opened(ours, {"x": floats()}) as peer:
        peer({"work": {"trials": 5}})
        peer({"import": {"values": [0.5], "outcome": 1.0, "cost": 2.0}})
        peer("verdict")
    x = {"x": FloatDistribution(0.0, 1.0)}
    study = optuna.create_study(storage=storage(theirs), study_name="a")
    study.set_user_attr("gittins", "words")
    study._storage.set_study_system_attr(study._study_id, "gittins:settings", {})
    trial = study.ask(x)
    trial.set_user_attr("cost", 1.0)
    study._storage.set_trial_system_attr(trial._trial_id, "gittins:ask", {})
    study.tell(trial, 1.0)
    study.tell(study.ask(x), state=TrialState.FAIL)
    study.add_trial(optuna.create_trial(value=1.0, params={"x": 0.5}, distributions=x))
    study.add_trial(
        optuna.create_trial(state=TrialState.RUNNING, params={"x": 0.5}, distributions=x)
    )

    def forms(path):
        known = {}
        for line in map(json.loads, lines(path)):
            fields = {(key, type(value).__name__) for key, value in line.items()}
            known.setdefault(line["op_code"], set()).update(fields)
        return known

    wanted = forms(theirs)
    for code, fields in forms(ours).items():
        assert fields <= wanted[code], (code, fields - wanted[code])


def check_outcomes_that_are_not_finite_are_refused_before_they_are_written(folder):
    path = f"{folder}/a.log"
    with opened(path, {"x": floats()}) as peer:
        peer("ask")
        before = lines(path)
        for outcome in ["inf", "-inf", "NaN"]:
            try:
                peer.tell(0, outcome=outcome)
            except Refused as error:
                assert "finite" in str(error), error
            else:
                raise AssertionError(f"{outcome} was taken")
        assert lines(path) == before
        peer.tell(0, outcome=1.0)
    assert load(path).best_value == 1.0
