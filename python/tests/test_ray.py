"""Ray Tune: the search and the scheduler of a study of runs in stages."""

from __future__ import annotations

import json
import math
import os
import pathlib
import pickle
import sys

import pytest

import gittins
from gittins.errors import GittinsError, InvalidSettingError

ray = pytest.importorskip("ray")
tune = pytest.importorskip("ray.tune")
room = pytest.importorskip("gittins.ray")

# The workers have no such module.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])

SPACE = gittins.Space().log_float("model/rate", 1e-4, 1.0)


class Training(tune.Trainable):
    """A curve for each rate. It breaks at large rates, and is not finite at small ones."""

    def setup(self, config):
        self.reset_config(config)

    def reset_config(self, config):
        self.rate = config["model"]["rate"]
        self.ends = config.get("ends", 27)
        self.marks = config.get("marks")
        self.epoch = 0
        return True

    def step(self):
        self.epoch += 1
        # An epoch counts once: what it reports comes from a checkpoint.
        assert self.epoch == self.iteration + 1
        mark = pathlib.Path(self.marks or "", f"{self.rate}")
        if self.marks and self.epoch == 3 and not mark.exists():
            mark.touch()
            message = "lost"
            raise OSError(message)
        if self.rate > 0.5:
            message = "diverged"
            raise ValueError(message)
        loss = math.log(self.rate / 0.01) ** 2 / 50 + 1 / self.epoch
        told = {"loss": loss if self.rate > 2e-4 else math.nan, "paid": 1.0}
        return {**told, "done": self.epoch >= self.ends}

    def save_checkpoint(self, folder):
        pathlib.Path(folder, "epoch").write_text(str(self.epoch))

    def load_checkpoint(self, folder):
        self.epoch = int(pathlib.Path(folder, "epoch").read_text())


def in_epochs(config):
    """Train the same as a function."""
    kept = tune.get_checkpoint()
    epoch = 0
    if kept:
        with kept.as_directory() as folder:
            epoch = json.loads(pathlib.Path(folder, "epoch").read_text())
    while epoch < config["ends"]:
        epoch += 1
        folder = pathlib.Path(f"epoch {epoch}")
        folder.mkdir()
        (folder / "epoch").write_text(json.dumps(epoch))
        loss = math.log(config["model"]["rate"] / 0.01) ** 2 / 50 + 1 / epoch
        told = {"loss": loss, "paid": 1.0, "training_iteration": epoch}
        tune.report(told, checkpoint=tune.Checkpoint.from_directory(folder))


class Crash(tune.Callback):
    """Breaks the experiment once."""

    def __init__(self, after, mark):
        self.after, self.mark = after, mark

    def on_trial_result(self, **_):
        self.after -= 1
        if self.after == 0 and not self.mark.exists():
            self.mark.touch()
            message = "crash"
            raise RuntimeError(message)


@pytest.fixture(scope="module")
def cluster(with_ray):
    os.environ.update(
        RAY_USAGE_STATS_ENABLED="0", RAY_AIR_NEW_OUTPUT="0", TUNE_GLOBAL_CHECKPOINT_S="0"
    )
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


def tuner(search, train, folder, *, callbacks=(), failures=0, **constants):
    config = tune.TuneConfig(
        search_alg=search,
        scheduler=room.GittinsScheduler(search),
        num_samples=-1,
        max_concurrent_trials=2,
        reuse_actors=True,
    )
    run = tune.RunConfig(
        storage_path=str(folder),
        name="experiment",
        verbose=0,
        callbacks=list(callbacks),
        failure_config=tune.FailureConfig(max_failures=failures),
    )
    return tune.Tuner(train, param_space=constants, tune_config=config, run_config=run)


def test_trials_are_left_and_resumed_as_the_study_says(cluster, tmp_path):
    study = gittins.Study(SPACE, stages={"epochs": 27}, budget=100.0)
    search = room.GittinsSearch(study, "loss", cost="paid")
    results = tuner(search, Training, tmp_path).fit()
    runs = study.trials()
    assert study.verdict()
    assert len(results) == len(runs)
    # The rate at 0.67 breaks, and that at 0.00015 is not finite.
    assert [run.trial for run in runs if run.state == "failed"] == [3, 8]
    assert results.num_errors == 1
    # Each trial trained once as far as its run was paid for.
    trained = sorted(r.metrics["training_iteration"] for r in results if r.error is None)
    paid = [run.progress for run in runs if run.reports]
    assert trained == sorted([*paid, 1])
    assert sum(paid) == study.total_cost - 1.0
    assert any(len(run.reports) > 1 for run in runs if run.state == "paused")
    best = study.best()
    assert best.progress == 27.0
    # Two at a time: the budget may be exceeded by what the other one had begun.
    assert 73.0 < study.total_cost < 127.0
    shown = room.GittinsScheduler(search).debug_string()
    assert shown.startswith("GittinsScheduler: ")
    assert "2 failed" in shown


@pytest.mark.parametrize("train", [Training, in_epochs])
def test_a_trial_that_ends_early_has_its_last_outcome_to_the_end(cluster, tmp_path, train):
    space = gittins.Space().log_float("model/rate", 1e-3, 1e-1)
    study = gittins.Study(space, stages={"epochs": 27}, budget=50.0, initial=4)
    search = room.GittinsSearch(study, "loss", cost="paid")
    tuner(search, train, tmp_path, ends=7).fit()
    done = [run for run in study.trials() if run.state == "complete"]
    assert done
    for run in done:
        assert run.cost == 7.0
        assert [report.cost for report in run.reports] == [2.0, 1.0, 2.0, 2.0, 0.0, 0.0]
        assert len({report.outcome for report in run.reports[-3:]}) == 1


def is_whole(path):
    try:
        return bool(json.loads(path.read_text()))
    except ValueError:
        return False


def test_an_experiment_is_restored_from_a_study_in_a_file(cluster, tmp_path):
    space = gittins.Space().log_float("model/rate", 1e-3, 1e-1)
    # What breaks Ray may come while it writes its own state: it is broken anew then.
    for attempt in range(4):
        tmp_path = tmp_path / f"{attempt}"
        tmp_path.mkdir()
        study = gittins.Journal(tmp_path / "journal", space, stages={"epochs": 27}, budget=120.0)
        search = room.GittinsSearch(study, "loss", cost="paid")
        crash = Crash(30, tmp_path / "crashed")
        with pytest.raises(tune.TuneError, match="crash"):
            tuner(search, Training, tmp_path, callbacks=[crash]).fit()
        if is_whole(max(tmp_path.glob("experiment/experiment_state-*.json"))):
            break
    before = gittins.Journal(tmp_path / "journal").trials()
    assert any(run.state == "pending" for run in before)
    results = tune.Tuner.restore(str(tmp_path / "experiment"), Training).fit()
    study = gittins.Journal(tmp_path / "journal")
    assert study.verdict()
    after = study.trials()
    assert len(after) > len(before)
    # One may have been asked for in the step that broke: Ray does not know it.
    lost = sum(run.state == "failed" for run in after)
    assert lost <= 1
    assert len(results) == len(after) - lost
    assert not any(run.state == "pending" for run in after)
    # What was reported stands, and was gone on from.
    for old, new in zip(before, after):
        assert new.reports[: len(old.reports)] == old.reports


def test_a_report_after_the_last_save_is_not_told_again(tmp_path):
    def begun(study):
        search = room.GittinsSearch(study, "loss", cost="paid")
        room.GittinsScheduler(search)
        return search

    def told(epoch):
        return {"loss": 1 / epoch, "paid": 1.0, "training_iteration": epoch}

    study = gittins.Journal(tmp_path / "journal", SPACE, stages={"epochs": 27}, budget=100.0)
    search = begun(study)
    search.suggest("0")
    search.save(str(tmp_path / "saved"))
    epochs = range(1, int(search._courses["0"].until) + 1)
    decisions = [search.result("0", told(epoch)) for epoch in epochs]
    assert decisions[-1] == "PAUSE"
    before = study.trials()[0].reports
    again = begun(gittins.Journal(tmp_path / "journal"))
    again.restore(str(tmp_path / "saved"))
    assert [again.result("0", told(epoch)) for epoch in epochs] == ["CONTINUE"] * len(epochs)
    assert gittins.Journal(tmp_path / "journal").trials()[0].reports == before


def test_a_trial_that_ray_begins_anew_is_the_same_run(cluster, tmp_path):
    space = gittins.Space().log_float("model/rate", 1e-3, 1e-1)
    study = gittins.Study(space, stages={"epochs": 27}, budget=60.0)
    search = room.GittinsSearch(study, "loss", cost="paid")
    results = tuner(search, Training, tmp_path, failures=1, marks=str(tmp_path)).fit()
    runs = study.trials()
    assert results.num_errors == 0
    assert len(results) == len(runs)
    assert not any(run.state in ("pending", "failed") for run in runs)
    # The third epoch broke once, and what was trained twice since the last checkpoint is paid for.
    assert len(list(tmp_path.glob("0.*"))) == sum(run.progress > 2.0 for run in runs)
    assert all(run.cost >= run.progress for run in runs)


def test_runs_that_another_experiment_left_count_as_failed():
    study = gittins.Study(SPACE, stages={"epochs": 27}, budget=100.0)
    lost = study.ask()
    study.report(lost, lost.until, 1e-6, cost=2.0)
    search = room.GittinsSearch(study, "loss", cost="paid")
    room.GittinsScheduler(search)
    epochs, rates = {}, {}
    # One at a time, as Ray does it.
    for number in range(1000):
        trial = str(number)
        config = search.suggest(trial)
        if config == search.FINISHED:
            break
        if config is None:
            trial, search._left = search._left, None
        else:
            epochs[trial], rates[trial] = 0, config["model"]["rate"]
        decision = "CONTINUE"
        while decision == "CONTINUE":
            epochs[trial] += 1
            loss = math.log(rates[trial] / 0.01) ** 2 / 50 + 1 / epochs[trial]
            told = {"loss": loss, "paid": 1.0, "training_iteration": epochs[trial]}
            decision = search.result(trial, told)
    runs = study.trials()
    assert study.verdict()
    assert runs[lost.trial].state == "failed"
    assert len(runs) == len(rates) + 1
    assert "complete" in [run.state for run in runs]


def searched(**settings):
    study = gittins.Study(SPACE, stages={"epochs": 27}, budget=10.0)
    search = room.GittinsSearch(study, **settings)
    room.GittinsScheduler(search)
    return search


def test_a_search_says_what_is_wrong_with_it():
    with pytest.raises(
        InvalidSettingError, match=r"study: expected a gittins\.Study\(space, stages="
    ):
        room.GittinsSearch(gittins.Study(SPACE))
    with pytest.raises(InvalidSettingError, match="metric"):
        searched(metric=3)
    with pytest.raises(InvalidSettingError, match="search: expected a GittinsSearch"):
        room.GittinsScheduler(gittins.Study(SPACE, stages={"epochs": 27}))
    with pytest.raises(InvalidSettingError, match="param_space: 'model/width' is searched"):
        searched().set_search_properties("loss", "min", {"model": {"width": tune.choice([1, 2])}})
    with pytest.raises(InvalidSettingError, match="param_space: 'width' is searched"):
        searched().set_search_properties("loss", "min", {"width": tune.grid_search([1, 2])})
    fixed = {"other": 1, "model": {"rate": 0.1}}
    with pytest.raises(InvalidSettingError, match=r"one value by .*'model/rate', 0\.1"):
        searched().set_search_properties("loss", "min", fixed)
    assert searched().set_search_properties("loss", "min", {"other": 1, "model": {"net": [8, 8]}})
    with pytest.raises(InvalidSettingError, match="mode: the study says 'minimize', got 'max'"):
        searched().set_search_properties("loss", "max", {})
    with pytest.raises(InvalidSettingError, match="metric: name the outcome"):
        room.GittinsScheduler(searched()).set_search_properties(None, None)
    alone = room.GittinsSearch(gittins.Study(SPACE, stages={"epochs": 27}), "loss")
    with pytest.raises(InvalidSettingError, match="scheduler: expected GittinsScheduler"):
        alone.suggest("a")
    # Ray says what is wrong then.
    assert not room.GittinsScheduler(searched(metric="loss")).set_search_properties("auc", None)


def test_a_result_without_its_outcome_or_cost_says_what_is_there():
    search = searched(metric="loss", cost="paid")
    search.suggest("a")
    with pytest.raises(InvalidSettingError, match="no 'paid', but loss, training_iteration"):
        search.result("a", {"loss": 1.0, "training_iteration": 1})
    with pytest.raises(InvalidSettingError, match="no 'loss', but paid, training_iteration"):
        search.result("a", {"paid": 1.0, "training_iteration": 1})


def test_an_experiment_ends_if_all_its_trials_break():
    search = searched(metric="loss")
    for number in range(10):
        assert search.suggest(str(number)) is not None
        search.on_trial_complete(str(number), error=True)
    with pytest.raises(GittinsError, match="10 trials began, and none reported anything"):
        search.suggest("10")


def test_a_search_that_ends_says_why_in_the_words_of_its_study(caplog):
    study = gittins.Study(SPACE, stages={"epochs": 27}, budget=2.0)
    search = room.GittinsSearch(study, metric="loss", cost="paid")
    room.GittinsScheduler(search)
    search.suggest("a")
    search.result("a", {"loss": 1.0, "paid": 5.0, "training_iteration": 2})
    assert search.suggest("b") == search.FINISHED
    assert study.verdict().words.startswith("stop: the budget of 2 is spent")
    assert f"the search ends: {study.verdict().words}" in caplog.text


def test_trials_that_were_left_do_not_count_as_running():
    search = searched(metric="loss", cost="paid")
    assert search.set_max_concurrency(2)
    assert set(search.suggest("a")["model"]) == {"rate"}
    assert search.suggest("b") is not None
    assert search.suggest("c") is None
    told = {"loss": 1.0, "paid": 1.0}
    assert search.result("a", {**told, "training_iteration": 1}) == "CONTINUE"
    assert search.result("a", {**told, "training_iteration": 2}) == "PAUSE"
    assert search.suggest("c") is not None


def test_a_study_in_memory_is_not_pickled():
    search = pickle.loads(pickle.dumps(searched(metric="loss")))
    with pytest.raises(InvalidSettingError, match="Journal, can be restored"):
        search.suggest("a")
