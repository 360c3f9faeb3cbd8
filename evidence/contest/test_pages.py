"""The pages are written whole from runs: what few look at stands beside, and nothing is lost."""

import collections
import contextlib
import io
import pathlib
import random
import tempfile
import types
import unittest
from unittest import mock

import comparison
import many
import parallel
import pictures
import problems
import report
import typed

LABELS = {
    "bbob": ("gittins", "gp", "tpe"),
    "models": ("gittins", "tpe"),
    "high": ("gittins", "cma-es", "tpe"),
    "mixed": ("gittins", "tpe"),
    "workers": ("gittins", "gittins-w8", "random-w8"),
}
IDS = {
    "bbob": [f"f{k:02}-d05-i{i:02}" for k in (1, 8) for i in (6, 7)],
    "models": ["svc-digits"],
    "high": ["branin-100", "ackley-300"],
    "mixed": ["labs-50", "svm-cond"],
    "workers": ["f01-d05", "f03-d10"],
}


def made():
    """Runs of every suite, with values at random."""
    draw = random.Random(1)
    runs = {suite: {} for suite in problems.SUITES}
    for suite, labels in LABELS.items():
        for label in labels:
            runs[suite][label] = {
                (id, seed): {
                    "engine": label.split("-")[0], "evaluations": 300, "seconds": 1.0,
                    "late": 0.1, "best": [[n, draw.random() / n] for n in (1, 20, 200, 300)],
                    "versions": {label: "1"}, "date": "2026-01-01", "probe": 1.0,
                    **({"money": 10.0, "costs": [0.01] * 300} if suite == "models" else {}),
                }
                for id in IDS[suite] for seed in range(6)
            }
    return runs


class Pages(unittest.TestCase):
    def test_what_few_look_at_is_beside_the_pages(self):
        runs = {suite: collections.defaultdict(dict, labels) for suite, labels in made().items()}
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            folder = pathlib.Path(folder)
            args = types.SimpleNamespace(us="gittins", runs=None, out=folder / "contest.md",
                                         details=folder / "results")
            for name in ("critical", "profiles", "spending", "progress"):
                stack.enter_context(mock.patch.object(pictures, name))
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            for module in (report, many, typed, parallel):
                with mock.patch.object(comparison, "load", lambda _: (dict(runs), [])):
                    module.write(args)
            for name in ("contest.md", "high.md", "mixed.md", "workers.md"):
                page, beside = ((place / name).read_text() for place in (folder, args.details))
                self.assertIn(f"results/{name}", page)
                self.assertTrue(beside.startswith(page.splitlines()[0] + ": problem by problem"))
                self.assertIn("../../../docs/" + name, beside)
                for text in (page, beside):
                    # No heading stands over nothing.
                    parts = text.strip().split("\n\n")
                    heads = [part.startswith("## ") for part in parts]
                    self.assertFalse(heads[-1])
                    self.assertFalse(any(one and two for one, two in zip(heads, heads[1:])))
            self.assertIn("| f08 ", (args.details / "contest.md").read_text())
            self.assertNotIn("| f08 ", (folder / "contest.md").read_text())
            self.assertIn("| after 200", (args.details / "high.md").read_text())
            self.assertIn("| after 300", (folder / "high.md").read_text())
            self.assertNotIn("| after 200", (folder / "high.md").read_text().split("## Ranks")[0])


if __name__ == "__main__":
    unittest.main()
