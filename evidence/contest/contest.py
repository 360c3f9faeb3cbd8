#!/usr/bin/env python3
"""Let this library and others minimize the same functions with the same budget, and report.

    contest.py run --suite bbob --dims 5 --instances 6-10 --engines gittins,tpe,cma,gp,botorch
    contest.py table --us gittins --against tpe,cma
    contest.py compare --a gittins --b tpe --suite everyday
    contest.py report

Each run is a process of its own on one core. A run is kept as soon as it is there; what is kept is
not run again. README.md of the folder above says what is compared, and what to install.
"""

import argparse
import concurrent.futures
import datetime
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import zlib

import engines
import problems
import space
import store
import workers
from arguments import whole

HERE = pathlib.Path(__file__).parent
THREADS = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "RAYON", "TORCH")


def play(spec):
    """One run: the record that is kept of it."""
    problem = problems.problem(spec["suite"], spec["problem"], spec["data"], spec["seed"])
    if spec["budget"]:
        problem.budget = spec["budget"]
    # A seed for each problem, or one lucky design would be lucky in all of them.
    again = "" if spec["repeat"] == 1 else f" {spec['repeat']}"
    seed = zlib.crc32(f"{spec['problem']} {spec['seed']}{again}".encode()) % 1_000_000
    engine, versions = engines.start(
        spec["engine"], problem, seed, spec["binary"], spec["workers"]
    )
    seconds, true, costs, best, recommended, lucky = [], [], [], [], [], []
    told = []
    marks = {max(1, problem.budget * k // 4) for k in (1, 2, 3, 4)}
    shift = workers.Shift(spec["workers"], problem, spec["seed"])
    while len(true) < problem.budget and (problem.money is None or sum(costs) < problem.money):
        while shift.has_place():
            start = time.perf_counter()
            values = engine.ask()
            asked = time.perf_counter() - start
            found = problem.evaluate(space.checked(problem.parameters, values))
            shift.begin(engine.trial, asked, found)
        engine.trial, asked, (outcome, value, cost) = shift.end()
        start = time.perf_counter()
        engine.tell(outcome, cost)
        seconds.append(asked + time.perf_counter() - start)
        told.append(outcome)
        true.append(value)
        costs += [] if cost is None else [cost]
        regret = float(f"{value - problem.optimum:.6g}")
        if not best or regret < best[-1][1]:
            best.append([len(true), regret])
        if problem.noisy and len(true) in marks:
            regret = true[engine.recommend()] - problem.optimum
            recommended.append([len(true), float(f"{regret:.6g}")])
            # What who believes the outcomes would take.
            regret = true[told.index(min(told))] - problem.optimum
            lucky.append([len(true), float(f"{regret:.6g}")])
    record = {key: spec[key] for key in ("suite", "problem", "engine", "label", "seed")}
    record |= {"evaluations": len(true), "best": best, "seconds": round(sum(seconds), 3)}
    late = statistics.median(seconds[-max(1, len(seconds) // 4):])
    record |= {"late": float(f"{late:.4g}"), "versions": versions}
    record |= {"date": datetime.date.today().isoformat()}
    if problem.probe is not None:
        record["probe"] = float(f"{problem.probe:.6g}")
    if problem.noisy:
        record |= {"recommended": recommended, "lucky": lucky}
    if problem.money is not None:
        record |= {"money": problem.money, "price": problem.price}
        record["costs"] = [float(f"{cost:.4g}") for cost in costs]
    if spec["workers"] > 1:
        record["workers"] = spec["workers"]
    if spec["repeat"] > 1:
        record["repeat"] = spec["repeat"]
    if getattr(engine, "stop", None):
        record |= {"stop": engine.stop, "price": problem.price}
    return record


def launch(spec, args):
    """Plays one run in a process of its own; returns the record, or in words why there is none."""
    threads = {f"{kind}_NUM_THREADS": "1" for kind in THREADS}
    # Threads that spin while they wait take from whatever else runs.
    threads |= {"OMP_WAIT_POLICY": "PASSIVE", "CUDA_VISIBLE_DEVICES": ""}
    command = [args.python, str(HERE / "contest.py"), "play", json.dumps(spec)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=args.limit, env=os.environ | threads
        )
    except subprocess.TimeoutExpired:
        return f"not ended in {args.limit:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(done.stdout.strip().splitlines()[-1])


def kept(record, args):
    """Whether a run is there already; where seeds are instances a shorter one is played anew."""
    if record is None or args.suite not in problems.SEEDED:
        return record is not None
    asked = args.budget or problems.module(args.suite).budget(record["problem"])
    return record["evaluations"] >= asked


def name_of(engine, workers):
    return engine if workers == 1 else f"{engine}-w{workers}"


def repeated(label, repeat):
    """Where runs with another seed of the engine are kept."""
    return label if repeat == 1 else f"{label}-r{repeat}"


def run(args):
    if args.label and len(args.engines) > 1:
        sys.exit("--label names the runs of one engine; give one with --engines")
    todo = []
    # Seeds and instances outside, so that a queue that is cut short has covered all functions.
    for repeat, seed in itertools.product(args.repeats, args.seeds):
        for batch in problems.batches(args.suite, args):
            for engine in args.engines:
                label = repeated(args.label or name_of(engine, args.workers), repeat)
                have = store.runs(args.runs / args.suite / f"{label}.jsonl")
                todo += [
                    {"suite": args.suite, "problem": id, "engine": engine, "label": label,
                     "seed": seed, "repeat": repeat, "budget": args.budget, "data": str(args.data),
                     "workers": args.workers,
                     "binary": str(args.engine_binary)}
                    for id in batch if not kept(have.get((id, seed)), args)
                ]

    def one(spec):
        start = time.perf_counter()
        record = launch(spec, args)
        wall = time.perf_counter() - start
        path = args.runs / spec["suite"]
        if isinstance(record, str):
            store.append(path / f"{spec['label']}.failed.jsonl", spec | {"why": record})
            end = "failed: " + record
        else:
            store.append(path / f"{spec['label']}.jsonl", record | {"wall": round(wall, 2)})
            end = f"{record['best'][-1][1]:12.4g}"
        return f"{spec['label']:>14} {spec['problem']:<18} {spec['seed']:>3} {wall:8.1f} s {end}"

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(one, spec) for spec in todo]
        for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
            print(f"{count:>5} / {len(todo)} {future.result()}", flush=True)


def engine_names(text):
    unknown = set(text.split(",")) - set(engines.ENGINES)
    if unknown:
        raise argparse.ArgumentTypeError(f"no engine {', '.join(sorted(unknown))}")
    return text.split(",")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = p.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run", help="play what is not yet kept")
    r.add_argument("--suite", default="bbob", choices=problems.SUITES)
    r.add_argument("--engines", type=engine_names, default="gittins,gp,tpe,cma,botorch,random")
    r.add_argument("--dims", type=whole, default="5", help="of `bbob`, `noisy`, `mixint`")
    r.add_argument("--functions", type=whole, default="1-24",
                   help="of `bbob`, `noisy` and `mixint`")
    r.add_argument("--instances", type=whole, default="6-10", help="of `bbob` and `noisy`")
    r.add_argument("--problems", nargs="*", default=[],
                   help="of the suites whose problems have names; all unless given")
    r.add_argument("--seeds", type=whole, default="1", help="a run each")
    r.add_argument("--repeats", type=whole, default="1",
                   help="seeds of the engine on the same instance; runs are kept as NAME-rN")
    r.add_argument("--budget", type=int, help="evaluations in place of the suite's own number")
    r.add_argument("--workers", type=int, default=1,
                   help="pending trials at a time; runs are kept as NAME-wN")
    r.add_argument("--jobs", type=int, default=1, help="runs at a time")
    r.add_argument("--limit", type=float, default=3600, help="seconds after which a run is ended")
    r.add_argument("--runs", type=pathlib.Path, default=HERE / "runs", help="where runs are kept")
    r.add_argument("--data", type=pathlib.Path, default=HERE / "data",
                   help="folder of `tables` and `money`")
    r.add_argument("--python", default=sys.executable, help="the Python that plays the runs")
    r.add_argument("--label", help="the name under which one engine's runs are kept")
    r.add_argument("--engine-binary", type=pathlib.Path, default="target/release/serve",
                   help="the compiled program `serve`")
    w = verbs.add_parser("play")
    w.add_argument("spec", type=json.loads)
    t = verbs.add_parser("report", help="write the pages and their pictures")
    t.add_argument("--runs", type=pathlib.Path, default=HERE / "runs")
    t.add_argument("--details", type=pathlib.Path,
                   help="the folder of the pages that tell problems one by one: `results` here, "
                        "or with --out beside the page")
    t.add_argument("--us", default="gittins", help="the label of our runs")
    t.add_argument("--out", type=pathlib.Path, default=HERE.parents[1] / "docs" / "contest.md",
                   help="the page; those of other suites are high.md, mixed.md, workers.md beside it")
    s = verbs.add_parser("table", help="print wins and losses of one label against others")
    s.add_argument("--runs", type=pathlib.Path, default=HERE / "runs")
    s.add_argument("--us", default="gittins", help="a label")
    s.add_argument("--against", type=lambda text: text.split(","), default=["tpe", "gp", "cma"],
                   help="labels, ours among them")
    s.add_argument("--suite", type=lambda text: text.split(","), help="all unless given")
    s.add_argument("--by-problem", action="store_true", help="each function by itself too")
    c = verbs.add_parser("compare", help="hold one label against another: PROTOCOL.md")
    c.add_argument("--runs", type=pathlib.Path, default=HERE / "runs")
    c.add_argument("--a", required=True, help="a label, or files of runs with + between them")
    c.add_argument("--b", required=True, help="likewise")
    c.add_argument("--random", default="random", help="a label: random search")
    c.add_argument("--suite", type=lambda text: text.split(","), required=True)
    c.add_argument("--after", type=float, default=1.0, help="a share of the evaluations or money")
    c.add_argument("--retired", action="store_true", help="count retired instances, and say so")
    c.add_argument("--fewer", action="store_true", help="go on with fewer engine seeds, and say so")
    c.add_argument("--json", action="store_true")
    args = p.parse_args()
    if args.verb == "run":
        run(args)
    elif args.verb == "table":
        import screening

        screening.table(args)
    elif args.verb == "compare":
        import protocol

        protocol.compare(args)
    elif args.verb == "play":
        print(json.dumps(play(args.spec)))
    else:
        import many
        import parallel
        import report
        import typed

        if args.details is None:
            here = args.out.resolve() == t.get_default("out").resolve()
            args.details = (HERE if here else args.out.parent) / "results"
        report.write(args)
        many.write(args)
        typed.write(args)
        parallel.write(args)


if __name__ == "__main__":
    main()
