#!/usr/bin/env python3
"""Give whole suggestions on the same data as work to this engine and to other libraries, and print how long each took.

    peers.py [--sizes 8x200 16x500] [--runs 3] [--threads 2] [--limit 900] [--engine target/release/job] [--json]

Run from the project's root after `cd evidence; cargo build --release --bin job`. Needs numpy, and of the peers those that are to be compared:
`pip install botorch optuna egobox` (Optuna's Gaussian process also needs torch and scipy). README.md beside this file says what is compared.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

# Observations of a first suggestion that is thrown away, so that what is timed loads no modules and starts no threads.
WARM_UP = 12


def ackley(z):
    """Negated Ackley function on the unit cube, optimum in the middle."""
    x = 2 * z - 1
    return 20 * np.exp(-0.2 * np.sqrt((x**2).mean(-1))) + np.exp(np.cos(2 * np.pi * x).mean(-1)) - 20 - np.e


def job(d, n, seed):
    """A job file as the program `job` reads it, as late in a run: the second half of the inputs in a box of side 0.15 around the middle.

    Inputs are Richtmyer's sequence, multiples of square roots of primes, shifted at random; outcomes are standardized Ackley.
    """
    primes = [p for p in range(2, 20 + d * d) if all(p % q for q in range(2, int(p**0.5) + 1))][:d]
    shift = np.random.default_rng(seed).random(d)
    x = (shift + np.arange(1, n + 1)[:, None] * np.sqrt(primes)) % 1
    x[n // 2 :] = 0.5 + 0.15 * (x[n // 2 :] - 0.5)
    y = ackley(x)
    y = (y - y.mean()) / y.std(ddof=1)
    # `suggest` reads neither model nor points nor how hard to search; with them the other verbs can be given the same file.
    model = {"kernel": "matern52", "lengthscales": [0.35 * (d / 4) ** 0.5] * d, "outputscale": 1.3, "noise": 1e-4, "mean": 0.1}
    return {"inputs": x.tolist(), "outcomes": y.tolist(), "model": model, "acquisition": {"name": "log_ei", "best": y.max()},
            "points": x[:64].tolist(), "raw": 512, "restarts": 10, "max_iterations": 200}


def botorch(x, y, seed):
    """The single-task model and log expected improvement as the library sets them up; warm, the fit begins at the last parameters."""
    import torch
    from botorch.acquisition import LogExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    x, y = torch.tensor(x), torch.tensor(y)[:, None]
    bounds = torch.stack([torch.zeros_like(x[0]), torch.ones_like(x[0])])

    def suggest(x, y, before=None):
        model = SingleTaskGP(x, y)
        if before is not None:
            with torch.no_grad():
                for parameter, last in zip(model.parameters(), before.parameters(), strict=True):
                    parameter.copy_(last)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        best = LogExpectedImprovement(model, best_f=y.max())
        point, _ = optimize_acqf(best, bounds=bounds, q=1, num_restarts=10, raw_samples=512)
        return model, point

    start = time.perf_counter()
    model, point = suggest(x, y)
    cold = time.perf_counter() - start
    with torch.no_grad():
        expected = model.posterior(point).mean
    start = time.perf_counter()
    suggest(torch.cat([x, point]), torch.cat([y, expected]), model)
    return cold, time.perf_counter() - start, point[0].tolist()


def optuna(x, y, seed):
    """A study with the Gaussian-process sampler; it keeps its kernel parameters from one suggestion to the next."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = [f"x{k}" for k in range(x.shape[1])]
    floats = {name: optuna.distributions.FloatDistribution(0, 1) for name in names}
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.GPSampler(seed=seed))
    study.add_trials(
        [optuna.trial.create_trial(params=dict(zip(names, p.tolist())), distributions=floats, value=v) for p, v in zip(x, y.tolist())]
    )

    def suggest():
        trial = study.ask()
        return trial, [trial.suggest_float(name, 0, 1) for name in names]

    start = time.perf_counter()
    trial, point = suggest()
    cold = time.perf_counter() - start
    # It does not say what outcome it expects there; the best so far stands in.
    start = time.perf_counter()
    study.tell(trial, y.max())
    suggest()
    return cold, time.perf_counter() - start, point


def egobox(x, y, seed):
    """`Egor` as it comes; it keeps nothing from one suggestion to the next, so there is no warm one."""
    import egobox

    start = time.perf_counter()
    point = egobox.Egor([[0.0, 1.0]] * x.shape[1], seed=seed).suggest(x, -y[:, None])
    return time.perf_counter() - start, None, point[0].tolist()


PEERS = {"botorch": botorch, "optuna": optuna, "egobox": egobox}


def work(name, path, seed):
    """What the process of a peer does: answers as the program `job` does."""
    warnings.filterwarnings("ignore")
    file = json.loads(pathlib.Path(path).read_text())
    x, y = np.array(file["inputs"]), np.array(file["outcomes"])
    PEERS[name](x[:WARM_UP], y[:WARM_UP], seed)
    cold, warm, point = PEERS[name](x, y, seed)
    print(json.dumps({"seconds_cold": cold, "seconds_warm": warm, "point": point}))


def ask(command, threads, limit):
    """The answer of one process, or in words why there is none."""
    environment = {f"{kind}_NUM_THREADS": str(threads) for kind in ("OMP", "MKL", "OPENBLAS", "RAYON")}
    # Threads that spin while they wait make a library many times slower as soon as anything else runs.
    environment["OMP_WAIT_POLICY"] = "PASSIVE"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env=os.environ | environment)
    except subprocess.TimeoutExpired:
        return f"no answer in {limit:g} s"
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(done.stdout)


def compare(d, n, commands, args):
    """The medians of all runs of one size, the engines taking turns."""
    answers, silent = {name: [] for name in commands}, {}
    for seed in range(args.runs):
        data = job(d, n, seed)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "job.json")
            path.write_text(json.dumps(data))
            for name, command in commands.items():
                if name in silent:
                    continue
                answer = ask(command(str(path), str(seed)), args.threads, args.limit)
                if isinstance(answer, str):
                    silent[name] = answer
                    continue
                answer["gain"] = gain(data, answer["point"])
                answers[name].append(answer)

    def median(name, field):
        return statistics.median(a[field] for a in answers[name]) if answers[name][0][field] is not None else None

    rows = [{"engine": name, "dim": d, "observations": n, **{f: median(name, f) for f in ("seconds_cold", "seconds_warm", "gain")}}
            for name in commands if name not in silent]
    for field in ("seconds_cold", "seconds_warm"):
        quickest = min((row[field] for row in rows if row["engine"] != "gittins" and row[field] is not None), default=None)
        for row in rows:
            row[field.replace("seconds", "ratio")] = row[field] and quickest and row[field] / quickest
    return rows, silent


def gain(data, point):
    """By how much the outcome at a point is better than the best in the data; negative where it is worse."""
    raw = ackley(np.array(data["inputs"]))
    return float((ackley(np.array(point)) - raw.max()) / raw.std(ddof=1))


def table(rows):
    columns = [("seconds_cold", "cold s"), ("ratio_cold", "/ quickest peer"), ("seconds_warm", "warm s"), ("ratio_warm", "/ quickest peer"),
               ("gain", "gain")]
    lines = [["engine", *(title for _, title in columns)]]
    lines += [[row["engine"], *("-" if row[field] is None else f"{row[field]:.3f}" for field, _ in columns)] for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        print("  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))]))


def size(text):
    dim, observations = map(int, text.split("x"))
    return dim, observations


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", nargs="+", type=size, default=[(8, 200), (16, 500)], metavar="DxN", help="dimension x observations")
    p.add_argument("--runs", type=int, default=3, help="runs whose median is taken, each with data of its own")
    p.add_argument("--threads", type=int, default=2, help="threads of each process")
    p.add_argument("--limit", type=float, default=900, help="seconds after which a process is given up")
    p.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    p.add_argument("--engine", default="target/release/job", help="the compiled program `job`")
    p.add_argument("--json", action="store_true", help="one JSON object in place of the tables")
    p.add_argument("--work", nargs=3, metavar=("PEER", "JOB", "SEED"), help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.work:
        return work(args.work[0], args.work[1], int(args.work[2]))
    if not pathlib.Path(args.engine).exists():
        sys.exit(f"{args.engine}: not found; build it with `cd evidence; cargo build --release --bin job`, or say where it is with --engine")

    commands, skipped = {"gittins": lambda path, seed: [args.engine, "suggest", path, "--seed", seed]}, {}
    for name in args.peers:
        if importlib.util.find_spec(name):
            commands[name] = lambda path, seed, name=name: [sys.executable, __file__, "--work", name, path, seed]
        else:
            skipped[name] = "not installed"
    versions = {name: importlib.metadata.version(name) for name in commands if name != "gittins"}
    header = {"versions": versions, "skipped": skipped, "threads": args.threads, "runs": args.runs, "load": os.getloadavg()[0]}
    if not args.json:
        for name, why in skipped.items():
            print(f"{name}: {why}, skipped")
        peers = ", ".join(f"{name} {version}" for name, version in versions.items()) or "none"
        print(f"peers: {peers}; {args.threads} threads; median of {args.runs} runs; load before: {header['load']:.1f}")
    results = []
    for d, n in args.sizes:
        rows, silent = compare(d, n, commands, args)
        results.append({"rows": rows, "silent": silent})
        if not args.json:
            print(f"\n{d} parameters, {n} observations")
            table(rows)
            for name, why in silent.items():
                print(f"{name}: {why}")
    if args.json:
        print(json.dumps({**header, "sizes": results}))


if __name__ == "__main__":
    main()
