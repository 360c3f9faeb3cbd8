#!/usr/bin/env python3
"""Time values and gradients of one batch on a graphics card: this engine, plain PyTorch, and BoTorch if it is installed.

    peers_gpu.py [--sizes 8x200x4096 32x1000x16384] [--repeats 7] [--device cuda] [--engine target/release/job] [--json]

A size is dimensions x observations x points. Run from the project's root after `cd evidence; cargo build --release --bin job`. Needs PyTorch.
All have the same data and the same kernel and score log expected improvement. Points of PyTorch and BoTorch lie on the card and their answers stay
there, as their users have it; ours are sent and read. Medians of the repeats, after two that do not count. README.md beside this file says more.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch

SIZES = ("8x200x4096", "16x500x4096", "32x1000x4096", "100x2000x4096", "32x1000x16384", "32x2000x16384")
NOISE = 1e-2
PRECISIONS = {"f32": torch.float32, "f64": torch.float64}


def job(d, n, q):
    """A job file as the program `job` reads it: a bowl, its outcomes standardized, and points all over the cube."""
    torch.manual_seed(1)
    x, points = torch.rand(n, d, dtype=torch.float64), torch.rand(q, d, dtype=torch.float64)
    y = ((x - 0.4) ** 2).sum(-1)
    y = (y - y.mean()) / y.std()
    model = {"kernel": "matern52", "lengthscales": [0.5 * d**0.5] * d, "outputscale": 1.0, "noise": NOISE, "mean": 0.0}
    return {"inputs": x.tolist(), "outcomes": y.tolist(), "model": model, "acquisition": {"name": "log_ei", "best": float(y.max())},
            "points": points.tolist(), "raw": 512, "restarts": 10, "max_iterations": 200}


def median(run, repeats, device):
    def once():
        began = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - began

    once(), once()
    return statistics.median(once() for _ in range(repeats))


def given(task, device, dtype):
    tensors = (torch.tensor(task[name], dtype=dtype, device=device) for name in ("inputs", "outcomes", "points"))
    return (*tensors, task["model"]["lengthscales"][0], task["acquisition"]["best"])


def plain(task, device, dtype):
    """What one writes in half an hour: two products with the inverse factor, and the gradient by hand."""
    x, y, points, scale, best = given(task, device, dtype)
    x, points = x / scale, points / scale

    def kernel(r):
        a = 5**0.5 * r
        e = torch.exp(-a)
        return (1 + a + a * a / 3) * e, 5 / 3 * (1 + a) * e

    prior = kernel(torch.cdist(x, x))[0] + NOISE * torch.eye(len(x), device=device, dtype=dtype)
    factor = torch.linalg.cholesky(prior.double())
    inverse = torch.linalg.inv(factor).to(dtype)
    weights = torch.cholesky_solve(y.double()[:, None], factor).to(dtype)

    def run():
        k, slope = kernel(torch.cdist(x, points))
        v = inverse @ k
        sd = (1 - (v * v).sum(0)).clamp_min(1e-12).sqrt()
        z = ((weights * k).sum(0) - best) / sd
        pdf, cdf = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi), torch.special.ndtr(z)
        improvement = (sd * (pdf + z * cdf)).clamp_min(1e-30)
        by_mean, by_sd = cdf / improvement, pdf / improvement
        t = slope * (by_mean * weights - by_sd / sd * (inverse.T @ v))
        return torch.log(improvement), (t.T @ x - t.sum(0)[:, None] * points) / scale

    return run


def botorch(task, device, dtype):
    from botorch.acquisition import LogExpectedImprovement
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel, ScaleKernel

    x, y, points, scale, best = given(task, device, dtype)
    kernel = ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=x.shape[-1]))
    model = SingleTaskGP(x, y[:, None], torch.full_like(y[:, None], NOISE), covar_module=kernel, outcome_transform=None)
    model.covar_module.base_kernel.lengthscale = scale
    model.covar_module.outputscale = 1.0
    model.to(device).eval()
    acquisition = LogExpectedImprovement(model, best_f=best)

    def run():
        batch = points.unsqueeze(-2).detach().requires_grad_(True)
        acquisition(batch).sum().backward()

    return run


def ours(engine, path, precision, repeats, device):
    """The time of a batch after one that does not count, in a process of its own each time. The CPU has double precision alone."""
    words = [engine, "evaluate", path, "--backend", "gpu" if device == "cuda" else "cpu"]
    words += ["--precision", precision] if device == "cuda" else []

    def once():
        found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        if found.get("fallback"):
            raise SystemExit(f"{path}: the engine fell back: {found['fallback']}")
        return found["seconds_value_and_gradient"]

    return statistics.median(once() for _ in range(repeats))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", choices=("cuda", "cpu"))
    parser.add_argument("--engine", default="target/release/job")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    name = torch.cuda.get_device_name() if args.device == "cuda" else f"the CPU, {torch.get_num_threads()} threads"
    rows = []
    for size in args.sizes:
        task = job(*map(int, size.split("x")))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.json")
            pathlib.Path(path).write_text(json.dumps(task))
            for precision, dtype in PRECISIONS.items():
                row = {"size": size, "precision": precision}
                for peer, make in (("plain", plain), ("botorch", botorch)):
                    try:
                        row[peer] = median(make(task, args.device, dtype), args.repeats, args.device)
                    except ImportError:
                        row[peer] = None
                row["ours"] = ours(args.engine, path, precision, args.repeats, args.device)
                rows.append(row)
    if args.json:
        print(json.dumps({"device": name, "torch": torch.__version__, "rows": rows}))
        return
    print(f"{name}, PyTorch {torch.__version__}; medians in ms")
    print(f"{'size':>15} {'':>4} {'ours':>9} {'plain':>9} {'BoTorch':>9}  plain / ours")
    for row in rows:
        shown = [f"{1e3 * row[k]:9.3f}" if row[k] is not None else f"{'-':>9}" for k in ("ours", "plain", "botorch")]
        print(f"{row['size']:>15} {row['precision']:>4} {' '.join(shown)}  {row['plain'] / row['ours']:.2f}")


if __name__ == "__main__":
    main()
