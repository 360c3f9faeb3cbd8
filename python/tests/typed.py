"""A program that uses each public name. A strict checker of types must pass it as it stands.

A line that is marked as wrong must be wrong to the checker: a mark that is not needed is an error.
"""

from __future__ import annotations

import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

import gittins
from gittins import (
    Advice,
    Ask,
    Forecast,
    Journal,
    LinearCost,
    Recommendation,
    Record,
    Report,
    Run,
    RunForecast,
    Space,
    Stages,
    Study,
    Table,
    Trial,
    Verdict,
    errors,
    policy,
    warm_start,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gittins.space import Value


def spaces(layers: list[int], when: dict[str, list[int]]) -> Space:
    space = (
        Space()
        .float("rate", 0, 1)
        .float("power", 1e-5, 1e-1, log=True)
        .float("part", 0.0, 1.0, step=0.25)
        .log_float("decay", 1e-5, 1e-1)
        .int("depth", 1, 9)
        .int("heads", 2, 16, log=False, step=2)
        .log_int("width", 1, 64)
        .steps("share", 0.1, 0.9, 0.2)
        .numbers("batch", [16, 32])
        .ordinal("size", ["small", "large"])
        .choice("solver", ["adam", "sgd"])
        .choice("layers", layers)
        .choice("any", [None, True, 2.5, "text", [64, 64], {"a": 1}])
        .flag("deep")
        .constant("rounds", 10)
        .float("momentum", 0.0, 1.0, when={"solver": ["sgd"], "depth": [3, 4]})
        .float("dropout", 0.0, 1.0, when={"deep": True, "rate": (0.5, None)})
        .float("noise", 0.0, 1.0, when=when)
        .at_most({"rate": 1.0, "share": 2.0}, 2.5)
        .at_least({"rate": 1.0, "share": 1.0}, 0.1)
    )
    names: list[str] = space.names
    assert names
    assert Space.from_data(space.to_data()) == space
    parts = Space().float("a", 0, 1).float("b", 0, 1).float("c", 0, 1)
    mixture: Space = parts.sum_to(["a", "b", "c"], 1.0).equal_to({"a": 1.0, "b": -0.5}, 0.25)
    mixture = mixture.at_most_of(["a", "b"], 2, least=0.01)
    assert Study(mixture).ask()["c"] >= 0.0
    return space


def tables(path: pathlib.Path) -> Table:
    path.write_text("name,family,size\na,oak,7\nb,elm,70\n")
    read = Table.from_csv(path, ["family", "size"], log=["size"])
    table = Table({"family": ["oak", "elm"], "size": [7, 70]}, log=["size"])
    rows = [{"family": "oak", "size": 7}, {"family": "elm", "size": 70}]
    assert read == table == Table(rows, log=["size"])
    study = Study(table, stages={"items": 50})
    row: int = table.row_of(study.ask())
    assert row < len(table)
    data: dict[str, Any] = table.to_data()
    names: list[str] = table.names
    assert data["names"] == names
    searched: Space | Table = study.space
    assert searched == table
    Journal(path.with_suffix(".log"), table)
    return table


def policies(budget: float) -> list[policy.Policy]:
    return [
        policy.gittins(1e-3),
        policy.gittins_decay(1e-3, factor=2.0),
        policy.gittins_decay_from_budget(budget),
        policy.gittins_adaptive(),
        policy.log_eipc(),
        policy.log_ei(),
        policy.ei(),
        policy.log_pi(),
        policy.log_eipc_cooled(budget),
        policy.ei_puc_cc(budget),
        policy.ucb(),
        policy.thompson(),
        policy.estimation(points=512),
        policy.max_value_entropy(samples=4),
        policy.multi_step_lookahead(steps=2),
        policy.budgeted_lookahead(budget, steps=2),
        policy.knowledge_gradient(fantasies=16),
    ]


def loss(rate: float, **others: Any) -> float:
    return (rate - 0.3) ** 2


def run(study: Study) -> Verdict:
    ask: Ask = study.ask()
    many: list[Ask] = study.ask_many(2)
    study.tell(ask, loss(**ask), cost=1.0)
    study.tell(many[0].trial, failed=True, cost=1.0)
    study.tell(many[1], loss(**many[1]), cost_later=True)
    study.tell_cost(many[1], 2.0)
    study.correct(ask, 0.25, cost=1.0)
    fixed: Mapping[str, Sequence[str]] = {"solver": ["sgd"]}
    other = study.ask(where=fixed)
    study.note_running(other, 0.5)
    forecast: Forecast | None = study.forecast(other)
    assert forecast is None or forecast.expected > 0.0
    study.withdraw(other)
    for _ in range(6):
        ask = study.ask(where={"depth": [3, 4], "rate": (None, 0.5)})
        study.tell(ask, loss(**ask), cost=1.0)
    near: Ask = study.ask(within=100.0)
    items: list[tuple[str, Any]] = list(near.items())
    assert len(items) == len(near)
    values: dict[str, Value] = near.point
    study.withdraw(near)
    number: int = study.enter(values, 0.5, cost=1.0)
    running: int = study.announce({**values, "rate": 0.125})
    study.tell(running, infeasible=True, cost=1.0)
    trials: list[Trial] = study.trials()
    same: list[Trial] = study.trials
    assert len(same) == len(trials)
    assert trials[number].values == values
    best: Trial | None = study.best()
    recommended: Recommendation | None = study.recommendation()
    assert best is not None
    assert recommended is not None
    params: dict[str, Value] = study.best_params
    value: float = study.best_value
    assert (best, value) == (study.best_trial, best.outcome)
    assert params["rate"] == best["rate"]
    price: float = study.price_from_budget(1000.0)
    study.change_policy(policy.gittins(price))
    study.change_policy("log_ei")
    record: Record = study.record()
    column: list[Any] = record["outcome"]
    assert len(column) == record.rows
    money: float = study.spent + study.total_cost
    assert money > 0.0
    assert study.names == study.space.names
    assert study.direction == "minimize"
    return study.verdict(on_another=True)


def loop() -> None:
    space = Space({"rate": (0.0, 1.0), "depth": (1, 9), "solver": ["adam", None]})

    def outcome(values: Mapping[str, Any]) -> float:
        return float(values["rate"])

    study = Study(space, "maximize")
    study.optimize(outcome, n_trials=1, timeout=9.0, catch=(ValueError, KeyError))
    study.maximize(lambda ask: (ask["rate"], 2.0), n_trials=1)
    Study(space).minimize(lambda ask: {"outcome": ask["rate"], "cost": 1.0}, n_trials=1)
    asks: list[Ask] = study.ask(2)
    assert len(asks) == 2


def limited(study: Study) -> None:
    weights: Mapping[str, float | None] = {"weight": 2.5}
    study.tell(study.ask(), 1.0, measured=weights)
    study.tell(study.ask(), 2.0, measured={"weight": None})
    ask = study.ask()
    study.tell(ask, infeasible=True, measured={"weight": 4})
    study.correct(ask, 3.0, measured={"weight": 1})
    study.enter({**study.ask().point}, 4.0, measured={"weight": 9.0})
    best: Trial | None = study.best()
    assert best is not None
    measured: Mapping[str, float] = best.measured
    assert measured["weight"] == 2.5
    recommended: Recommendation | None = study.recommendation()
    assert recommended is None or set(recommended.measured) == {"weight"}
    column: list[Any] = study.record()["weight"]
    assert column[0] == 2.5


def stages(path: pathlib.Path, space: Space) -> None:
    study = Study(
        space,
        "minimize",
        stages=Stages(total=9.0, reports=[3, 9], resumable=True, any_stage_counts=True),
        price=1e-3,
        budget=100.0,
        seed=1,
        initial=3,
        cost_unit="s",
    )
    ask: Ask = study.ask()
    resumed: float | None = ask.resume
    assert resumed is None
    advice: Advice = study.report(ask, ask.until, 0.5, cost=1.0)
    assert not advice
    study.tell(study.ask(), failed=True, cost=0.5)
    study.withdraw(study.ask())
    run: Run = study.run()
    with run:
        for until in run:
            value: float = until
            run.report(value, cost=1.0)
    runs: list[Trial] = study.trials()
    reports: list[Report] = runs[0].reports
    assert runs[0].progress == 3.0
    label: str | None = runs[0].label
    assert label is None
    assert study.has_stages
    assert reports[0].outcome == 0.5
    best: Trial | None = study.best()
    assert best is not None
    report: Report | None = study.best_report()
    assert report is not None
    forecast: RunForecast | None = study.forecast_end(runs[0])
    assert forecast is None or forecast.sd > 0.0
    assert study.space == space
    assert study.direction == "minimize"
    folded = Study(space, stages={"folds": 5})
    fold: float = folded.ask().until
    assert fold == 1.0
    with Study(space, stages={"items": 50}).run() as judged:
        for batch in judged.items:
            items: list[int] = batch
            judged.report([True for _ in items])
    Study(space, stages={"total": 48e3, "reports": [3e3, 12e3], "repeats": True})
    journal = Journal(path, space, stages={"epochs": 27})
    journal.ask()
    again = Journal(path)
    again.sync()
    verdict: Verdict = again.verdict()
    assert not verdict


def wrong(space: Space, any_text: str) -> None:
    """What a checker must refuse."""
    Study(space, direction="maximise")  # type: ignore[arg-type]
    Study(space, lambda_=1e-3)  # type: ignore[call-arg]
    Study(space, price="cheap")  # type: ignore[arg-type]
    Study(space).best_params()  # type: ignore[operator]
    Space().categorical("x", ["a", "b"])  # type: ignore[attr-defined]
    Study(space, any_text)  # type: ignore[arg-type]
    Study(space, cost="learnt")  # type: ignore[arg-type]
    Study(space, cost={"rate": 40.0})  # type: ignore[arg-type]
    LinearCost(per_unit={"rate": "40"})  # type: ignore[dict-item]
    Study(space, policy="gittins")  # type: ignore[arg-type]
    Study(space, warping="half")  # type: ignore[arg-type]
    Study({"x": (0, 1)})  # type: ignore[arg-type]
    Table(7)  # type: ignore[arg-type]
    Table({"size": [7, 70]}, logs=["size"])  # type: ignore[call-arg]
    Space().float("x", "0", 1.0)  # type: ignore[arg-type]
    Space().int("n", 1.5, 3)  # type: ignore[arg-type]
    Space().float("x", 0.0, 1.0, when=["solver"])  # type: ignore[arg-type]
    Study(space, limits={"size": 3.0})  # type: ignore[dict-item]
    Study(space, objectives={"size": "smallest"})  # type: ignore[dict-item]
    Study(space).tell(0, 1.0, measured={"size": "3"})  # type: ignore[dict-item]
    Journal("file", space, seeds=1)  # type: ignore[call-arg]
    Study(space, stages={"epoch": 27})  # type: ignore[arg-type]
    Study(space, stages={"epochs": "27"})  # type: ignore[arg-type]


def fronted(study: Study) -> list[Trial]:
    for weight in (3.0, 2.0):
        study.tell(study.ask(), weight, measured={"weight": 5.0 - weight})
    front: list[Trial] = study.front()
    assert len(front) == 2
    return front


def main() -> None:
    assert gittins.__version__
    space = spaces([1, 2, 3], {"depth": [1, 2]})
    study = Study(
        space,
        "minimize",
        policy=policies(100.0)[0],
        cost="learned",
        cost_floor=1e-3,
        cost_unit="s",
        seed=1,
        initial=4,
        first=[],
        expected_trials=20,
        best_possible=0.0,
        n_trials=200,
        time_limit=60.0,
        overdue=4.0,
        stop=[{"name": "stall", "window": 30}, "regret_gap"],
        standardize=True,
        warping="half_rank",
        incumbent="posterior_mean",
        limits={},
        objectives={},
        reference=None,
        search={"points": 256, "starts": 6},
        model={"kernel": "matern52", "restarts": 1},
        cost_model={"isotropic": True},
        backend="cpu",
    )
    loop()
    limited(Study(space, limits={"weight": {"at_most": 3}}))
    amounts = LinearCost({"depth": 40.0, "solver": {"adam": 0.16, "sgd": 3.2}}).per_unit
    Study(space, cost=LinearCost(per_unit=amounts, fixed=5.0), cost_unit="EUR")
    fronted(Study(space, objectives={"weight": {"direction": "minimize", "reference": 9.0}}))
    verdict = run(study)
    begun: list[dict[str, Any]] = warm_start(space, [study], count=2)
    Study(space, first=begun)
    words: str = verdict.words
    assert words
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "study.journal"
        journal = Journal(path, space, price=1e-3, cost=2.0, seed=1)
        journal.tell(journal.ask(), 1.0)
        again = Journal(path, name="study")
        left_out: dict[int, str] = again.left_out
        print(left_out)
        again.sync()
        assert len(again.trials()) == 1
        stages(pathlib.Path(folder) / "stages.log", space)
        tables(pathlib.Path(folder) / "arms.csv")
    try:
        study.tell(10**6, 1.0, cost=1.0)
    except errors.UnknownTrialError as error:
        caught: gittins.GittinsError = error
        assert str(caught)


def serve(folder: pathlib.Path) -> None:
    gittins.mcp.server(folder).run("stdio")
    gittins.mcp.main()


def pictures(study: Study, axes: Any) -> None:
    gittins.plot.progress(study, axes)
    gittins.plot.costs(study, axes)


def searched(rows: Any, classes: Any, estimator: Any) -> float:
    search = gittins.sklearn.GittinsSearchCV(
        estimator,
        {"C": (1e-3, 1e3, "log-uniform"), "kernel": ["linear", "rbf"]},
        price=1e-3,
        hour=None,
        budget=60.0,
        n_iter=50,
        scoring="accuracy",
        n_jobs=2,
        refit=True,
        cv=5,
        verbose=0,
        random_state=0,
        error_score="raise",
        return_train_score=False,
        n_trials=None,
    ).fit(rows, classes)
    verdict: Verdict = search.verdict_
    study: Study = search.study_
    best: dict[str, Any] = search.best_params_
    assert verdict
    assert study.best()
    assert best
    gittins.sklearn.GittinsSearchCV(estimator, Space())
    gittins.sklearn.GittinsSearchCV(estimator, {}, price="1")  # type: ignore[arg-type]
    gittins.sklearn.GittinsSearchCV(estimator, {}, trials=1)  # type: ignore[call-arg]
    return search.spent_


def swept(section: Mapping[str, Any], path: pathlib.Path) -> float:
    sweep = gittins.pufferlib.GittinsSweep(section, path, price=1e-4, seed=1)
    filled, info = sweep.suggest({}, fixed_total_timesteps=1e8)
    number: int = info["trial"]
    sweep.observe(filled, 0.5, 10.0, is_failure=False)
    stopped: bool = sweep.early_stop({"loss/policy": 0.5}, "env/score")
    study: Study = sweep.study
    assert number == 0
    assert not stopped
    gittins.pufferlib.GittinsSweep(section, price="1")  # type: ignore[arg-type]
    gittins.pufferlib.GittinsSweep(section, cost="learnt")  # type: ignore[arg-type]
    sweep.suggest([])  # type: ignore[arg-type]
    return study.total_cost


if __name__ == "__main__":
    main()
