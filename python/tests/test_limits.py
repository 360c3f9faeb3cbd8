"""Limits on measured numbers, in studies and in Optuna's."""

import math

import pytest

import gittins

SQUARE = gittins.Space().float("x", 0.0, 2.0).float("y", 0.0, 2.0)
LIMITS = {"sum": {"at_least": 1.2}}


def run(study, trials):
    for _ in range(trials):
        ask = study.ask()
        study.tell(ask, ask["x"] ** 2 + ask["y"] ** 2, measured={"sum": ask["x"] + ask["y"]})


def test_the_end_is_on_the_limit():
    study = gittins.Study(SQUARE, limits=LIMITS)
    run(study, 40)
    best = study.best()
    assert best.measured["sum"] >= 1.2
    assert 0.0 <= best.outcome - 0.72 < 1e-5
    recommended = study.recommendation()
    assert recommended.measured == best.measured
    assert "sum 1.2" in str(recommended)


def test_nothing_is_in_hand_while_no_trial_holds():
    study = gittins.Study(
        SQUARE, limits={"sum": {"at_least": 5.0}}, policy=gittins.policy.gittins(1e-2)
    )
    run(study, 12)
    assert study.best() is None
    assert study.recommendation() is None
    assert "which must be at least 5" in study.verdict().words


def test_what_could_not_be_measured_is_none_or_nan():
    study = gittins.Study(SQUARE, limits=LIMITS)
    for missing in (None, math.nan):
        study.tell(study.ask(), 1.0, measured={"sum": missing})
    assert study.best() is None
    assert math.isnan(study.trials()[0].measured["sum"])
    study.correct(0, 1.0, measured={"sum": 3.0})
    assert study.best().trial == 0


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (["sum"], "expected a mapping"),
        ({"sum": 1.2}, "expected {'at_most': ...}"),
        ({"sum": {"at_mots": 1.2}}, "did you mean 'at_most'"),
        ({"sum": {"at_most": 1.2, "at_least": 0.0}}, "expected {'at_most': ...}"),
        ({"sum": {"at_most": "1.2"}}, "limits: sum: at_most"),
        ({"sum": {"at_most": math.nan}}, "limits: sum: at_most"),
        ({"": {"at_most": 1.0}}, "limits"),
        ({"cost": {"at_most": 1.0}}, "another name"),
    ],
)
def test_limits_that_make_no_sense_are_named(limits, words):
    with pytest.raises(gittins.errors.GittinsError, match=r".") as error:
        gittins.Study(SQUARE, limits=limits)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (None, '"sum", which must be at least 1.2'),
        ({}, '"sum", which must be at least 1.2'),
        ({"sun": 1.0}, 'did you mean "sum"?'),
        ({"sum": "1.0"}, "sum"),
        ({"sum": math.inf}, "sum"),
        (1.3, "expected a mapping"),
    ],
)
def test_what_is_told_by_mistake_is_named(measured, words):
    study = gittins.Study(SQUARE, limits=LIMITS)
    ask = study.ask()
    with pytest.raises(gittins.errors.GittinsError, match="trial 0") as error:
        study.tell(ask, 1.0, measured=measured)
    assert words in str(error.value)
    study.tell(ask, 1.0, measured={"sum": 1.3})


def test_a_file_keeps_what_was_measured(tmp_path):
    path = tmp_path / "study.log"
    study = gittins.Journal(path, SQUARE, limits=LIMITS)
    run(study, 8)
    again = gittins.Journal(path)
    assert [trial.measured for trial in again.trials()] == [
        trial.measured for trial in study.trials()
    ]
    # Another bound judges the same numbers.
    wider = gittins.Journal(path, SQUARE, limits={"sum": {"at_least": 9.0}})
    assert wider.best() is None


def test_a_record_has_a_column_for_each_measured_number():
    limits = {"sum": {"at_least": 1.2}, "x": {"at_most": 1.5}, "mean": {"at_most": 1.0}}
    study = gittins.Study(SQUARE, limits=limits, initial=3)
    assert study.record()["sum"] == []
    told = [{"sum": 1.5, "x": 1.0, "mean": 0.5}, {"sum": None, "x": 1.0, "mean": 0.25}]
    for measured in told:
        study.tell(study.ask(), 1.0, measured=measured)
    study.tell(study.ask(), infeasible=True, measured={"x": 9.0})
    record = study.record()
    assert record["sum"][0] == 1.5
    assert math.isnan(record["sum"][1])
    assert record["sum"][2] is None
    # The names of a parameter and of a fact are taken.
    assert record["measured x"] == [1.0, 1.0, 9.0]
    assert record["measured mean"] == [0.5, 0.25, None]
    assert record["x"] == [trial.values["x"] for trial in study.trials()]
    assert record["best"] == [1.0, 1.0, 1.0]
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(record)
    assert list(frame["measured x"]) == [1.0, 1.0, 9.0]
    import pyarrow

    assert str(pyarrow.table(record).schema.field("sum").type) == "double"


def test_rules_that_count_heed_limits():
    study = gittins.Study(
        SQUARE, limits=LIMITS, initial=1, stop={"name": "stall", "window": 2}, policy="log_ei"
    )
    for outcome, total in [(4.0, 2.0), (3.0, 2.0), (2.0, 1.0), (1.0, 1.0)]:
        study.tell(study.ask(), outcome, measured={"sum": total})
    assert study.verdict()
    with pytest.raises(gittins.errors.GittinsError, match="ignores limits"):
        study.change_policy("ucb")


def sampled(constraint, trials=40, **settings):
    optuna = pytest.importorskip("optuna")
    from gittins.optuna import GittinsSampler

    def objective(trial):
        x, y = (trial.suggest_float(name, 0.0, 2.0) for name in "xy")
        trial.set_user_attr("constraint", constraint(x, y))
        return x**2 + y**2

    sampler = GittinsSampler(
        seed=1,
        use_cost=False,
        constraints_func=lambda trial: (trial.user_attrs["constraint"],),
        **settings,
    )
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return study


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_sampler_learns_constraints_by_their_size():
    study = sampled(lambda x, y: 1.2 - x - y)
    assert 0.0 <= study.best_value - 0.72 < 1e-5


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_sampler_leaves_its_design_while_no_trial_holds():
    # A disk of a ten-thousandth of the square, which no design finds.
    study = sampled(lambda x, y: (x - 1.7) ** 2 + (y - 0.3) ** 2 - 1e-4, trials=30)
    assert study.best_value < (1.71**2 + 0.31**2) * 1.01


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_an_infinite_constraint_is_learned_by_its_sign():
    study = sampled(lambda x, y: math.inf if x + y < 1.2 else -1.0)
    assert 0.0 <= study.best_value - 0.72 < 0.2


def test_named_constraints_of_trials():
    optuna = pytest.importorskip("optuna")
    from gittins.optuna import GittinsSampler

    if not hasattr(optuna.trial.Trial, "set_constraint"):
        pytest.skip("this Optuna has no Trial.set_constraint")

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        # One of them appears late.
        trial.set_constraint("size", x - 0.5)
        if trial.number > 10:
            trial.set_constraint("height", x - 0.4)
        return -x

    study = optuna.create_study(sampler=GittinsSampler(seed=1, use_cost=False))
    study.optimize(objective, n_trials=25)
    found = [trial.params["x"] for trial in study.trials if trial.number > 10]
    assert 0.0 <= 0.4 - max(x for x in found if x <= 0.4) < 1e-3
