"""Several objectives, in studies and in Optuna's."""

import math
import re

import pytest

import gittins

LINE = gittins.Space().float("x", 0.0, 1.0).float("y", 0.0, 1.0)
BOTH = {"second": {"direction": "minimize", "reference": 0.4}}


def bowls(x, y):
    return (x - 0.2) ** 2 + (y - 0.5) ** 2, (x - 0.8) ** 2 + (y - 0.5) ** 2


def run(study, trials):
    for _ in range(trials):
        ask = study.ask()
        first, second = bowls(ask["x"], ask["y"])
        study.tell(ask, first, measured={"second": second})


def test_a_study_has_a_front():
    study = gittins.Study(LINE, objectives=BOTH, reference=0.4)
    run(study, 30)
    front = study.front()
    assert len(front) > 8
    # The front is the line between both centers.
    assert all(abs(trial.values["y"] - 0.5) < 0.1 for trial in front)
    assert study.best() is None
    assert study.recommendation() is None


def test_a_price_of_volume_ends_it_and_a_file_goes_on(tmp_path):
    path = tmp_path / "study.log"
    settings = {"objectives": BOTH, "reference": 0.4, "policy": gittins.policy.gittins(1e-3)}
    study = gittins.Journal(path, LINE, **settings)
    while not study.verdict():
        run(study, 1)
        assert len(study.trials()) < 150
    assert "volume" in study.verdict().words
    again = gittins.Journal(path)
    assert [trial.trial for trial in again.front()] == [trial.trial for trial in study.front()]


def test_with_one_objective_the_front_is_the_recommended_trial():
    study = gittins.Study(LINE)
    for _ in range(6):
        ask = study.ask()
        study.tell(ask, ask["x"])
    assert [trial.trial for trial in study.front()] == [study.recommendation().trial]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"objectives": ["second"]}, "expected a mapping"),
        ({"objectives": {"second": "minimise"}}, "objectives: second: direction"),
        ({"objectives": {"second": 3.0}}, "expected 'minimize' or 'maximize'"),
        ({"objectives": {"second": {"reference": 3.0}}}, "expected 'minimize' or 'maximize'"),
        (
            {"objectives": {"second": {"direction": "minimize", "refrence": 3.0}}},
            "did you mean 'reference'",
        ),
        ({"objectives": {"second": {"direction": "minimize", "reference": "3"}}}, "reference"),
        ({"objectives": {"second": {"direction": "minimize", "reference": math.nan}}}, "reference"),
        ({"objectives": {"cost": "minimize"}}, "another name"),
        ({"objectives": dict.fromkeys("abc", "minimize")}, "at most 3 objectives"),
        ({"reference": 1.0}, "several objectives"),
        ({"objectives": BOTH, "policy": "ucb"}, "knows one objective"),
        ({"objectives": BOTH, "limits": {"second": {"at_most": 1.0}}}, "has a limit"),
    ],
)
def test_what_makes_no_sense_is_named(settings, words):
    with pytest.raises(gittins.errors.GittinsError, match=re.escape(words)):
        gittins.Study(LINE, **settings)


def test_the_sampler_takes_two_and_three_directions():
    optuna = pytest.importorskip("optuna")
    from gittins.optuna import GittinsSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        first, second = bowls(*(trial.suggest_float(name, 0.0, 1.0) for name in "xy"))
        return [first, -second, trial.params["x"]][: len(study.directions)]

    for directions in (["minimize", "maximize"], ["minimize", "maximize", "minimize"]):
        study = optuna.create_study(
            directions=directions, sampler=GittinsSampler(seed=1, use_cost=False)
        )
        study.optimize(objective, n_trials=30)
        near = [trial for trial in study.best_trials if abs(trial.params["y"] - 0.5) < 0.1]
        assert len(near) > 8
    study = optuna.create_study(directions=["minimize"] * 4, sampler=GittinsSampler(seed=1))
    with pytest.raises(ValueError, match="at most 3 objectives"):
        study.optimize(lambda trial: [trial.suggest_float("x", 0.0, 1.0)] * 4, n_trials=1)
