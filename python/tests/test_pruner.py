"""The pruner on studies of Optuna."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
import threading
import time

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from gittins.optuna import GittinsPruner, GittinsSampler, GittinsStop, _shared

SPACE = {"x": FloatDistribution(0.0, 1.0)}
STEPS = 20


def loss(x, step):
    """Return a loss that is the better the smaller the parameter is."""
    return x + 1.0 / (step + 1)


def ended(x, steps=STEPS, state=TrialState.COMPLETE, first=0, sign=1.0, value=None):
    """Return a trial that reported at each of its steps, a cost of one each."""
    curve = {first + step: sign * loss(x, step) for step in range(steps)}
    if value is None:
        value = sign * loss(x, steps - 1)
    return create_trial(
        params={"x": x},
        distributions=SPACE,
        state=state,
        value=value if state == TrialState.COMPLETE else None,
        intermediate_values=curve,
        user_attrs={"paid": float(steps)},
    )


def study_of(pruner=None, told=10, sign=1.0, first=0, **settings):
    """Return a study with complete trials from 0.1 on."""
    direction = "minimize" if sign > 0 else "maximize"
    pruner = pruner or GittinsPruner(cost="paid")
    study = optuna.create_study(pruner=pruner, direction=direction, **settings)
    study.add_trials([ended(0.1 * (k + 1), sign=sign, first=first) for k in range(told)])
    return study


def run(study, x, steps=STEPS, sign=1.0, first=0):
    """Run a trial until it is pruned; the trial, and the step at which it was pruned."""
    study.enqueue_trial({"x": x})
    trial = study.ask(SPACE)
    for step in range(steps):
        trial.set_user_attr("paid", step + 1.0)
        trial.report(sign * loss(x, step), first + step)
        if trial.should_prune():
            study.tell(trial, state=TrialState.PRUNED)
            return trial, first + step
    study.tell(trial, sign * loss(x, steps - 1))
    return trial, None


def stages_of(trial):
    return sorted(said["step"] for said in _shared.stages(trial))


class Counting(optuna.storages.InMemoryStorage):
    """A storage that counts how often all trials are read."""

    def __init__(self):
        super().__init__()
        self.reads = 0

    def get_all_trials(self, *arguments, **named):
        self.reads += 1
        return super().get_all_trials(*arguments, **named)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("first", [0, 1])
def test_a_hopeless_trial_is_pruned_and_a_good_one_is_not(sign, first):
    study = study_of(sign=sign, first=first)
    trial, step = run(study, 0.9, sign=sign, first=first)
    # The first stage is 6 % of 20 steps.
    assert step == first
    kept = study.trials[trial.number]
    assert "others are worth more" in kept.system_attrs["gittins:pruned"]
    assert kept.state == TrialState.PRUNED
    good, step = run(study, 0.01, sign=sign, first=first)
    assert step is None
    # Whole steps nearest to 6, 12, 20, 35 and 59 % of it.
    assert stages_of(study.trials[good.number]) == [first - 1 + n for n in (1, 2, 4, 7, 12)]
    assert "gittins:pruned" not in study.trials[good.number].system_attrs


def test_nothing_is_pruned_before_a_trial_is_complete():
    study = study_of(told=0)
    study.add_trial(ended(0.2, steps=5, state=TrialState.PRUNED))
    study.add_trial(create_trial(state=TrialState.FAIL))
    for pruner in (GittinsPruner(cost="paid"), GittinsPruner(cost="paid", total=STEPS)):
        study.pruner = pruner
        trial = study.ask(SPACE)
        for step in range(STEPS):
            trial.report(100.0, step)
            assert not trial.should_prune()


def test_steps_between_stages_are_not_looked_at():
    storage = Counting()
    study = study_of(GittinsPruner(cost="paid", total=5000), told=0, storage=storage)
    study.add_trials([ended(0.1 * (k + 1), steps=20) for k in range(5)])
    study.enqueue_trial({"x": 0.05})
    trial = study.ask(SPACE)
    storage.reads = 0
    for step in range(5000):
        trial.report(loss(0.0, step), step)
        assert not trial.should_prune()
    # The first look finds how long a run is; each of five stages is another.
    assert storage.reads == 6


def test_reports_that_skip_repeat_come_late_or_run_backward():
    study = study_of()
    study.enqueue_trial({"x": 0.9})
    trial = study.ask(SPACE)
    assert not trial.should_prune()
    trial.report(math.nan, 0)
    assert not trial.should_prune()
    # It skips two stages, and says the same again.
    trial.report(loss(0.9, 4), 4)
    assert trial.should_prune()
    assert trial.should_prune()
    # What was pruned stays so, also between stages, and for another process.
    trial.report(loss(0.9, 5), 5)
    assert trial.should_prune()
    trial.report(loss(0.9, 2), 2)
    assert trial.should_prune()
    study.pruner = GittinsPruner(cost="paid")
    assert trial.should_prune()
    study.tell(trial, state=TrialState.PRUNED)
    # The other process takes what came in between, and judges the next.
    assert run(study, 0.8)[1] == 0
    assert run(study, 0.005)[1] is None


def test_a_step_before_the_others_is_taken():
    study = study_of()
    study.enqueue_trial({"x": 0.02})
    trial = study.ask(SPACE)
    for step in (12, 3, 1, 0, 6):
        trial.report(loss(0.02, step), step)
        assert not trial.should_prune()
    runs = study.pruner.runs(study)
    runs.sync(study.trials, trial.number, {})
    # A stage may end a little before its share, at the whole step next to it.
    first, second, *_ = study.pruner._shares
    shares = [share for share, _ in runs._told[trial.number].reports]
    assert shares == pytest.approx([first, second, 0.2, 0.35, 0.65])


def test_numbers_that_are_none():
    study = study_of()
    study.enqueue_trial({"x": 0.5})
    trial = study.ask(SPACE)
    for step, outcome in enumerate([math.nan, -math.inf, math.nan]):
        trial.report(outcome, step)
        assert not trial.should_prune()
    trial.report(math.inf, 3)
    study.pruner.runs(study).sync(study.trials, trial.number, {})
    assert trial.should_prune()
    assert trial.should_prune()
    study.tell(trial, state=TrialState.PRUNED)
    assert "nothing is worse than inf" in study.trials[-1].system_attrs["gittins:pruned"]
    # A trial that ends in no number failed.
    study.add_trial(ended(0.55, value=math.inf))
    assert run(study, 0.9)[1] == 0
    assert study.pruner.runs(study).complete == 10


def test_a_trial_that_ends_early_has_its_final_value_to_the_end():
    study = study_of(GittinsPruner(cost="paid", total=2 * STEPS))
    assert run(study, 0.9)[1] is not None
    runs = study.pruner.runs(study)
    assert runs.complete == 10
    assert runs._told[0].reports[-1][0] < 0.5
    assert runs._told[0].cost == STEPS


@pytest.mark.parametrize("total", ["length", "x", lambda trial: trial.user_attrs["length"]])
def test_totals_that_differ_by_trial(total):
    study = optuna.create_study(pruner=GittinsPruner(cost="paid", total=total))
    key = "length" if total != "x" else "other"
    for length in (10, 20, 40):
        for x in (0.2, 0.4, 0.8):
            trial = ended(x, steps=length)
            trial.user_attrs[key] = length
            study.add_trial(trial)
    study.enqueue_trial({"x": 0.9})
    trial = study.ask(SPACE)
    trial.set_user_attr(key, 40)
    trial.report(loss(0.9, 0), 0)
    if total == "x":
        # The parameter is 0.9: one step is beyond the end.
        assert not trial.should_prune()
        return
    # 6 % of 40 are two steps.
    assert not trial.should_prune()
    trial.report(loss(0.9, 1), 1)
    assert trial.should_prune()


def test_a_total_that_is_none_prunes_nothing(caplog):
    def broken(trial):
        raise KeyError("length")

    for total in ("no such name", broken, lambda trial: "many", lambda trial: -1):
        study = study_of(GittinsPruner(cost="paid", total=total))
        assert run(study, 0.9)[1] is None
    assert "The total of trial 10 is unknown: the function raised KeyError" in caplog.text
    assert "expected a positive number, got 'many'" in caplog.text
    assert "expected a positive number, got -1" in caplog.text


def test_costs_of_all_kinds(caplog):
    def broken(trial):
        raise RuntimeError("no meter")

    for cost in ("paid", lambda trial: trial.user_attrs["paid"], broken, "no such name", "seconds"):
        study = study_of(GittinsPruner(cost=cost))
        assert run(study, 0.9)[1] == 0
    assert (
        "The cost of trial 0 is unknown: the function raised RuntimeError: no meter" in caplog.text
    )
    study = study_of()
    study.trials[0].user_attrs.clear()
    study.add_trial(ended(0.7))
    study.add_trial(
        create_trial(params={"x": 0.3}, distributions=SPACE, value=1.0, user_attrs={"paid": "much"})
    )
    assert run(study, 0.9)[1] == 0
    assert "its user attribute 'paid' is 'much', expected a finite number" in caplog.text


def test_the_seconds_of_the_pruner_are_no_cost():
    study = study_of(GittinsPruner())
    study.enqueue_trial({"x": 0.01})
    trial = study.ask(SPACE)
    runs = study.pruner.runs(study)
    goes_on = runs.goes_on

    def slow(number):
        time.sleep(0.2)
        return goes_on(number)

    runs.goes_on = slow
    for step in range(STEPS):
        trial.report(loss(0.01, step), step)
        assert not trial.should_prune()
    study.tell(trial, loss(0.01, STEPS - 1))
    kept = study.trials[-1]
    costs = [said["cost"] for said in sorted(_shared.stages(kept), key=lambda said: said["step"])]
    assert len(costs) == 5
    assert costs == sorted(costs)
    # Five judgments took a second and more, of which nothing is left.
    assert _shared.pruner_seconds(kept) >= 1.0
    assert runs.spent.of(kept) < 1.0
    assert costs[-1] <= runs.spent.of(kept)


def test_what_costs_is_shared_out_by_progress():
    study = study_of()
    runs = study.pruner.runs(study)
    runs.sync(study.trials, 0, {})
    costs, whole = runs.spent.at(study.trials[0], [0, 4, 19], {}, -1)
    assert costs == pytest.approx([1.0, 5.0, 20.0])
    assert whole == 20.0
    # What is known at a step counts.
    costs, whole = runs.spent.at(study.trials[0], [0, 4, 19], {4: 15.0}, -1)
    assert costs == pytest.approx([3.0, 15.0, 20.0])
    assert whole == 20.0


def test_a_price_prunes_what_is_not_worth_it():
    # The end is expected to be better by 0.09, for another 19.
    for price, is_pruned in [(0.05, True), (1e-5, False)]:
        study = study_of(GittinsPruner(price, cost="paid"))
        assert (run(study, 0.01)[1] is not None) == is_pruned


@pytest.mark.parametrize("pruner", [optuna.pruners.MedianPruner(), optuna.pruners.NopPruner()])
def test_trials_of_other_pruners_count(pruner):
    study = study_of(pruner, told=6)
    for x in (0.7, 0.8, 0.9):
        run(study, x)
    study.pruner = GittinsPruner(cost="paid")
    assert run(study, 0.85)[1] == 0


def test_failures_count_and_those_tried_again_do_not():
    study = study_of()
    study.add_trial(ended(0.3, steps=4, state=TrialState.FAIL))
    study.add_trial(create_trial(state=TrialState.FAIL))
    again = ended(0.35)
    again.system_attrs["failed_trial"] = 10
    study.add_trial(again)
    assert run(study, 0.9)[1] == 0
    runs = study.pruner.runs(study)
    assert 10 not in runs._told
    assert runs.complete == 11


def test_a_failure_that_is_tried_again_later_is_taken_back():
    study = study_of()
    study.enqueue_trial({"x": 0.02})
    trial = study.ask(SPACE)
    trial.report(loss(0.02, 0), 0)
    trial.should_prune()
    study.tell(trial, state=TrialState.FAIL)
    run(study, 0.9)
    runs = study.pruner.runs(study)
    assert runs._failed == {trial.number}
    again = ended(0.02)
    again.system_attrs["failed_trial"] = trial.number
    study.add_trial(again)
    assert run(study, 0.9)[1] == 0
    assert (runs._failed, runs.complete) == (set(), 11)
    assert trial.number not in runs._told


def test_a_retry_does_not_inherit_what_was_said_of_the_first():
    study = study_of()
    trial, _ = run(study, 0.9)
    study.enqueue_trial({"x": 0.01})
    attrs = copy.deepcopy(study.trials[trial.number].system_attrs)
    again = study.ask(SPACE)
    for key, value in attrs.items():
        if key.startswith("gittins:"):
            study._storage.set_trial_system_attr(again._trial_id, key, value)
    for step in range(STEPS):
        again.report(loss(0.01, step), step)
        assert not again.should_prune()


def test_parameters_that_exist_in_some_trials():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        kind = trial.suggest_categorical("kind", ["a", "b"])
        extra = trial.suggest_float("extra", 0.0, 1.0) if kind == "b" else 0.0
        for step in range(STEPS):
            trial.set_user_attr("paid", step + 1.0)
            trial.report(loss(x + extra, step), step)
            if step == 2:
                extra += trial.suggest_float("late", 0.0, 0.1)
            if trial.should_prune():
                raise optuna.TrialPruned
        return loss(x + extra, STEPS - 1)

    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=1), pruner=GittinsPruner(cost="paid")
    )
    study.optimize(objective, n_trials=30)
    states = [trial.state for trial in study.trials]
    assert states.count(TrialState.PRUNED) >= 5
    assert states.count(TrialState.COMPLETE) >= 2
    assert TrialState.FAIL not in states


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    for step in range(STEPS):
        trial.set_user_attr("paid", step + 1.0)
        trial.report(loss(x, step), step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss(x, STEPS - 1)


def test_one_seed_fixes_the_run():
    def course():
        sampler = optuna.samplers.TPESampler(seed=3)
        study = optuna.create_study(sampler=sampler, pruner=GittinsPruner(cost="paid", seed=5))
        study.optimize(objective, n_trials=25)
        return [(trial.params, trial.last_step, trial.state) for trial in study.trials]

    assert course() == course()


def test_threads_share_a_pruner():
    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=1), pruner=GittinsPruner(cost="paid")
    )
    study.optimize(objective, n_trials=40, n_jobs=4)
    states = [trial.state for trial in study.trials]
    assert states.count(TrialState.PRUNED) + states.count(TrialState.COMPLETE) == 40
    assert states.count(TrialState.PRUNED) >= 5


def work(storage, name):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(
        study_name=name,
        storage=opened(storage),
        sampler=optuna.samplers.RandomSampler(),
        pruner=GittinsPruner(cost="paid"),
    )
    study.optimize(objective, n_trials=12)


def opened(path):
    if path.endswith(".log"):
        backend = optuna.storages.journal.JournalFileBackend(path)
        return optuna.storages.JournalStorage(backend)
    return f"sqlite:///{path}"


@pytest.mark.parametrize("file", ["study.log", "study.db"])
def test_processes_share_a_study(file, tmp_path):
    path = str(tmp_path / file)
    study = optuna.create_study(storage=opened(path), study_name="shared")
    study.add_trials([ended(0.1 * (k + 1)) for k in range(5)])
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(path, "shared")) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    told = study.trials[5:]
    assert len(told) == 24
    assert all(trial.state.is_finished() for trial in told)
    assert sum(trial.state == TrialState.PRUNED for trial in told) >= 4
    for trial in told:
        assert ("gittins:pruned" in trial.system_attrs) == (trial.state == TrialState.PRUNED)


def test_a_fork_and_a_pickle_begin_without_studies():
    study = study_of()
    run(study, 0.9)
    pruner = study.pruner
    assert len(pruner._studies) == 1
    again = pickle.loads(pickle.dumps(pruner))
    assert (again._studies, repr(again)) == ({}, repr(pruner))
    pruner._start()
    assert pruner._studies == {}
    assert run(study, 0.9)[1] == 0


@pytest.mark.parametrize("sampler", ["gittins", "tpe"])
def test_it_works_beside_the_stop(sampler):
    samplers = {"gittins": GittinsSampler, "tpe": optuna.samplers.TPESampler}
    study = optuna.create_study(
        sampler=samplers[sampler](seed=1), pruner=GittinsPruner(0.001, cost="paid")
    )
    stop = GittinsStop(
        budget=120.0, sampler=GittinsSampler(cost_func=lambda t: t.user_attrs["paid"])
    )
    study.optimize(objective, n_trials=200, callbacks=[stop])
    assert len(study.trials) < 200
    assert study.best_value < 0.25
    paid = sum(trial.user_attrs["paid"] for trial in study.trials)
    assert paid < 120.0 + STEPS


def test_it_works_in_other_pruners():
    inner = GittinsPruner(cost="paid")
    study = study_of(optuna.pruners.PatientPruner(inner, patience=1))
    assert run(study, 0.01)[1] is None
    trial = study.ask(SPACE)
    for step in range(6):
        trial.report(2.0 + step, step)
    assert trial.should_prune()


def test_a_study_without_parameters_that_vary_prunes_nothing():
    study = optuna.create_study(pruner=GittinsPruner(total=STEPS))
    study.add_trials([create_trial(value=1.0, intermediate_values={0: 2.0, 19: 1.0})] * 3)
    trial = study.ask()
    trial.report(900.0, 5)
    assert not trial.should_prune()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"price": 0.0}, "price: expected a positive number, got 0.0"),
        ({"price": True}, "price: expected a positive number, got True"),
        ({"price": "much"}, "price: expected a positive number, got 'much'"),
        ({"hour": -1.0}, "hour: expected a positive number"),
        ({"budget": math.inf}, "budget: expected a positive number"),
        ({"price": 1.0, "hour": 1.0}, "either a price or an hour"),
        ({"hour": 1.0, "cost": "paid"}, "hour: costs must be seconds, but they are by cost='paid'"),
        ({"total": 0}, "total: expected a positive number, got 0"),
        ({"total": [3]}, r"total: expected a positive number, got \[3\]"),
        ({"reports": [0.5, 0.3]}, "reports: .*report 2: expected a progress above 0.5"),
        ({"reports": [3, 9]}, "reports: .*report 1"),
        ({"reports": 0.5}, "reports: expected shares of a trial, got 0.5"),
        ({"reports": {0.5: 1, 1.0: 2}}, "reports: expected shares of a trial, got {0.5"),
        ({"reports": ["a"]}, "reports: expected shares of a trial"),
        ({"cost": 3}, "cost: expected 'seconds', the name of a user attribute or a function"),
        ({"cost": None}, "cost: expected 'seconds'"),
        ({"seed": -1}, "seed: expected a whole number from 0 to .*, got -1"),
        ({"seed": 1.5}, "seed: expected a whole number"),
    ],
)
def test_settings_that_make_no_sense(settings, words):
    with pytest.raises(ValueError, match=words):
        GittinsPruner(**settings)


def test_it_shows_what_was_given():
    assert repr(GittinsPruner()) == "GittinsPruner()"
    shown = repr(GittinsPruner(0.5, budget=3, total=9, reports=[0.5], cost="paid", seed=2))
    assert shown == (
        "GittinsPruner(price=0.5, budget=3, total=9, reports=[0.5], cost='paid', seed=2)"
    )


def test_reports_choose_the_stages():
    study = study_of(GittinsPruner(cost="paid", reports=[0.5]))
    assert run(study, 0.9)[1] == 9


def test_other_threads_go_on_with_their_trials():
    study = study_of()
    trials = [study.ask(SPACE) for _ in range(3)]
    answers = []

    def follow(trial):
        for step in range(STEPS):
            trial.report(loss(0.95, step), step)
            if trial.should_prune():
                answers.append(step)
                return

    threads = [threading.Thread(target=follow, args=(trial,)) for trial in trials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3
