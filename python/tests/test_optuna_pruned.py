"""What trials count as that have no final value."""

from __future__ import annotations

import math

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState, create_trial

from gittins.optuna import GittinsSampler
from gittins.optuna.pruner import PRUNED
from test_sampler import model_of, states_of, study_of, trials_of

SPACE = {"x": FloatDistribution(0.0, 1.0)}


def outcomes_of(study):
    """Return what the engine knows, by the parameter."""
    return {trial.values[0]: trial.outcome for trial in trials_of(study)}


def complete(x, value, steps=None):
    return create_trial(
        params={"x": x}, distributions=SPACE, value=value, intermediate_values=steps or {}
    )


def pruned(x, steps, attrs=None):
    return create_trial(
        params={"x": x},
        distributions=SPACE,
        state=TrialState.PRUNED,
        intermediate_values=steps,
        system_attrs=attrs or {},
    )


def test_failed_pruned_and_infeasible_trials_teach_what_they_can():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    space = {"x": FloatDistribution(0.0, 1.0)}
    for number, (x, state, value, steps) in enumerate(
        [
            (0.1, TrialState.COMPLETE, 1.0, {}),
            (0.3, TrialState.COMPLETE, 3.0, {}),
            (0.4, TrialState.PRUNED, None, {0: 0.5}),
            (0.5, TrialState.PRUNED, None, {0: 9.0, 2: 7.0}),
            (0.6, TrialState.PRUNED, None, {}),
            (0.7, TrialState.FAIL, None, {}),
            (0.8, TrialState.COMPLETE, math.inf, {}),
            (0.9, TrialState.COMPLETE, 0.0, {}),
        ]
    ):
        attrs = {"constraints": [0.5, -1.0]} if number == 7 else {}
        study.add_trial(
            create_trial(
                params={"x": x},
                distributions=space,
                state=state,
                value=value,
                intermediate_values=steps,
                system_attrs=attrs,
            )
        )
    assert states_of(study) == ["complete"] * 4 + ["failed"] * 3 + ["complete"]
    broken = trials_of(study)[-1]
    assert broken.measured == {"constraint 0": 0.5, "constraint 1": -1.0}
    outcomes = [trial.outcome for trial in trials_of(study)]
    # Of the two feasible ones the worse one counts.
    assert outcomes[2:4] == [3.0, 3.0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_pruned_trial_is_the_median_of_the_complete_ones(sign):
    direction = "minimize" if sign > 0 else "maximize"
    study = study_of(GittinsSampler(seed=1, use_cost=False), direction=direction)
    study.add_trials([complete(0.1, sign * 1.0), complete(0.2, sign * 3.0)])
    # Values of early steps are of another size, be they far worse or better.
    study.add_trials([pruned(0.3, {0: sign * 900.0}), pruned(0.4, {0: sign * 0.5})])
    assert outcomes_of(study) == {
        0.1: sign * 1.0,
        0.2: sign * 3.0,
        0.3: sign * 3.0,
        0.4: sign * 3.0,
    }
    # What it counts as follows the complete ones, whatever was told before.
    study.add_trials([complete(0.5, sign * 0.7), complete(0.6, sign * 0.8), complete(0.7, sign)])
    kept = outcomes_of(study)
    assert (kept[0.3], kept[0.4]) == (sign, sign)
    study.sampler = GittinsSampler(seed=1, use_cost=False)
    assert outcomes_of(study) == kept


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_trial_that_our_pruner_ended_counts_with_its_last_value(sign):
    def steps(*values):
        return {step: sign * value for step, value in enumerate(values, 1)}

    ours = {PRUNED: "at step 2"}
    direction = "minimize" if sign > 0 else "maximize"
    study = study_of(GittinsSampler(seed=1, use_cost=False), direction=direction)
    study.add_trial(complete(0.1, sign * 1.0, steps(9.0, 5.0, 1.0)))
    study.add_trials([pruned(0.2, steps(9.5, 7.0), ours), pruned(0.3, steps(0.5), ours)])
    # It became no better, as the complete one did: neither by as much nor by less.
    assert outcomes_of(study) == {0.1: sign * 1.0, 0.2: sign * 7.0, 0.3: sign * 0.5}
    study.add_trial(pruned(0.4, steps(9.5, 7.0)))
    assert outcomes_of(study)[0.4] == sign * 1.0
    # Curves that become worse are expected to: here by 2 and 8 after step 2, before by -4.
    study.add_trials([complete(0.5, sign * 6.0, steps(2.0, 4.0))])
    study.add_trials([complete(0.6, sign * 12.0, {**steps(2.0, 4.0), 3: sign * math.nan})])
    kept = outcomes_of(study)
    assert (kept[0.2], kept[0.3], kept[0.4]) == (sign * 9.0, sign * 4.5, sign * 6.0)
    study.sampler = GittinsSampler(seed=1, use_cost=False)
    assert outcomes_of(study) == kept


def test_our_pruned_trial_is_the_median_if_no_complete_one_reported_before():
    study = study_of(GittinsSampler(seed=1, use_cost=False))
    study.add_trials([complete(0.1, 1.0), complete(0.2, 2.0, {5: 3.0})])
    study.add_trial(pruned(0.3, {1: 40.0}, {PRUNED: "at step 1"}))
    assert outcomes_of(study)[0.3] == 2.0


def test_pruned_trials_alone_wait_for_a_complete_one():
    study = study_of(GittinsSampler(seed=1, use_cost=False))

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.report(100.0 * x, 1)
        if trial.number < 12:
            raise optuna.TrialPruned
        return x

    study.optimize(objective, n_trials=12)
    # Nothing is known to compare with: all come from the design.
    numbers = sorted(trial.params["x"] for trial in study.trials)
    assert max(b - a for a, b in zip(numbers, numbers[1:])) < 0.3
    assert model_of(study).complete == 0
    assert states_of(study) == []
    study.optimize(objective, n_trials=1)
    assert model_of(study).complete == 1
    assert set(outcomes_of(study).values()) == {study.trials[12].value}
    assert len(states_of(study)) == 13


def test_a_pruned_trial_costs_what_it_took():
    study = study_of(GittinsSampler(seed=1, cost_func=lambda trial: 1.0 + trial.number))
    study.add_trials([complete(0.1, 1.0), pruned(0.2, {0: 5.0}), complete(0.3, 2.0)])
    study.add_trial(complete(0.4, 9.0))
    assert [trial.cost for trial in trials_of(study)] == [1.0, 2.0, 3.0, 4.0]
