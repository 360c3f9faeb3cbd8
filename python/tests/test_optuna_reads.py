"""How often the storage of a study is read."""

from __future__ import annotations

import pytest

from gittins.optuna import GittinsSampler, GittinsStop
from test_sampler import model_of, study_of


@pytest.fixture
def study():
    return study_of(GittinsSampler(seed=1, use_cost=False))


def objective(trial):
    return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2 + trial.suggest_float("y", 0.0, 1.0)


def reads_of(study, monkeypatch):
    """Return a list that grows with each read of all trials."""
    read, found = study._storage.get_all_trials, []

    def counting(study_id, deepcopy=True, states=None):
        if states is None:
            found.append(study_id)
        return read(study_id, deepcopy=deepcopy, states=states)

    monkeypatch.setattr(study._storage, "get_all_trials", counting)
    return found


def test_a_suggestion_reads_before_it_chooses_and_after_it_published(study, monkeypatch):
    study.optimize(objective, n_trials=8)
    found = reads_of(study, monkeypatch)
    objective(study.ask())
    assert len(found) == 2


def test_the_stop_reads_the_trials_once(study, monkeypatch):
    study.optimize(objective, n_trials=8)
    last = study.trials[-1]
    found = reads_of(study, monkeypatch)
    GittinsStop(1e-9)(study, last)
    assert len(found) == 1


def test_what_was_read_before_others_went_on_is_not_used(study):
    study.optimize(objective, n_trials=8)
    sampler, first = study.sampler, study.ask()
    frozen = study.trials[first.number]
    space = sampler.infer_relative_search_space(study, frozen)
    # Another thread ends a trial meanwhile, and the engine is told of it.
    study.optimize(objective, n_trials=1)
    engine = model_of(study).inner
    sampler.sample_relative(study, frozen, space)
    # Trials that vanish would have made it begin anew.
    assert sampler.history(study).inner is engine
    assert model_of(study).complete == 9
