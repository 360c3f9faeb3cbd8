"""What we do not take is an error that says file and reason, and the file stays as it was."""

import json
import os
import sqlite3

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution

from peer import Peer, Refused, floats, lines, opened, opening, resumed, storage

X = {"x": FloatDistribution(0.0, 1.0)}


def refused(request, *words):
    """The words of an error, all of them. What is taken when it is opened is refused when asked."""
    with Peer() as peer:
        try:
            peer(request)
            answer = peer("ask")
        except Refused as error:
            missing = [word for word in words if word not in str(error)]
            assert not missing, (missing, str(error))
            return str(error)
    raise AssertionError(f"{request} was answered with {answer}")


def unchanged(path, request, *words):
    with open(path, "rb") as file:
        before = file.read()
    said = refused(request, path, *words)
    with open(path, "rb") as file:
        assert file.read() == before, said
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
    return said


def check_files_that_are_no_journal(folder):
    path = f"{folder}/a.log"

    def line(**operation):
        return json.dumps({"worker_id": "w", **operation}).encode() + b"\n"

    good = line(op_code=0, study_name="a", directions=[1])
    trial = line(op_code=4, study_id=0, datetime_start=None)
    unknown = json.dumps({"name": "Unknown", "attributes": {}})
    cases = [
        (b"a,b\n1,2\n", "line 1"),
        # Without an end of a line they must not be taken for an operation that nobody finished.
        (b"a text", "line 1"),
        (b'{"a": 1}', "line 1"),
        (b'{"weights": [1, 2', "line 1"),
        (b"\x00\x01\x02", "line 1"),
        (b"\x00\x00\x00", "line 1"),
        (good + b"a text", "line 2"),
        (good + b'{"a": 1}', "line 2"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\n", "line 1", "UTF-8"),
        (good + trial + b"nonsense\n" + trial, "line 3"),
        (good + b"{}\n", "line 2", "op_code"),
        (good + b"[1, 2]\n", "line 2"),
        (good + line(op_code=4), "study_id"),
        (good + trial + line(op_code=6, trial_id=0, state="done"), "line 3", "done"),
        (
            good + trial + line(op_code=5, trial_id=0, param_name="x", distribution=unknown),
            "distribution",
            "Unknown",
        ),
    ]
    said = []
    for content, *words in cases:
        with open(path, "wb") as file:
            file.write(content)
        said.append(unchanged(path, opening(path), *words))
        unchanged(path, {"resume": {"path": path}})
    os.remove(path)
    with sqlite3.connect(path) as base:
        base.execute("create table a (b)")
    base.close()
    unchanged(path, opening(path), "line 1")
    return f"{len(cases) + 1} files"


def check_places_that_have_no_journal(folder):
    refused({"resume": {"path": f"{folder}/none.log"}}, f"{folder}/none.log")
    refused(opening(f"{folder}/no/folder.log"), f"{folder}/no/folder.log")
    refused(opening(folder), folder)
    empty = f"{folder}/empty.log"
    open(empty, "w").close()
    unchanged(empty, {"resume": {"path": empty}}, "study")
    unchanged(empty, {"resume": {"path": empty, "name": "b"}}, '"b"')


def check_studies_that_are_not_ours(folder):
    path = f"{folder}/a.log"
    store = storage(path)

    def make(name, **settings):
        return optuna.create_study(storage=store, study_name=name, **settings)

    study = make("two", directions=["minimize", "maximize"])
    study.tell(study.ask(X), [1.0, 2.0])
    unchanged(path, {"resume": {"path": path}}, "2 objectives")
    unchanged(path, opening(path), "2 objectives")
    up = make("up", direction="maximize")
    up.tell(up.ask(X), 1.0)
    unchanged(path, {"resume": {"path": path}}, "two, up")
    unchanged(path, opening(path), "two, up")
    unchanged(path, {"resume": {"path": path, "name": "down"}}, '"down"')
    unchanged(path, opening(path, name="up"), "aximize", "inimize")
    make("bare")
    unchanged(path, {"resume": {"path": path, "name": "bare"}}, "no trial has a parameter")
    with open(path, "a") as file:
        file.write(
            json.dumps({"op_code": 0, "worker_id": "w", "study_name": "none", "directions": [0]})
            + "\n"
        )
    unchanged(path, opening(path, name="none"), "no direction")
    cases = {
        "kinds": ([FloatDistribution(0.0, 1.0), CategoricalDistribution(["a", "b"])], '"x"'),
    }
    for name, (distributions, *words) in cases.items():
        study = make(name)
        for distribution in distributions:
            trial = optuna.create_trial(
                value=1.0,
                params={"x": distribution.to_external_repr(0.0)},
                distributions={"x": distribution},
            )
            study.add_trial(trial)
        unchanged(path, {"resume": {"path": path, "name": name}}, *words)
    return f"{8 + len(cases)} studies"


def check_settings_that_contradict_the_file(folder):
    path = f"{folder}/a.log"
    with opened(path, {"x": floats(), "k": {"int": {"low": 1, "high": 9}}}) as peer:
        peer({"work": {"trials": 2}})
    k = {"int": {"low": 1, "high": 9}}
    for kinds in [
        {"x": floats()},
        {"x": floats(0, 2), "k": k},
        {"y": floats(), "k": k},
        {"k": k, "x": floats()},
        {"x": k, "k": k},
    ]:
        unchanged(path, opening(path, kinds), "in the journal", "here")
    same = {"x": floats(), "k": k}
    unchanged(path, opening(path, same, direction="maximize"), "inimize", "aximize")
    # Everything else may change.
    with Peer() as peer:
        peer(opening(path, same, seed=9, cost="learned"))
        peer("ask")


def check_trials_that_make_no_sense_are_left_out_with_a_reason(folder):
    path = f"{folder}/a.log"
    kinds = {"x": floats(), "name": {"choice": {"names": ["a", "b"]}}}
    whole = {"x": FloatDistribution(0.0, 1.0), "name": CategoricalDistribution(["a", "b"])}
    cases = [
        ({"x": 0.5}, X, {}, "name"),
        ({"x": 7.0, "name": "a"}, whole | {"x": FloatDistribution(0.0, 9.0)}, {}, "x"),
        (
            {"x": 0.5, "name": "c"},
            whole | {"name": CategoricalDistribution(["a", "b", "c"])},
            {},
            "got c",
        ),
        ({"x": 0.5, "name": 3}, whole | {"name": CategoricalDistribution(["a", "b", 3])}, {}, "3"),
        ({"x": 0.5, "name": "a"}, whole, {"cost": 0.0}, "cost"),
        ({"x": 0.5, "name": "a"}, whole, {"cost": -1.0}, "cost"),
    ]
    with opened(path, kinds, cost="learned") as peer:
        peer({"work": {"trials": 1}})
        study = optuna.load_study(study_name="a", storage=storage(path))
        for params, distributions, attributes, *_ in cases:
            study.add_trial(
                optuna.create_trial(
                    value=1.0, params=params, user_attrs=attributes, distributions=distributions
                )
            )
        # A parameter more does no harm.
        more = whole | {"z": FloatDistribution(0.0, 1.0)}
        study.add_trial(
            optuna.create_trial(
                value=1.0,
                distributions=more,
                user_attrs={"cost": "free"},
                params={"x": 0.5, "name": "a", "z": 0.5},
            )
        )
        trials, left_out = peer.trials()
        assert sorted(left_out) == list(range(1, 1 + len(cases))), (trials, left_out)
        assert sorted(trials) == [0, 1 + len(cases)]
        for number, (*_, word) in enumerate(cases, 1):
            assert word in left_out[number], left_out[number]
        peer({"work": {"trials": 1}})
    return f"{len(cases)} trials"


def check_a_file_that_cannot_be_written_is_read(folder):
    if os.geteuid() == 0:
        # Root writes everywhere, but not where the lock cannot be made.
        return "skipped: root may write any file"
    path = f"{folder}/a.log"
    with opened(path, {"x": floats()}) as peer:
        peer({"work": {"trials": 3}})
    os.chmod(path, 0o444)
    with resumed(path) as peer:
        trials, _ = peer.trials()
        assert len(trials) == 3
        before = lines(path)
        try:
            peer("ask")
            raise AssertionError("it was asked")
        except Refused as error:
            assert path in str(error) and "written" in str(error), error
        assert lines(path) == before
