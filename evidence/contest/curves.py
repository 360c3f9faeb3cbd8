#!/usr/bin/env python3
"""Learning curves with a price: studies of trials that are paid in instalments.

    curves.py run --suites lcbench,taskset,clip --engines random,asha --data FOLDER --seeds 0-9
    curves.py run --suites live --engines instalments,whole --price 0.02
    curves.py table --us instalments --against asha,tpe-halving --half reported
    curves.py coverage --suites lcbench,taskset --data FOLDER --price 0.02 --half reported

A study has the money of 20 median trials. What counts is the best of the trials that were paid to
the end. A study is one line of JSON in `--runs` as soon as it is there, and is not played again.
README.md of the folder above says what is compared.
"""

import argparse
import concurrent.futures
import datetime
import difflib
import importlib.metadata
import itertools
import json
import multiprocessing
import os
import pathlib
import signal
import sys
import time
import zlib

import forecasts
import halving
import instalments
import pruners
import recorded
import server
import staged
import store
import trained
from arguments import whole

HERE = pathlib.Path(__file__).parent
#: The problems of each suite.
SUITES = {"lcbench": recorded.LCBENCH, "lcbench-accuracy": recorded.LCBENCH,
          "taskset": recorded.TASKSET, "clip": recorded.CLIP, "live": tuple(trained.PROBLEMS)}
#: Libraries that read once how many threads they may have.
THREADS = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "RAYON", "TORCH")
ENGINES = (*halving.LABELS, *pruners.LABELS, *instalments.LABELS)


def half(suite, id):
    """Which half a problem is in: what we tune on, or what counts.

    Even places of the sorted names are for tuning. A suite with one problem has nothing to tune on.
    """
    found = sorted(SUITES[suite])
    return "reported" if len(found) == 1 or found.index(id) % 2 else "tuned"


def chosen(suite, args):
    """The problems that the filters leave; what lacks its data is skipped by name."""
    for id in sorted(SUITES[suite]):
        if args.problems and id not in args.problems:
            continue
        if args.half not in ("all", half(suite, id)):
            continue
        missing = [] if suite == "live" else [
            name for name in recorded.files(suite, id) if not (args.data / name).exists()]
        if missing:
            print(f"{suite} {id}: no {missing[0]} in {args.data}, skipped")
            continue
        yield id


def problem(suite, id, data, cache):
    if suite == "live":
        return trained.problem(id, cache)
    return recorded.problem(suite, id, pathlib.Path(data), cache)


def opened(spec, account, seed):
    """The function that plays one study, the study where it is ours, and versions."""
    engine, one = spec["engine"], account.problem
    found = {"numpy": importlib.metadata.version("numpy")}
    if engine in instalments.LABELS:
        settings = dict(spec["settings"])
        if spec["price"] is not None:
            price = spec["price"] * (one.median - one.best) / one.unit
            settings["policy"] = {"name": "gittins", "price": price}
        if spec["budget"]:
            settings["budget"] = account.money
        study = instalments.Study(account, seed, [spec["binary"]], settings,
                                  instalments.stages(engine, one))
        return lambda: instalments.play(engine, study), study, server.versions(spec["binary"])
    if engine in pruners.LABELS:
        for package in ("optuna", *(["torch"] if engine.startswith("gp") else [])):
            found[package] = importlib.metadata.version(package)
        played = pruners.Pruned(engine, account, seed, f"{one.id} {spec['seed']}")
        return played.play, None, found
    return lambda: halving.LABELS[engine](account, seed), None, found


def problem_of(spec):
    return problem(spec["suite"], spec["problem"], spec["data"], pathlib.Path(spec["cache"]))


def seed_of(spec):
    """A seed for each problem, or one lucky design would be lucky in all of them."""
    return zlib.crc32(f"{spec['problem']} {spec['seed']}".encode()) % 1_000_000


def play(spec):
    """One study: the record that is kept of it."""
    one = problem_of(spec)
    account = staged.Account(one)
    began = time.perf_counter()
    run, study, versions = opened(spec, account, seed_of(spec))
    try:
        run()
    except staged.Spent:
        pass
    finally:
        if study is not None:
            study.server.close()
    seconds = time.perf_counter() - began - account.evaluating
    record = {key: spec[key] for key in ("suite", "problem", "engine", "label", "seed")}
    record |= {"unit": short(one.unit), "median": one.median, "best": one.best}
    record |= {"hand": [[short(units), loss] for units, loss in account.hand]}
    record |= {"started": account.started, "finished": account.finished, "failed": account.failed}
    record |= {"spent": short(account.units), "seconds": round(seconds, 3), "versions": versions}
    record |= {"date": datetime.date.today().isoformat()}
    if study is not None:
        record |= {"price": spec["price"], "settings": spec["settings"], "budget": spec["budget"]}
        record |= {"stop": study.stop and [short(study.stop[0]), study.stop[1]]}
    return record


def short(number):
    return float(f"{number:.6g}")


def prepare(spec):
    """Has the scale of a problem measured, if it is not kept."""
    problem_of(spec)


def timed(spec):
    """Plays one study within its time; the record, or in words why there is none."""
    def late(*_):
        raise TimeoutError(f"not ended in {spec['limit']:g} s")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, spec["limit"])
    began = time.perf_counter()
    try:
        record = play(spec)
    except Exception as error:
        return spec, f"{type(error).__name__}: {error}", time.perf_counter() - began
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return spec, record, time.perf_counter() - began


def todo(args):
    """What is not kept yet; seeds outside, so that a queue that is cut short has all problems."""
    ids = {suite: list(chosen(suite, args)) for suite in args.suites}
    for seed, suite, engine in itertools.product(args.seeds, args.suites, args.engines):
        label = args.label or engine
        have = store.runs(args.runs / suite / f"{label}.jsonl")
        for id in ids[suite]:
            if (id, seed) not in have:
                yield {"suite": suite, "problem": id, "engine": engine, "label": label,
                       "seed": seed, "data": str(args.data.resolve()), "limit": args.limit,
                       "cache": str(args.runs.resolve() / "cache"), "price": args.price,
                       "budget": args.budget, "settings": args.settings,
                       "binary": str(args.engine_binary.resolve())}


def forecast(spec):
    """One study with a forecast after each report: the record that is kept of it."""
    account = forecasts.Known(problem_of(spec))
    _, study, _ = opened(spec, account, seed_of(spec))
    return forecasts.play(spec, study, account)


def one_thread_each():
    """One thread for each process. Call it before they begin, because numpy reads it once."""
    for kind in THREADS:
        os.environ[f"{kind}_NUM_THREADS"] = "1"


def coverage(args):
    """Plays what is not kept yet with a forecast after each report, and prints how good they are."""
    args.runs, args.label = args.runs / "forecasts", None
    one_thread_each()
    specs = list(todo(args))
    context = multiprocessing.get_context("spawn")
    for suite, engine in itertools.product(args.suites, args.engines):
        mine = [spec for spec in specs if (spec["suite"], spec["engine"]) == (suite, engine)]
        wanted = set(itertools.product(chosen(suite, args), args.seeds))
        path = args.runs / suite / f"{engine}.jsonl"
        with concurrent.futures.ProcessPoolExecutor(args.jobs, mp_context=context) as pool:
            for record in pool.map(forecast, mine):
                store.append(path, record)
        forecasts.coverage(suite, path, wanted)


def run(args):
    if args.label and len(args.engines) > 1:
        sys.exit("--label names the studies of one engine; give one with --engines")
    known = [id for suite in args.suites for id in SUITES[suite]]
    for id in args.problems:
        if id not in known:
            near = difflib.get_close_matches(id, known, 1, 0.0)
            sys.exit(f"--problems: {id} is in none of {', '.join(args.suites)}; did you mean "
                     f"{near[0]}?")
    one_thread_each()
    os.environ |= {"OMP_WAIT_POLICY": "PASSIVE", "CUDA_VISIBLE_DEVICES": ""}
    specs = list(todo(args))
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(args.jobs, mp_context=context) as pool:
        # One process measures a problem's scale, and the others find it.
        each = {(spec["suite"], spec["problem"]): spec for spec in specs}
        list(pool.map(prepare, each.values()))
        futures = [pool.submit(timed, spec) for spec in specs]
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            spec, record, wall = future.result()
            path = args.runs / spec["suite"]
            if isinstance(record, str):
                store.append(path / f"{spec['label']}.failed.jsonl", spec | {"why": record})
                end = "failed: " + record
            else:
                store.append(path / f"{spec['label']}.jsonl", record)
                end = f"{record['hand'][-1][1]:10.4g}" if record["hand"] else "nothing finished"
                end += f" {record['started']:>4} started {record['finished']:>3} finished"
            print(f"{count:>5} / {len(specs)} {spec['label']:<14} {spec['suite']:<8} "
                  f"{spec['problem']:<26} {spec['seed']:>3} {wall:7.2f} s {end}", flush=True)


def listed(known):
    def words(text):
        unknown = set(text.split(",")) - set(known)
        if unknown:
            raise argparse.ArgumentTypeError(f"no {', '.join(sorted(unknown))}; known are "
                                             f"{', '.join(known)}")
        return text.split(",")
    return words


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = p.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run", help="play what is not yet kept")
    r.add_argument("--engines", type=listed(ENGINES), required=True)
    r.add_argument("--label", help="the name under which one engine's studies are kept")
    c = verbs.add_parser("coverage", help="print how often runs come to what was forecast of them")
    c.add_argument("--engines", type=listed(("instalments", "pruner")), default="instalments")
    for verb in (r, c):
        verb.add_argument("--seeds", type=whole, default="0", help="a study each")
        verb.add_argument("--data", type=pathlib.Path, default=HERE / "data",
                          help="folder of all suites but `live`")
        verb.add_argument("--jobs", type=int, default=1, help="studies at a time")
        verb.add_argument("--limit", type=float, default=3600,
                          help="seconds after which one is ended")
        verb.add_argument("--engine-binary", type=pathlib.Path,
                          default=HERE.parents[1] / "target/release/serve",
                          help="the program `serve`")
        verb.add_argument("--price", type=float,
                          help="the regret that a unit of money must buy; ours chooses and stops by it")
        verb.add_argument("--budget", action="store_true", help="ours is told the money")
        verb.add_argument("--settings", type=json.loads, default={},
                          help="more keys of our opening line, as JSON")
    t = verbs.add_parser("table", help="print regrets, factors of seconds, wins and stops")
    t.add_argument("--us", default="instalments", help="a label")
    t.add_argument("--against", type=lambda text: text.split(","),
                   help="labels; all unless given")
    t.add_argument("--seeds", type=whole, help="all unless given")
    t.add_argument("--price", type=float,
                   help="by which stops are judged; that of their studies unless given")
    t.add_argument("--by-problem", action="store_true", help="each problem by itself too")
    for verb in (r, c, t):
        verb.add_argument("--suites", type=listed(SUITES), default=",".join(SUITES))
        verb.add_argument("--half", choices=("tuned", "reported", "all"), default="all")
        verb.add_argument("--problems", nargs="*", default=[], help="by name; all unless given")
        verb.add_argument("--runs", type=pathlib.Path, default=HERE / "runs" / "curves",
                          help="where studies are kept, and what is measured once")
    args = p.parse_args()
    if args.verb == "run":
        run(args)
    elif args.verb == "coverage":
        coverage(args)
    else:
        import curve_report

        curve_report.table(args, half)


if __name__ == "__main__":
    main()
