"""Problems with several numbers for each trial, and the queue of runs that are not yet kept."""

import argparse
import dataclasses
import importlib.metadata
import os
import pathlib
import time
import zlib

import numpy as np
import several_engines
import space
import store
from arguments import whole

RUNS = pathlib.Path(__file__).parent / "runs"


@dataclasses.dataclass
class Several:
    """Objectives to minimize, and limits that hold where their number is at most zero.

    `evaluate` gives the objectives and the numbers of the limits. With one objective `optimum` is
    its least value where all limits hold, and `known` a point that has it. With more, the
    hypervolume is counted from `reference`, and `optimum` is the largest known.
    """

    id: str
    parameters: list
    evaluate: object
    objectives: int
    limits: int
    optimum: float | None = None
    known: list | None = None
    reference: list | None = None
    # The settings of a finite table, in the order of its rows.
    rows: list | None = None

    @property
    def budget(self):
        """50 trials for up to four parameters, 100 for more."""
        return 50 if len(self.parameters) <= 4 else 100


class Rows:
    """A measured table as a function: what is asked for has the numbers of the nearest row.

    Near is counted by places in the unit cube, and of equal rows the first is taken. Of a full
    grid each setting is a row itself.
    """

    def __init__(self, parameters, rows, numbers):
        self.parameters = parameters
        self.rows = [[row[p.name] for p in parameters] for row in rows]
        self.numbers = numbers
        self.places = {tuple(row): place for place, row in enumerate(self.rows)}
        units = [{value: p.unit(value) for value in p.options} for p in parameters]
        self.units = np.array([[of[v] for of, v in zip(units, row)] for row in self.rows])

    def evaluate(self, values):
        place = self.places.get(tuple(values))
        if place is None:
            unit = np.array([p.unit(v) for p, v in zip(self.parameters, values)])
            place = int(np.argmin(((self.units - unit) ** 2).sum(1)))
        return self.numbers[place]


def missing(id, folder, table):
    """Whether a table is not in the folder; then it is said."""
    absent = [name for name in ("tables.json", f"{table}.csv.gz")
              if not pathlib.Path(folder, name).exists()]
    if absent:
        print(f"{id}: no {absent[0]} in {folder}, skipped", flush=True)
    return bool(absent)


def trials(problem, engine, budget):
    """Asks, evaluates and tells: for each trial its numbers and the seconds of thought."""
    for _ in range(budget):
        began = time.perf_counter()
        values = engine.ask()
        thought = time.perf_counter() - began
        outcomes, limits = problem.evaluate(space.checked(problem.parameters, values))
        began = time.perf_counter()
        engine.tell(outcomes, limits)
        yield outcomes, limits, thought + time.perf_counter() - began


def versions(engine):
    found = {}
    for package in engine.packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def seeded(problem, seed):
    """A seed for each problem, or one lucky design would be lucky in all of them."""
    return zlib.crc32(f"{problem} {seed}".encode()) % 1_000_000


def play(contest, problem, spec, trace):
    """One run: the record that is kept of it. `trace` takes each trial and gives what is kept."""
    seed = seeded(spec["problem"], spec["seed"])
    engine = several_engines.start(contest, spec["engine"], problem, seed)
    budget = spec["trials"] or problem.budget
    seconds, holding = [], []
    for outcomes, limits, thought in trials(problem, engine, budget):
        seconds.append(thought)
        holding.append(all(limit <= 0 for limit in limits))
        trace.add(outcomes, holding[-1])
    late = float(np.median(seconds[-max(1, budget // 4):]))
    record = {key: spec[key] for key in ("problem", "seed", "engine", "label")}
    record |= {"evaluations": budget} | trace.kept()
    record |= {"seconds": round(sum(seconds), 3), "late": float(f"{late:.4g}")}
    if hasattr(engine, "recommended"):
        trial = engine.recommended()
        record["holds"] = None if trial is None else holding[trial]
    return record | {"versions": versions(engine)}


def run(contest, args, problem, ids, trace):
    """Plays what is not yet kept; what fails is kept in a file of its own, and tried again."""
    if args.label and len(args.engines) > 1:
        raise SystemExit("--label names the runs of one engine; give one with --engines")
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    able = []
    for engine in args.engines:
        if why := several_engines.lacking(contest, engine):
            print(f"{engine}: {why}, skipped", flush=True)
        else:
            able.append(engine)
    found = {id: problem(id, args.data) for id in args.problems or ids}
    queue = [(seed, id, engine) for seed in args.seeds for id, one in found.items()
             if one is not None for engine in able]
    for count, (seed, id, engine) in enumerate(queue, 1):
        label = args.label or engine
        path = args.runs / contest / f"{label}.jsonl"
        spec = {"problem": id, "seed": seed, "engine": engine, "label": label,
                "trials": args.trials}
        kept = store.runs(path).get((id, seed))
        if kept and kept["evaluations"] >= (args.trials or found[id].budget):
            continue
        began = time.perf_counter()
        try:
            record = play(contest, found[id], spec, trace(found[id]))
        # Whatever a library raises: the queue goes on, and the run is tried again.
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            store.append(path.with_suffix(".failed.jsonl"), spec | {"why": why[:500]})
            print(f"{count:>5} / {len(queue)} {label:<14} {id:<20} {seed:>3} failed: {why[:200]}",
                  flush=True)
            continue
        wall = round(time.perf_counter() - began, 2)
        store.append(path, record | {"wall": wall})
        print(f"{count:>5} / {len(queue)} {label:<14} {id:<20} {seed:>3} {wall:8.1f} s "
              f"{trace.words(record)}", flush=True)


def load(folder, labels=None):
    """Runs by label and (problem, seed)."""
    found = {path.name.removesuffix(".jsonl"): store.runs(path)
             for path in sorted(folder.glob("*.jsonl")) if ".failed" not in path.name}
    return {label: runs for label, runs in found.items() if not labels or label in labels}


def parser(about, contest, ids):
    """The command line that both contests have."""
    def engines(text):
        unknown = set(text.split(",")) - set(several_engines.ENGINES[contest])
        if unknown:
            raise argparse.ArgumentTypeError(f"no engine {', '.join(sorted(unknown))}")
        return text.split(",")

    p = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = p.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run", help="play what is not yet kept")
    r.add_argument("--engines", type=engines, default=",".join(several_engines.ENGINES[contest]))
    r.add_argument("--problems", nargs="*", default=[], choices=ids, help="all unless given")
    r.add_argument("--seeds", type=whole, default="0-4")
    r.add_argument("--trials", type=int, help="in place of the problem's own number")
    r.add_argument("--label", help="the name under which one engine's runs are kept")
    t = verbs.add_parser("report", help="print the tables")
    t.add_argument("--us", default="gittins", help="the label that is held against the others")
    t.add_argument("--problems", nargs="*", default=[], choices=ids, help="all unless given")
    t.add_argument("--labels", type=lambda text: text.split(","), help="all unless given")
    for verb in (r, t):
        verb.add_argument("--data", type=pathlib.Path, help="folder of the measured tables",
                          default=pathlib.Path(__file__).parent / "data")
        verb.add_argument("--runs", type=pathlib.Path, default=RUNS, help="where runs are kept")
    return p
