"""The stop on studies of Optuna."""

from __future__ import annotations

import math

import optuna
import pytest

from gittins.optuna import GittinsPruner, GittinsSampler, GittinsStop
from test_sampler import study_of


def objective(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    trial.set_user_attr("cost", 1.0 + x)
    return (x - 0.3) ** 2 + trial.suggest_categorical("k", [0, 1])


@pytest.mark.parametrize("price", [1e-3, 1e-5])
def test_a_study_stops_at_a_price_and_says_why(price):
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=100, callbacks=[GittinsStop(price)])
    assert 5 < len(study.trials) < 60
    assert study.best_value < 0.02
    said = study.user_attrs["gittins:stop"]
    assert said["stop"] is True
    assert said["words"].startswith("stop: ")
    assert said["price"] == price
    assert said["trials"] == len(study.trials)


def test_a_dear_unit_of_cost_stops_earlier():
    lengths = []
    for price in (0.1, 1e-6):
        study = study_of(GittinsSampler(seed=1))
        study.optimize(objective, n_trials=100, callbacks=[GittinsStop(price)])
        lengths.append(len(study.trials))
    assert lengths[0] < lengths[1]


def training(trial):
    """Return the last loss of 30 epochs: 0.04 at best, and about 1 nearly everywhere."""
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    end = 1.0 - math.exp(-((x - 0.7) ** 2 + (y - 0.2) ** 2) / 0.05) + 0.2 * y
    loss = math.inf
    for epoch in range(1, 31):
        loss = end + 2.0 * math.exp(-(2.0 + 8.0 * x) * epoch / 30)
        trial.set_user_attr("cost", float(epoch))
        trial.report(loss, epoch)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss


@pytest.mark.parametrize("seed", [4, 5])
def test_pruned_trials_that_all_counted_the_same_ended_a_study_after_its_design(seed):
    price = 3e-4
    pruner = GittinsPruner(price, cost="cost")
    study = optuna.create_study(sampler=GittinsSampler(seed=seed), pruner=pruner)
    study.optimize(training, n_trials=100, callbacks=[GittinsStop(price)])
    assert study.user_attrs["gittins:stop"]["stop"] is True
    # It ended after 4 trials at 1.03. 30 epochs are worth 0.009 at this price.
    assert len(study.trials) > 10
    assert study.best_value < 0.1


def test_each_worker_sees_the_stop_within_one_trial(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    first = optuna.create_study(study_name="s", storage=storage, sampler=GittinsSampler(seed=1))
    first.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    stopped = len(first.trials)
    assert stopped < 100
    second = optuna.load_study(study_name="s", storage=storage, sampler=GittinsSampler(seed=2))
    second.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    assert len(second.trials) == stopped + 1
    GittinsStop.clear(second)
    second.optimize(objective, n_trials=3, callbacks=[GittinsStop(1e-9)])
    assert len(second.trials) == stopped + 4


def test_threads_stop_together():
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=200, n_jobs=3, callbacks=[GittinsStop(1e-2)])
    said = study.user_attrs["gittins:stop"]
    # Those that were under way end, and each thread may have begun one more.
    assert said["trials"] <= len(study.trials) <= said["trials"] + 6


def test_an_hour_has_a_price_and_another_sampler_can_be_stopped():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    stop = GittinsStop(hour=3600.0 * 1.0)
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=150, callbacks=[stop])
    assert study.user_attrs["gittins:stop"]["price"] == pytest.approx(1.0)
    assert len(study.trials) < 150


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"use_cost": False}, "use_cost=False"),
        ({"cost_func": lambda trial: 1.0}, "cost_func"),
        ({}, "attribute 'cost'"),
    ],
)
def test_an_hour_is_refused_where_costs_are_no_seconds(settings, what):
    study = study_of(GittinsSampler(seed=1, **settings))
    with pytest.raises(ValueError, match=f"hour: costs must be seconds.*{what}"):
        study.optimize(objective, n_trials=5, callbacks=[GittinsStop(hour=1.0)])
    assert len(study.trials) == 1
    # A verdict that stands says nothing of hours either.
    study.set_user_attr("gittins:stop", {"stop": True, "words": "stop", "price": 1e-9})
    with pytest.raises(ValueError, match="hour: costs must be seconds"):
        study.optimize(objective, n_trials=5, callbacks=[GittinsStop(hour=1.0)])


def test_a_study_without_a_complete_trial_goes_on():
    study = study_of(GittinsSampler(seed=1, use_cost=False))

    def pruned(trial):
        trial.report(trial.suggest_float("x", 0.0, 1.0), 1)
        raise optuna.TrialPruned

    stop = GittinsStop(1e6)
    study.optimize(pruned, n_trials=20, callbacks=[stop])
    assert len(study.trials) == 20
    assert stop.judge(study) is None
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=5, callbacks=[stop])
    # One outcome, or two, say nothing of how far another may be.
    assert 21 < len(study.trials) < 25
    assert study.user_attrs["gittins:stop"]["trials"] == len(study.trials)


def test_a_verdict_holds_at_its_price_and_above():
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    first = len(study.trials)
    for price in (1e-2, 0.5):
        study.optimize(objective, n_trials=10, callbacks=[GittinsStop(price)])
        assert study.user_attrs["gittins:stop"]["price"] == 1e-2
    assert len(study.trials) == first + 2
    # A lower price asks for more: the study is judged anew, and says so when it ends.
    study.optimize(objective, n_trials=4, callbacks=[GittinsStop(1e-12)])
    assert len(study.trials) == first + 6
    assert study.user_attrs["gittins:stop"]["price"] == 1e-2
    study.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-5)])
    assert first + 6 < len(study.trials) < first + 106
    assert study.user_attrs["gittins:stop"]["price"] == 1e-5


def test_the_end_of_a_study_is_said_once(caplog):
    logger = optuna.logging.get_logger("optuna")
    study = study_of(GittinsSampler(seed=1))
    logger.addHandler(caplog.handler)
    optuna.logging.set_verbosity(optuna.logging.INFO)
    try:
        study.optimize(objective, n_trials=100, callbacks=[GittinsStop(1e-2)])
    finally:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        logger.removeHandler(caplog.handler)
    said = study.user_attrs["gittins:stop"]
    lines = [one.getMessage() for one in caplog.records if one.name == "optuna.gittins"]
    last = study.trials[-1].number
    assert lines == [f"The study ends after trial {last}, price 0.01: {said['words']}"]


def test_how_sampler_and_stop_were_made_can_be_read():
    sampler = GittinsSampler(seed=1, price=0.5, use_cost=False)
    assert repr(sampler) == "GittinsSampler(seed=1, price=0.5, use_cost=False)"
    assert repr(GittinsSampler()) == "GittinsSampler()"
    assert repr(GittinsStop(0.001)) == "GittinsStop(price=0.001)"
    stop = GittinsStop(hour=2.0, sampler=GittinsSampler(seed=1))
    assert repr(stop) == "GittinsStop(hour=2.0, sampler=GittinsSampler(seed=1))"


def test_a_judgment_waits_for_the_design():
    study = study_of(GittinsSampler(seed=1, n_startup_trials=6))
    study.optimize(objective, n_trials=5)
    assert GittinsStop(1.0).judge(study) is None
    study.optimize(objective, n_trials=1)
    assert GittinsStop(1.0).judge(study)["stop"] is True
    assert GittinsStop(1e-12).judge(study)["stop"] is False


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="none"):
        GittinsStop()
    with pytest.raises(ValueError, match="budget"):
        GittinsStop(1.0, budget=2.0)
    with pytest.raises(ValueError, match="hour"):
        GittinsStop(hour=0.0)
    with pytest.raises(ValueError, match="price: expected a positive number, got 'dear'"):
        GittinsStop("dear")
    with pytest.raises(ValueError, match="price: expected a positive number, got 'dear'"):
        GittinsSampler(price="dear")


def test_a_study_that_ended_by_its_number_of_trials_had_no_verdict_to_read():
    stop = GittinsStop(1e-6)
    study = study_of(GittinsSampler(seed=1))
    study.optimize(objective, n_trials=8, callbacks=[stop])
    assert "gittins:stop" not in study.user_attrs
    verdict = stop.verdict(study)
    assert not verdict
    assert not verdict.stop
    assert str(verdict).startswith("continue: ")
    assert verdict.words == stop.judge(study)["words"]
    # The class knows no price: it says whether anything ended the study.
    assert str(GittinsStop.verdict(study)).startswith("continue: no stop has ended the study")
    # A dearer one judges that it is over, and writes nothing.
    dear = GittinsStop(10.0).verdict(study)
    assert dear
    assert dear.words.startswith("stop: ")
    assert "gittins:stop" not in study.user_attrs


def test_the_verdict_of_a_study_that_ended_is_the_one_that_ended_it(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    study = optuna.create_study(study_name="s", storage=storage, sampler=GittinsSampler(seed=1))
    stop = GittinsStop(1e-2)
    study.optimize(objective, n_trials=100, callbacks=[stop])
    said = study.user_attrs["gittins:stop"]
    loaded = optuna.load_study(study_name="s", storage=storage)
    for verdict in (stop.verdict(study), GittinsStop(1e-2).verdict(loaded)):
        assert verdict
        assert (verdict.words, verdict.rule) == (said["words"], said["rule"])
        assert verdict.statistic == float(said["statistic"])
    assert GittinsStop.verdict(loaded) == stop.verdict(study)
    GittinsStop.clear(loaded)
    assert not GittinsStop.verdict(loaded)


@pytest.mark.parametrize("given", [{"price": 1e-3}, {"hour": 0.1}, {"budget": 50.0}])
@pytest.mark.parametrize("directions", [["minimize"], ["minimize", "maximize"]])
def test_a_fresh_study_has_a_verdict_to_go_on(given, directions):
    study = optuna.create_study(directions=directions, sampler=GittinsSampler(seed=1))
    for one in (study, optuna.create_study(directions=directions)):
        verdict = GittinsStop(**given).verdict(one)
        assert not verdict
        assert verdict.words.startswith("continue: ")
        assert "not told yet" in verdict.words
        assert ("50" in verdict.words) == ("budget" in given)
        assert not GittinsStop.verdict(one)
    # Nothing that failed is complete.
    study.optimize(lambda trial: [][1], n_trials=12, catch=IndexError)
    assert GittinsStop(**given).verdict(study).words.startswith("continue: ")


def two(trial):
    x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
    trial.set_user_attr("cost", 1.0 + x)
    return (x - 0.3) ** 2 + y, (x - 0.7) ** 2 + (y - 0.2) ** 2


@pytest.mark.parametrize("reference", [None, [1.0, 1.0], [None, 1.0]])
def test_a_study_of_two_objectives_stops_at_a_price(reference):
    sampler = GittinsSampler(seed=1, reference=reference)
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    stop = GittinsStop(1e-3)
    study.optimize(two, n_trials=80, callbacks=[stop])
    assert 5 < len(study.trials) < 80
    said = study.user_attrs["gittins:stop"]
    assert said["words"].startswith("stop: ")
    assert stop.verdict(study).words == said["words"]
    assert GittinsStop(1e-9).verdict(study).words.startswith("continue: ")


def test_a_study_of_two_objectives_stops_at_its_budget():
    study = optuna.create_study(
        directions=["minimize", "maximize"], sampler=GittinsSampler(seed=1, use_cost=False)
    )
    study.optimize(two, n_trials=80, callbacks=[GittinsStop(budget=9.0)])
    assert len(study.trials) == 9
    assert "the budget of 9 is spent" in study.user_attrs["gittins:stop"]["words"]


def test_a_study_of_four_objectives_is_refused_by_its_number():
    study = optuna.create_study(directions=["minimize"] * 4)
    with pytest.raises(ValueError, match="expected at most 3 objectives, got 4"):
        GittinsStop(1e-3).verdict(study)


@pytest.mark.parametrize(
    ("reference", "count", "message"),
    [
        ([1.0], 2, "reference: expected one for each of 2, got 1"),
        ([1.0], 1, "reference: expected none for one objective, got 1"),
        (1.0, 2, "reference: expected a number or None for each objective, got 1.0"),
        (["a", 1.0], 2, "reference: expected a number, got 'a'"),
        ([math.nan, 1.0], 2, "reference: .* got nan"),
    ],
)
def test_references_that_make_no_sense_are_named(reference, count, message):
    study = optuna.create_study(directions=["minimize"] * count)
    with pytest.raises(ValueError, match=message):
        GittinsStop(1e-3, sampler=GittinsSampler(reference=reference)).verdict(study)


def test_a_budget_with_nothing_that_holds_its_constraints_goes_on():
    def broken(trial):
        trial.suggest_float("x", 0.0, 1.0)
        return 1.0

    sampler = GittinsSampler(seed=1, use_cost=False, constraints_func=lambda trial: [1.0])
    study = study_of(sampler)
    stop = GittinsStop(budget=12.0)
    study.optimize(broken, n_trials=30, callbacks=[stop])
    assert len(study.trials) == 12
    assert stop.verdict(study)
