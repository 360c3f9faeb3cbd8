"""Random operations of many workers, as Optuna understands them and as we do."""

import json
import random

import optuna
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.trial import TrialState

from peer import floats, load, opened

NAMES = ["x", "k", "c"]
# Before Optuna 5 there was no operation that discards trials.
NEW = int(optuna.__version__.split(".")[0]) >= 5
DISTRIBUTIONS = {
    "x": [FloatDistribution(0.0, 1.0), FloatDistribution(0.0, 0.5), IntDistribution(0, 1)],
    "k": [IntDistribution(1, 9), IntDistribution(1, 5), FloatDistribution(1.0, 9.0)],
    "c": [CategoricalDistribution(["a", "b"]), CategoricalDistribution(["b", "a"])],
}


def internal(random, distribution):
    if isinstance(distribution, CategoricalDistribution):
        return float(random.randrange(2))
    if isinstance(distribution, IntDistribution):
        return float(random.randint(distribution.low, distribution.high))
    return random.uniform(distribution.low, distribution.high)


def operation(random, studies, trials):
    """One that a worker may have written, also late, twice or of a trial that is no more."""
    moment = f"2026-11-22T12:{random.randrange(60):02}:{random.randrange(60):02}.000000+00:00"
    weights = [1, 0.15, 1, 1, 12, 30, 14, 4, 4, 4, 0.3 if NEW else 0]
    code = random.choices(range(11), weights)[0]
    made = {"op_code": code, "worker_id": f"w{random.randrange(4)}"}
    trial = {"trial_id": max(0, trials - 1 - int(random.expovariate(0.3)) + random.randrange(2))}
    study = {"study_id": random.choices([0, 1, 2], [1, 20, 3])[0]}
    if code == 0:
        made |= {
            "study_name": random.choice(["a", "b", "c"]),
            "directions": [random.choice([1, 2])],
        }
    elif code == 1:
        # The study that is followed stays.
        made |= {"study_id": random.choice([0, 2, 7])}
    elif code in (2, 3):
        made |= study | {["user_attr", "system_attr"][code - 2]: {"key": random.random()}}
    elif code == 4:
        made |= study | {"datetime_start": moment}
        if random.random() < 0.3:
            state = random.choice([0, 1, 1, 2, 3, 4])
            chosen = {name: random.choice(DISTRIBUTIONS[name][:2]) for name in NAMES[:2]}
            if random.random() < 0.7:
                chosen["c"] = DISTRIBUTIONS["c"][0]
            made |= {
                "state": state,
                "value": random.random() if state == 1 else None,
                "values": None,
                "distributions": {k: distribution_to_json(d) for k, d in chosen.items()},
                "params": {k: internal(random, d) for k, d in chosen.items()},
                "user_attrs": {"cost": random.random()},
                "system_attrs": {},
                "intermediate_values": {"1": 2.0},
            }
            if state in (1, 2, 3):
                made["datetime_complete"] = moment
    elif code == 5:
        name = random.choice(NAMES)
        chosen = random.choices(DISTRIBUTIONS[name], [20, 3, 1][: len(DISTRIBUTIONS[name])])[0]
        made |= trial | {
            "param_name": name,
            "param_value_internal": internal(random, chosen),
            "distribution": distribution_to_json(chosen),
        }
    elif code == 6:
        state = random.choice([0, 1, 1, 1, 2, 3, 4])
        outcome = random.choice([random.random(), random.random(), float("inf")])
        made |= trial | {"state": state, "values": [outcome] if state == 1 else None}
        if state == 0:
            made["datetime_start"] = moment
        if state in (1, 2, 3):
            made["datetime_complete"] = moment
    elif code == 7:
        made |= trial | {"step": 1, "intermediate_value": float("nan")}
    elif code in (8, 9):
        made |= trial | {["user_attr", "system_attr"][code - 8]: {"cost": random.random()}}
    elif code == 10:
        made |= study | {"trial_ids": [0]}
    return made


def write(random, path, count):
    """Two studies to begin with, of which we follow the second, and then anything."""
    trials = 0
    with open(path, "w") as file:
        for name in "ab":
            file.write(
                json.dumps({"op_code": 0, "worker_id": "w", "study_name": name, "directions": [1]})
                + "\n"
            )
        for _ in range(count):
            made = operation(random, 2, trials)
            trials += made["op_code"] == 4
            file.write(json.dumps(made) + "\n")


def expected(trial):
    """The state in which we have a trial of others that ended."""
    if trial.state == TrialState.COMPLETE:
        return "failed" if trial.value is None or abs(trial.value) == float("inf") else "complete"
    return "failed" if trial.state == TrialState.FAIL else None


def compare(seed, study, ours, left_out):
    taken = 0
    for trial in study.trials:
        mine = ours.get(trial.number)
        state = expected(trial)
        whole = set(trial.params) == set(NAMES) and 0 <= trial.params["x"] <= 1
        if trial.state == TrialState.RUNNING and whole:
            state = "pending"
        where = (seed, trial, mine, left_out.get(trial.number))
        if state is None or not whole:
            assert mine is None or mine["state"] == "withdrawn", where
            assert not trial.state.is_finished() or trial.number in left_out, where
            continue
        taken += 1
        assert mine is not None and mine["state"] == state, where
        assert mine["values"] == trial.params, where
        if state == "complete":
            assert mine["outcome"] == trial.value, where
        if state != "pending" and "cost" in trial.user_attrs:
            assert mine["cost"] == trial.user_attrs["cost"], where
        started, ended = mine["times"]
        assert started == trial.datetime_start.timestamp(), where
        assert state == "pending" or ended == trial.datetime_complete.timestamp(), where
    assert set(ours) <= {trial.number for trial in study.trials}
    return taken


def check_random_operations_mean_the_same(folder):
    kinds = {
        "x": floats(),
        "k": {"int": {"low": 1, "high": 9}},
        "c": {"choice": {"names": ["a", "b"]}},
    }
    taken = 0
    for seed in range(150):
        path = f"{folder}/{seed}.log"
        write(random.Random(seed), path, 250)
        with opened(path, kinds, name="b", cost="learned") as peer:
            # Trials under way are entered when one is asked for.
            asked = peer("ask")["trial"]
            ours, left_out = peer.trials()
        study = load(path, "b")
        assert study.trials[-1].number == asked and study.trials[-1].params == ours[asked]["values"]
        taken += compare(seed, study, ours, left_out)
    assert taken > 800, taken
    return f"{taken} trials"
