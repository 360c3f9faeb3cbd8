"""Programs that take a sampler of Optuna: they take ours unchanged. Each test needs its host."""

from __future__ import annotations

import inspect
import os
import pathlib
import re

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState

from gittins.optuna import GittinsPruner, GittinsSampler, GittinsStop

HUB = pathlib.Path(__file__).parent.parent / "optunahub"
PACKAGES = ["samplers/gittins", "callbacks/gittins_stop", "pruners/gittins_pruner"]


@pytest.mark.filterwarnings("ignore:.*optuna.terminator:FutureWarning")
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_the_search_of_scikit_learn_takes_sampler_and_stop():
    hosts = pytest.importorskip("optuna_integration.sklearn")
    datasets = pytest.importorskip("sklearn.datasets")
    svm = pytest.importorskip("sklearn.svm")
    images, digits = datasets.load_iris(return_X_y=True)
    # All trials cost one: seconds would make the run another one each time.
    sampler = GittinsSampler(seed=1, use_cost=False)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    space = {
        "C": FloatDistribution(1e-4, 1e3, log=True),
        "gamma": FloatDistribution(1e-6, 1e2, log=True),
        "kernel": CategoricalDistribution(["rbf", "sigmoid"]),
    }
    search = hosts.OptunaSearchCV(
        svm.SVC(), space, study=study, n_trials=60, cv=3, callbacks=[GittinsStop(1e-3)]
    )
    search.fit(images, digits)
    assert search.best_score_ > 0.95
    assert search.study_ is study
    assert len(search.trials_) < 60
    assert study.user_attrs["gittins:stop"]["stop"] is True
    trial = study.trials[-1]
    # The point was chosen by the model, and published for other workers.
    assert "gittins:relative_params:0" in trial.system_attrs


def test_ray_tune_takes_the_sampler(tmp_path, monkeypatch, with_ray):
    monkeypatch.setenv("RAY_AIR_NEW_OUTPUT", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    tune = pytest.importorskip("ray.tune")
    ray = pytest.importorskip("ray")
    hosts = pytest.importorskip("ray.tune.search.optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"

    def train(config):
        loss = (config["x"] - 0.3) ** 2 + (config["kind"] == "b")
        return {"loss": loss}

    searcher = hosts.OptunaSearch(
        metric="loss",
        mode="min",
        sampler=GittinsSampler(seed=1, use_cost=False),
        study_name="s",
        storage=optuna.storages.RDBStorage(url),
    )
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        tuner = tune.Tuner(
            train,
            param_space={"x": tune.uniform(0.0, 1.0), "kind": tune.choice(["a", "b"])},
            tune_config=tune.TuneConfig(search_alg=searcher, num_samples=15, reuse_actors=True),
            run_config=tune.RunConfig(storage_path=str(tmp_path / "ray"), verbose=0),
        )
        best = tuner.fit().get_best_result("loss", "min")
    finally:
        ray.shutdown()
    assert best.metrics["loss"] < 1e-2
    study = optuna.load_study(study_name="s", storage=url)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 15
    assert "gittins:relative_params:0" in study.trials[-1].system_attrs


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_the_hub_has_what_the_registry_demands(package):
    folder = HUB / package
    names = {"LICENSE", "README.md", "__init__.py", "example.py", "requirements.txt"}
    assert {path.name for path in folder.iterdir() if path.is_file()} == names
    assert (folder / "LICENSE").read_text().startswith("MIT License\n")
    assert (folder / "requirements.txt").read_text().split() == ["gittins", "optuna"]
    yaml = pytest.importorskip("yaml")
    _, head, page = (folder / "README.md").read_text().split("---\n", 2)
    head = yaml.safe_load(head)
    assert all(isinstance(head[key], str) for key in ("author", "title", "description"))
    assert all(isinstance(tag, str) for tag in head["tags"])
    assert all(isinstance(version, str) for version in head["optuna_versions"])
    assert package.split("/")[0].rstrip("s") in head["tags"]
    assert head["license"] == "MIT License"
    sections = ["## Abstract", "## APIs", "## Installation", "## Example", "## Others"]
    found = [line for line in page.splitlines() if line.startswith("## ")]
    assert found == sections


@pytest.mark.parametrize("made", [GittinsSampler, GittinsStop, GittinsPruner])
def test_a_page_of_the_hub_has_the_parameters_of_what_it_shows(made):
    (page,) = (
        page.read_text()
        for page in HUB.glob("*/*/README.md")
        if f"- `{made.__name__}(" in page.read_text()
    )
    said = re.findall(r"^  - `(\w+)`: ", page, re.MULTILINE)
    assert said == list(inspect.signature(made).parameters)


def test_packages_of_the_hub_load_and_run():
    optunahub = pytest.importorskip("optunahub.hub")
    sampler = optunahub.load_local_module("samplers/gittins", registry_root=str(HUB))
    callback = optunahub.load_local_module("callbacks/gittins_stop", registry_root=str(HUB))
    assert sampler.__all__ == ["GittinsSampler"]
    assert callback.__all__ == ["GittinsStop"]
    study = optuna.create_study(sampler=sampler.GittinsSampler(seed=1, use_cost=False))
    study.optimize(
        lambda trial: (trial.suggest_float("x", -5.0, 5.0) - 1.0) ** 2,
        n_trials=40,
        callbacks=[callback.GittinsStop(0.01)],
    )
    assert study.best_value < 0.05
    assert study.user_attrs["gittins:stop"]["stop"] is True


@pytest.mark.parametrize("package", PACKAGES)
def test_the_example_of_a_package_of_the_hub_runs(package, capsys, monkeypatch):
    pytest.importorskip("optunahub.hub")
    path = HUB / package / "example.py"
    monkeypatch.chdir(path.parent)
    exec(compile(path.read_text(), os.fspath(path), "exec"), {"__name__": "__main__"})
    assert float(capsys.readouterr().out.split()[0]) < 0.05
