"""The page of the suite `mixed`: tables of what the runs say in spaces of flags and choices."""

import comparison
import mixed
import pictures
from report import Detail, origins, publish
from sections import (
    RANKS, SECONDS, STOPS, contestants, medians, opening, present, ranking, seconds, stops,
)

MARKS = (50, 100, 200)
# Those where parameters are there only under conditions.
CONDITIONAL = ("svm-cond", "net-digits")

INTRODUCTION = """# Mixed spaces

This library and others minimize the same functions of flags, choices and numbers. `evidence/contest`
runs it; [how](../evidence/contest/README.md) says what to install and what to type. Smaller is
better. A seed stands for an instance of each problem, the same for all who play it.

- `labs-50`: a binary sequence of 50 flags with low autocorrelation. It is judged by how much
  smaller its merit factor is than the proven best, 8.170. The flags that are inverted are drawn
- `ackley-53`: Ackley's function of 50 flags and 3 floats (Wan et al. 2021), the optimum drawn; its
  value is 0
- `pest-25`: pest control at 25 stages with five actions (Oh et al. 2019). The actions' names are
  drawn for each stage. It is judged by the score; the best known is 11.9916
- `svm-cond`: a support vector machine with one of three kernels, boosting or a forest, each with
  its own settings, inputs scaled or not; 13 parameters of which at most 6 are there. The log loss
  of three folds of 240 rows of scikit-learn's breast cancer data; rows and folds are drawn
- `net-digits`: layers, their units, activation, solver and its settings of a network; 10
  parameters. The log loss after 12 epochs on scikit-learn's digits; rows and first weights are
  drawn

Budgets are 200 evaluations, and 100 for the last two. Everyone has the defaults of its
documentation. `tpe` and `gp` are Optuna's `TPESampler` and `GPSampler`, which is asked only for the
parameters that are there. Flags and choices are categorical parameters, powers of two whole numbers
by their exponents, as its maintainers advise. Since Optuna 5, `tpe` is multivariate; `tpe-single`
is not, and `tpe-group` is what the documentation has for conditions. `gp` models only the
parameters that all trials have, and draws the others at random. `botorch-mixed` is `SingleTaskGP`,
with choices `MixedSingleTaskGP`, and `optimize_acqf_mixed_alternating` with a design of a fifth of
the budget. It has no conditions, and a budget of 100 evaluations, because it takes minutes for
them. [Who played what](../evidence/contest/results/mixed.md), and their seconds, have a page."""


def write(args):
    runs, failed = comparison.load(args.runs)
    found = contestants(runs["mixed"], args.us)
    if not found[args.us]:
        return
    ids = present(found, mixed.PROBLEMS)
    plain = [id for id in ids if id not in CONDITIONAL]
    conditional = [id for id in ids if id in CONDITIONAL]
    folder = args.out.parent / "pictures"
    parts = [INTRODUCTION, *opening(found, args.us, ids)]
    for n in MARKS:
        long = [id for id in ids if mixed.budget(id) >= n]
        parts.append(medians(found, args.us, n, long, middle=False))
    groups = {f"all, after {n}": (ids, n) for n in MARKS[:2]}
    groups |= {f"unconditional, after {n}": (plain, n) for n in MARKS}
    groups |= {f"conditional, after {n}": (conditional, n) for n in MARKS[:2]}
    parts += ["## Ranks", RANKS]
    parts += ranking(found, folder / "contest-mixed-ranks.svg", args.us, groups)
    path = folder / "contest-mixed.svg"
    pictures.progress(found, ids, args.us, path)
    parts += ["## Curves", f"![Best value against evaluations](pictures/{path.name})"]
    if records := runs["mixed"].get(f"{args.us}-stop"):
        parts += ["## Stops, judged by running on", STOPS, stops(records, ids)]
    parts += map(Detail, ["## Seconds", SECONDS, seconds(found, {id: [id] for id in ids})])
    failed = [record for record in failed if record["suite"] == "mixed"]
    parts += origins({"mixed": found}, list(found), failed)
    publish(args, "mixed.md", parts)
