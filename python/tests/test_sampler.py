"""The sampler on studies of Optuna."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from gittins import policy
from gittins.optuna import GittinsSampler, _shared
from gittins.trial import Trial


def study_of(sampler=None, **settings):
    return optuna.create_study(sampler=sampler or GittinsSampler(seed=1), **settings)


def work(trial, value, seconds):
    """Return a value after some work, noting when the point was chosen."""
    trial.set_user_attr("chosen", time.time())
    time.sleep(seconds)
    return value


def assert_apart(trials):
    """Check that trials had different points if both were chosen before one of them ended.

    One after the other they may be the same: another outcome tells of noise.
    """
    spans = [(t.user_attrs["chosen"], t.datetime_complete.timestamp(), t) for t in trials]
    pairs = 0
    for chosen, ended, trial in spans:
        for before, over, other in spans:
            if other.number < trial.number and chosen < over and before < ended:
                pairs += 1
                assert trial.params != other.params, (trial.number, other.number)
    assert pairs > 0


def model_of(study):
    """Return what the sampler knows of a study after all its trials."""
    history = study.sampler.history(study)
    history.sync(study.get_trials(deepcopy=False), None, {})
    return history


def branches(trial):
    solver = trial.suggest_categorical("solver", ["adam", "sgd", None])
    layers = trial.suggest_int("layers", 1, 3)
    value = sum(
        (trial.suggest_int(f"units{i}", 4, 128, log=True) - 20) ** 2 / 1e4 for i in range(layers)
    )
    if solver == "adam":
        return value + (trial.suggest_float("beta", 0.5, 0.999) - 0.9) ** 2
    if solver == "sgd":
        return value + (trial.suggest_float("momentum", 0.0, 1.0) - 0.3) ** 2 + 0.1
    return value + 0.5


class Counting(GittinsSampler):
    """Counts parameters that the model did not foresee."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.independent = []

    def sample_independent(self, study, trial, param_name, param_distribution):
        self.independent.append((trial.number, param_name))
        return super().sample_independent(study, trial, param_name, param_distribution)


def test_all_parameters_of_all_branches_are_modeled():
    study = study_of(Counting(seed=2))
    study.optimize(branches, n_trials=50)
    assert study.best_value < 1e-2
    history = model_of(study)
    assert history.complete == 50
    assert set(history.space.names()) == {
        "solver",
        "layers",
        "units0",
        "units1",
        "units2",
        "beta",
        "momentum",
    }
    assert not history.space.flagged
    parents = {
        name: {condition.parent for condition in conditions}
        for name, conditions in history.space.conditions.items()
    }
    assert parents == {
        "units1": {"layers"},
        "units2": {"layers"},
        "beta": {"solver"},
        "momentum": {"solver"},
    }
    # Once each branch was seen, nothing is drawn independently.
    assert all(number < 25 for number, _ in study.sampler.independent)


def test_a_parameter_that_nothing_explains_has_a_flag():
    study = study_of()

    def objective(trial):
        value = trial.suggest_float("x", 0.0, 1.0)
        # The objective was changed in the middle of the study.
        if trial.number >= 10:
            value += (trial.suggest_float("late", 0.0, 1.0) - 0.5) ** 2
        return value

    study.optimize(objective, n_trials=30)
    history = model_of(study)
    assert history.space.flagged == {"late"} or "late" in history.space.conditions
    assert history.complete == 30
    assert study.best_value < 1e-2


def test_suggestions_obey_the_present_bounds_and_all_trials_are_modeled():
    study = study_of()

    def objective(low, high):
        def value(trial):
            x = trial.suggest_float("x", low, high)
            depth = trial.suggest_int("depth", 2, 12 if high > 1 else 6, step=2)
            return (x - 0.8) ** 2 + depth / 100

        return value

    study.optimize(objective(0.0, 2.0), n_trials=12)
    study.optimize(objective(0.5, 1.0), n_trials=8)
    for trial in study.trials[12:]:
        assert 0.5 <= trial.params["x"] <= 1.0
        assert trial.params["depth"] in (2, 4, 6)
    assert model_of(study).complete == 20
    study.optimize(objective(3.0, 4.0), n_trials=4)
    assert all(3.0 <= trial.params["x"] <= 4.0 for trial in study.trials[20:])
    assert model_of(study).complete == 24


def test_values_that_are_fixed_are_known_to_the_model():
    study = study_of(Counting(seed=3))

    def objective(trial):
        # The bounds grow later. Along x = y values fall with x.
        high = 0.6 if trial.number < 15 else 1.0
        x, y = trial.suggest_float("x", 0.0, high), trial.suggest_float("y", 0.0, 1.0)
        return 3.0 * (x - y) ** 2 - x

    study.optimize(objective, n_trials=15)
    study.enqueue_trial({"x": 0.9})
    study.optimize(objective, n_trials=1)
    # With this x, only a y near to it is better than what is known: what ignores x is not.
    assert study.trials[-1].params["x"] == 0.9
    before = [trial.value for trial in study.trials[:-1]]
    assert study.trials[-1].value < min(before)
    study.enqueue_trial({"x": 0.1, "y": 0.2})
    study.optimize(objective, n_trials=1)
    assert study.trials[-1].params == {"x": 0.1, "y": 0.2}
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        study.sampler = optuna.samplers.PartialFixedSampler({"x": 0.95}, study.sampler)
    study.optimize(objective, n_trials=1)
    assert study.trials[-1].params["x"] == 0.95
    assert study.trials[-1].value < min(before)


def test_imported_trials_count_with_and_without_dates():
    study = study_of()
    distributions = {
        "x": FloatDistribution(-1.0, 1.0),
        "k": CategoricalDistribution(["a", 1, None]),
    }
    for number in range(12):
        x = -1.0 + number / 6
        trial = create_trial(
            params={"x": x, "k": ["a", 1, None][number % 3]},
            distributions=distributions,
            value=(x - 0.2) ** 2 + (number % 3 == 2),
        )
        if number % 2:
            trial.datetime_start = trial.datetime_complete = None
        # A storage takes more than `add_trial` does.
        study._storage.create_new_trial(study._study_id, template_trial=trial)
    history = model_of(study)
    assert history.complete == 12
    trial = study.ask()
    x = trial.suggest_float("x", -1.0, 1.0)
    assert trial.suggest_categorical("k", ["a", 1, None]) in ("a", 1)
    assert abs(x - 0.2) < 0.3


def trials_of(study):
    """Return the trials that the engine knows, with its values in the order of the space."""
    return [Trial(*trial) for trial in model_of(study).inner.trials()]


def states_of(study):
    return [trial.state for trial in trials_of(study)]


def test_a_failed_trial_that_was_retried_teaches_nothing():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    space = {"x": FloatDistribution(0.0, 1.0)}
    # Optuna's retries name the first trial, and all that they repeat.
    for state, attrs in [
        (TrialState.FAIL, {}),
        (TrialState.FAIL, {"failed_trial": 0, "retry_history": [0]}),
        (TrialState.COMPLETE, {"failed_trial": 0, "retry_history": [0, 1]}),
    ]:
        value = 1.0 if state == TrialState.COMPLETE else None
        study.add_trial(
            create_trial(
                params={"x": 0.5}, distributions=space, state=state, value=value, system_attrs=attrs
            )
        )
        # A worker that looks before the trial is repeated takes back what it believed.
        states_of(study)
    assert states_of(study) == ["complete"]


def test_cheap_places_come_first():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        # Two equal optima, of which one costs sixteen times as much.
        trial.set_user_attr("cost", 10.0 ** (2.0 * x))
        return min((x - 0.2) ** 2, (x - 0.8) ** 2)

    spent = {}
    for use_cost in (True, False):
        spent[use_cost] = 0.0
        for seed in range(3):
            study = study_of(GittinsSampler(seed=seed, use_cost=use_cost))
            study.optimize(objective, n_trials=20)
            spent[use_cost] += sum(trial.user_attrs["cost"] for trial in study.trials)
    assert spent[True] < 0.8 * spent[False]


def test_a_seed_repeats_a_study_and_a_fresh_sampler_goes_on():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        return (x - 0.3) ** 2 + trial.suggest_int("n", 0, 5)

    runs = []
    for _ in range(2):
        study = study_of(GittinsSampler(seed=9, use_cost=False))
        study.optimize(objective, n_trials=14)
        runs.append([trial.params for trial in study.trials])
    assert runs[0] == runs[1]
    study = study_of(GittinsSampler(seed=9, use_cost=False))
    for _ in range(14):
        # Each trial by a sampler that knows nothing but the storage.
        study.sampler = pickle.loads(pickle.dumps(GittinsSampler(seed=9, use_cost=False)))
        study.optimize(objective, n_trials=1)
    fresh = [trial.params for trial in study.trials]
    assert fresh[:4] == runs[0][:4]
    assert study.best_value < 1e-2


def test_reseeding_draws_another_seed_unless_one_was_given():
    given, drawn = GittinsSampler(seed=1), GittinsSampler()
    before = drawn._settings.seed
    given.reseed_rng()
    drawn.reseed_rng()
    assert given._settings.seed == 1
    assert drawn._settings.seed != before


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="price"):
        GittinsSampler(price=-1.0)
    with pytest.raises(ValueError, match="both"):
        GittinsSampler(price=1.0, policy=policy.log_ei())
    with pytest.raises(ValueError, match="gittins_decay"):
        GittinsSampler(policy=policy.gittins_decay(0.1))
    with pytest.raises(ValueError, match="overdue"):
        GittinsSampler(overdue=0.5)
    with pytest.raises(ValueError, match="n_startup_trials"):
        GittinsSampler(n_startup_trials=0)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_policy_by_its_name_broke_in_the_first_trial(seed):
    def points(chosen):
        study = study_of(GittinsSampler(seed=seed, policy=chosen, use_cost=False))
        study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=6)
        return [trial.params["x"] for trial in study.trials]

    assert points("log_ei") == points(policy.log_ei())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "log_eii"}, "no policy is named 'log_eii'; .*did you mean 'log_ei'"),
        ({"policy": "gittins"}, "'gittins' needs a price"),
        ({"policy": "ucb"}, "'ucb' keeps a state"),
        ({"policy": policy.log_ei}, r"call gittins.policy.log_ei\(\)"),
        ({"policy": policy.Policy("tpe")}, "no policy is named 'tpe'"),
        ({"policy": 1e-3}, "expected a policy of gittins.policy or the name of one, got 0.001"),
        ({"policy": ""}, "no policy is named ''"),
        ({"policy": "log_ei", "price": 1.0}, "price and policy: expected one of them"),
        ({"price": math.inf}, "price: expected a positive number, got inf"),
        ({"price": 0}, "price: expected a positive number, got 0"),
        ({"price": "cheap"}, "price: expected a positive number, got 'cheap'"),
    ],
)
def test_a_policy_that_makes_no_sense_is_answered_at_once(settings, message):
    with pytest.raises(ValueError, match=message):
        GittinsSampler(**settings)


def test_a_price_of_a_named_policy_is_the_price():
    assert GittinsSampler(policy="gittins", price=0.5)._settings.policy == policy.gittins(0.5)


@pytest.mark.parametrize(
    "chosen", [policy.gittins(1e-3), policy.log_ei(), policy.thompson(), policy.max_value_entropy()]
)
def test_other_policies(chosen):
    study = study_of(GittinsSampler(seed=1, policy=chosen))
    study.optimize(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2, n_trials=15)
    assert study.best_value < 1e-2


def test_wide_whole_numbers_steps_and_single_values():
    study = study_of()

    def objective(trial):
        wide = trial.suggest_int("wide", -(10**17), 10**17)
        huge = trial.suggest_int("huge", 1, 2**60, log=True)
        step = trial.suggest_float("step", -1.0, 1.0, step=0.1)
        assert trial.suggest_int("single", 3, 3) == 3
        assert trial.suggest_categorical("only", ["x"]) == "x"
        assert abs(step * 10 - round(step * 10)) < 1e-9
        return abs(wide) / 1e17 + math.log(huge) / 100 + step**2

    study.optimize(objective, n_trials=12)
    assert model_of(study).complete == 12


def test_points_of_threads_differ_and_all_are_modeled():
    study = study_of(GittinsSampler(seed=1))

    def objective(trial):
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        return work(trial, (x - 0.3) ** 2 + (y - 0.6) ** 2, seconds=0.02)

    study.optimize(objective, n_trials=40, n_jobs=4)
    assert_apart(study.trials)
    assert model_of(study).complete == 40
    assert study.best_value < 1e-2


def test_running_trials_of_others_are_waited_for():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    study.optimize(lambda trial: (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2, n_trials=10)
    asked = []
    for seed in range(4):
        # Another worker: another sampler of the same storage. On a busy machine a suggestion takes
        # many times as long as the trials did, and no trial may be overdue for that.
        study.sampler = GittinsSampler(seed=seed, use_cost=False, overdue=1e9)
        trial = study.ask()
        asked.append(trial.suggest_float("x", 0.0, 1.0))
    gaps = [abs(a - b) for i, a in enumerate(asked) for b in asked[:i]]
    assert min(gaps) > 1e-4
    shared = [trial.system_attrs for trial in study.trials if trial.state == TrialState.RUNNING]
    assert all("gittins:relative_params:0" in attrs for attrs in shared)


WORKER = textwrap.dedent(
    """
    import sys, time, optuna
    from gittins.optuna import GittinsSampler, _shared

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(
        study_name="s", storage=sys.argv[1], sampler=GittinsSampler(overdue=2.0)
    )

    def objective(trial):
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        if sys.argv[2] == "hang":
            print("hangs", flush=True)
            time.sleep(600)
        trial.set_user_attr("chosen", time.time())
        time.sleep(0.2)
        return (x - 0.3) ** 2 + (y - 0.6) ** 2

    study.optimize(objective, n_trials=int(sys.argv[3]))
    """
)


def test_a_killed_worker_holds_nothing_up(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(
        study_name="s", storage=storage, sampler=GittinsSampler(overdue=2.0)
    )

    def start(manner, trials):
        command = [sys.executable, "-c", WORKER, storage, manner, str(trials)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    assert start("work", 8).wait(timeout=120) == 0
    victim = start("hang", 1)
    assert victim.stdout.readline() == "hangs\n"
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    workers = [start("work", 6) for _ in range(2)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0]
    trials = study.trials
    assert [trial.state for trial in trials].count(TrialState.COMPLETE) == 20
    dead = next(trial for trial in trials if trial.state == TrialState.RUNNING)
    # That of the dead worker is not waited for.
    assert_apart([trial for trial in trials if trial.state == TrialState.COMPLETE])
    assert model_of(study).complete == 20
    assert study.sampler.overdue_trials(study) == [dead.number]
    # Without durations the longest trial counts.
    other = GittinsSampler(overdue=2.0, use_cost=False)
    assert other.overdue_trials(study) == [dead.number]
    assert GittinsSampler(overdue=1e9).overdue_trials(study) == []
    study.tell(dead.number, state=TrialState.FAIL)
    assert study.sampler.overdue_trials(study) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_sampler_works_in_processes_that_are_forked(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    sampler = GittinsSampler(seed=1)
    study = optuna.create_study(study_name="s", storage=storage, sampler=sampler)

    def objective(trial):
        numbers = [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(5)]
        return work(trial, sum((x - 0.3) ** 2 for x in numbers), seconds=0.3)

    study.optimize(objective, n_trials=8)

    def worker():
        again = optuna.load_study(study_name="s", storage=storage, sampler=sampler)
        again.optimize(objective, n_trials=4)

    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=worker) for _ in range(2)]
    for process in workers:
        process.start()
    for process in workers:
        process.join(timeout=120)
    assert [process.exitcode for process in workers] == [0, 0]
    study.optimize(objective, n_trials=1)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 17
    assert_apart(study.trials)


def test_designs_are_spread_over_whole_numbers_and_names():
    study = study_of(GittinsSampler(seed=1, n_startup_trials=12))

    def objective(trial):
        trial.suggest_categorical("k", ["a", "b", "c"])
        trial.suggest_int("n", 1, 1000, log=True)
        return 0.0

    study.optimize(objective, n_trials=12)
    assert {trial.params["k"] for trial in study.trials} == {"a", "b", "c"}
    numbers = [trial.params["n"] for trial in study.trials]
    assert min(numbers) < 10
    assert max(numbers) > 100


def test_shared_parameters_are_written_in_parts():
    study = study_of()
    names = [f"a_parameter_with_quite_a_long_name_number_{i}" for i in range(60)]

    def objective(trial):
        return sum(trial.suggest_float(name, 0.0, 1.0) for name in names)

    study.optimize(objective, n_trials=2)
    trial = study.ask()
    trial.suggest_float(names[0], 0.0, 1.0)
    attrs = study.trials[-1].system_attrs
    assert "gittins:relative_params:1" in attrs
    assert all(len(value) <= 2045 for key, value in attrs.items() if key.startswith("gittins:"))
    latest = {name: FloatDistribution(0.0, 1.0) for name in names}
    assert set(_shared.read(study.trials[-1], latest)) == set(names)


def test_distributions_are_joined():
    from gittins.optuna._union import joined

    assert joined(IntDistribution(0, 10, step=2), IntDistribution(4, 20, step=2)) == (
        IntDistribution(0, 20, step=2)
    )
    assert joined(IntDistribution(0, 10, step=2), IntDistribution(1, 21, step=2)) == (
        IntDistribution(0, 21)
    )
    assert joined(FloatDistribution(0, 1, step=0.1), FloatDistribution(0.5, 2, step=0.1)) == (
        FloatDistribution(0, 2, step=0.1)
    )
    assert joined(FloatDistribution(1, 2), FloatDistribution(1, 2, log=True)) is None
    assert joined(CategoricalDistribution([1, 2]), CategoricalDistribution([1, 3])) is None


def bowl(trial):
    """A bowl with a flat ground, beyond which nothing better is to be found."""
    x, y = trial.suggest_float("x", -1.0, 1.0), trial.suggest_float("y", -1.0, 1.0)
    return max((x - 0.3) ** 2 + (y + 0.2) ** 2, 1e-4)


def turns_of(study):
    """Return the numbers of the trials that the model without a warp chose."""
    said = [_shared.choice(trial) for trial in study.trials]
    return [at for at, one in enumerate(said) if isinstance(one, tuple) and one[2] is not None]


def test_a_stuck_study_is_noticed_by_samplers_made_anew():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    for _ in range(8):
        # Each sampler knows of the trials of those before it only what is stored.
        study.sampler = GittinsSampler(seed=1, use_cost=False)
        study.optimize(bowl, n_trials=6)
    turns = turns_of(study)
    assert 1 <= len(turns) <= 4
    # What is stored is what the engine is told, but for what users chose.
    study.enqueue_trial({"x": 0.9, "y": 0.9})
    study.optimize(bowl, n_trials=1)
    assert _shared.choice(study.trials[1]) == "initial"
    assert _shared.choice(study.trials[-1]) is None


def test_how_a_trial_was_chosen_may_be_unreadable():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    study.optimize(bowl, n_trials=6)
    for choice in (7, "by hand", (0.0, -1.0, None), {"mean": 3}):
        trial = study.ask()
        value = bowl(trial)
        told = study._storage.get_trial(trial._trial_id)
        _shared.write(study, told, told.params, told.distributions, 0.0, choice)
        study.tell(trial, value)
        study.sampler = GittinsSampler(seed=1, use_cost=False)
    assert model_of(study).complete == 10


def test_enqueued_values_out_of_bounds_are_named_and_break_nothing(caplog):
    def objective(trial):
        return trial.suggest_float("x", 0.0, 1.0) + trial.suggest_int("n", 1, 4)

    study = study_of(GittinsSampler(seed=1, use_cost=False))
    for values in ({"x": 5.0}, {"x": -2.0, "n": 9}, {"n": 2.5}, {"x": 0.25}):
        study.enqueue_trial(values)
    study.optimize(objective, n_trials=6)
    for value in (math.inf, 7.0, math.nan):
        study.enqueue_trial({"x": value})
        study.optimize(objective, n_trials=2, catch=ValueError)
    for trial in study.trials:
        if trial.number not in (0, 1, 2, 6, 8, 10):
            assert 0.0 <= trial.params["x"] <= 1.0
            assert trial.params["n"] in range(1, 5)
    # Optuna refuses what is no number.
    assert [trial.state for trial in study.trials].count(TrialState.FAIL) <= 1
    said = [record.message for record in caplog.records]
    assert any(
        "Trial 0 is left out of the model: its parameter 'x' is 5.0, which is" in s for s in said
    )
