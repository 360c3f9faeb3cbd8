"""What the contests with several numbers for each trial play on, keep and compare."""

import contextlib
import importlib.util
import io
import json
import math
import pathlib
import tempfile
import unittest

import front_problems
import fronts
import fronts_stop
import limit_problems
import limits
import numpy as np
import several
import several_engines
import space
import store
from space import Parameter

HAS = {name: importlib.util.find_spec(name) is not None
       for name in ("botorch", "egobox", "gittins", "optuna")}
LIMITS = [id for id in limit_problems.PROBLEMS if id not in limit_problems.TABLES
          and (HAS["botorch"] or id in limit_problems.FORMULAS)]
FRONTS = [id for id in front_problems.PROBLEMS if id not in front_problems.TABLES
          and (HAS["botorch"] or id in front_problems.FORMULAS)]
# Of exp(-4 x) sin(6 pi x)^6 in [0, 1]: 16 of the first factor, twice 4 * 36 pi of both, and
# 6 (6 pi)^2 of the second.
CURVATURE = 16.0 + 8.0 * 36.0 * math.pi + 6.0 * (6.0 * math.pi) ** 2
# WFG4 takes cosines of up to 122 pi. The argument is off by some eight roundings of that. A twelfth
# of the cosine is what is shifted: its error counts 2 pi times by the quarter turn of the ellipse,
# and once by the distance. Twice, for both sides of a comparison.
ROUNDED = 2.0 * 8.0 * 122.0 * math.pi * 2.0**-53 / 12.0 * (2.0 * math.pi + 1.0)


def drawn(problem, rng):
    units = rng.random(len(problem.parameters))
    return space.fill(problem.parameters, lambda k, p: p.value(units[k]))


class Limits(unittest.TestCase):
    def test_the_known_points_hold_all_limits_and_have_the_least_value(self):
        for id in LIMITS:
            problem = limit_problems.problem(id, None)
            values = space.checked(problem.parameters, problem.known)
            (value,), numbers = problem.evaluate(values)
            self.assertEqual(len(numbers), problem.limits, id)
            self.assertLessEqual(max(numbers), 0.0, id)
            # Points are written with ten digits, and a limit that binds is kept by some 1e-9 of
            # its spread: steep limits make 1e-6 of it.
            self.assertLessEqual(abs(value - problem.optimum), 1e-6 * abs(problem.optimum), id)

    def test_nothing_near_the_known_points_or_drawn_is_better(self):
        rng = np.random.default_rng(0)
        for id in LIMITS:
            problem, held = limit_problems.problem(id, None), 0
            low, high = (np.array([getattr(p, end) for p in problem.parameters])
                         for end in ("low", "high"))
            for k in range(3000):
                values = drawn(problem, rng)
                if k % 2:
                    step = 10.0 ** rng.uniform(-6, -1) * (high - low)
                    moved = problem.known + step * rng.standard_normal(len(low))
                    values = np.clip(moved, low, high).tolist()
                (value,), numbers = problem.evaluate(values)
                if max(numbers) <= 0.0:
                    held += 1
                    self.assertGreaterEqual(value, problem.optimum * (1 - math.copysign(
                        1e-6, problem.optimum)), (id, values))
            self.assertGreater(held, 0, id)

    def test_gardners_simulations_have_the_formulas_of_the_publication(self):
        (value,), (number,) = limit_problems.gardner1().evaluate([0.0, math.pi])
        self.assertAlmostEqual(value, -1.0, delta=1e-15)
        self.assertAlmostEqual(number, -1.5, delta=1e-15)
        (value,), (number,) = limit_problems.gardner2().evaluate([math.pi / 2, math.pi / 6])
        self.assertAlmostEqual(value, 1.0 + math.pi / 6, delta=1e-15)
        self.assertAlmostEqual(number, 0.5 + 0.95, delta=1e-15)

    def test_only_trials_that_hold_all_limits_count(self):
        trace = limits.Trace(limit_problems.linear())
        for value, holds in ((0.1, False), (5.0, True), (0.2, False), (6.0, True), (4.0, True)):
            trace.add([value], holds)
        self.assertEqual(trace.kept(), {"best": [[2, 5.0], [5, 4.0]], "first": 2})
        self.assertEqual(limits.Trace(None).kept(), {"best": [], "first": None})

    def test_a_run_in_which_nothing_held_loses_and_two_such_runs_tie(self):
        some, none = {"best": [[1, 9.0]]}, {"best": []}
        ours = {("linear", 0): some, ("linear", 1): none, ("linear", 2): none, ("spring", 0): some}
        theirs = {("linear", 0): none, ("linear", 1): none, ("linear", 2): some}
        found = limits.compared(ours, theirs, {"linear": 0.72})
        self.assertEqual(found[:4], (1, 1, 3, 1.0))


class Fronts(unittest.TestCase):
    def test_zdt4_and_zdt6_reach_their_largest_hypervolume_on_the_front(self):
        if not HAS["botorch"]:
            self.skipTest("botorch counts hypervolumes")
        for id in ("zdt4", "zdt6"):
            problem, count = front_problems.problem(id, None), 2000
            outcomes = [problem.evaluate([k / count] + [0.0] * 5)[0] for k in range(count + 1)]
            volume = front_problems.hypervolume(outcomes, problem.reference)
            self.assertLess(volume, problem.optimum, id)
            # Missing is at most the widest stair times the fall of the second objective, which is
            # 1, and the strip of height 11 before the first. The first objective of ZDT6 moves by
            # at most 4 + 36 pi in a unit; the least of the grid is half a step from the minimum.
            steep = 1.0 if id == "zdt4" else 4.0 + 36.0 * math.pi
            strip = 0.0 if id == "zdt4" else 11.0 * 0.5 * CURVATURE * (0.5 / count) ** 2
            self.assertGreater(volume, problem.optimum - steep / count - strip, id)

    def test_the_least_first_objective_of_zdt6(self):
        problem = front_problems.problem("zdt6", None)
        firsts = [problem.evaluate([k / 20000] + [0.0] * 5)[0][0] for k in range(20001)]
        self.assertGreaterEqual(min(firsts), front_problems.LEAST)
        # A step of 2.5e-5 from a minimum adds at most half the curvature times its square.
        self.assertLess(min(firsts), front_problems.LEAST + 0.5 * CURVATURE * 2.5e-5**2)

    def test_wfg4_has_the_numbers_of_pymoo(self):
        problem = front_problems.problem("wfg4", None)
        # By `WFG4(n_var=6, n_obj=2, k=4, l=2)` of pymoo 0.6.1.6.
        for values, outcomes in (
            ([0.5, 3.25, 1.0, 6.5, 2.75, 8.5], [1.3379681035330246, 3.6141488044349015]),
            ([1.75, 0.25, 5.5, 2.0, 9.5, 3.0], [1.9819596663355994, 3.0483321383884157]),
            ([0.7, 1.4, 2.1, 2.8, 3.6, 4.1], [0.13076867460255287, 4.130768674602553]),
            ([1.9, 3.9, 0.3, 7.7, 0.1, 11.9], [2.758326493093289, 2.248059546702039]),
        ):
            for found, value in zip(problem.evaluate(values)[0], outcomes, strict=True):
                self.assertAlmostEqual(found, value, delta=ROUNDED)

    def test_the_corners_of_wfg4_are_those_of_the_publication(self):
        problem, highs = front_problems.problem("wfg4", None), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
        self.assertEqual([p.high for p in problem.parameters], highs)
        # A parameter at 0.35 of its range is shifted to 0, at either end to 1.
        for position, distance, outcomes in (
            (0.35, 0.35, [0.0, 4.0]), (0.0, 0.35, [2.0, 0.0]), (1.0, 0.35, [2.0, 0.0]),
            (0.35, 1.0, [1.0, 5.0]), (1.0, 0.0, [3.0, 1.0]),
        ):
            parts = [position] * 4 + [distance] * 2
            found, _ = problem.evaluate([a * b for a, b in zip(parts, highs)])
            for one, value in zip(found, outcomes, strict=True):
                self.assertAlmostEqual(one, value, delta=ROUNDED)

    def test_wfg4_reaches_its_largest_hypervolume_on_the_front(self):
        if not HAS["botorch"]:
            self.skipTest("botorch counts hypervolumes")
        problem, count = front_problems.problem("wfg4", None), 4000
        parts = [0.35 * k / count for k in range(count + 1)]
        outcomes = [problem.evaluate([2.0 * p, 4.0 * p, 6.0 * p, 8.0 * p, 3.5, 4.2])[0]
                    for p in parts]
        volume = front_problems.hypervolume(outcomes, problem.reference)
        self.assertLess(volume, problem.optimum)
        # A step moves the first objective by at most pi times what is shifted; this moves by at
        # most (122 pi + 40) / 12 of the step's share of twice 0.35. The second falls by 4.
        wide = math.pi * (122.0 * math.pi + 40.0) / 12.0 / 0.7 * 0.35 / count
        self.assertGreater(volume, problem.optimum - 4.0 * wide)

    def test_draws_have_all_objectives_and_less_than_the_largest_hypervolume(self):
        if not HAS["botorch"]:
            self.skipTest("botorch counts hypervolumes")
        rng = np.random.default_rng(0)
        for id in FRONTS:
            problem = front_problems.problem(id, None)
            trace, held = fronts.Trace(problem), []
            for _ in range(300):
                outcomes, numbers = problem.evaluate(drawn(problem, rng))
                self.assertEqual((len(outcomes), len(numbers)),
                                 (problem.objectives, problem.limits), id)
                holds = all(number <= 0 for number in numbers)
                trace.add(outcomes, holds)
                held += [outcomes] if holds else []
            volume = trace.volumes[-1][1] if trace.volumes else 0.0
            self.assertLess(volume, problem.optimum, id)
            whole = front_problems.hypervolume(held, problem.reference)
            # Volumes are kept with twelve digits.
            self.assertAlmostEqual(volume, whole, delta=1e-11 * problem.optimum, msg=id)

    def test_the_hypervolume_of_a_staircase(self):
        if not HAS["botorch"]:
            self.skipTest("botorch counts hypervolumes")
        trace = fronts.Trace(several.Several("stairs", [], None, 2, 0, reference=[4.0, 4.0]))
        for outcomes, holds in (([1.0, 3.0], True), ([2.0, 3.5], True), ([0.0, 0.0], False),
                                ([3.0, 1.0], True), ([5.0, 0.0], True), ([1.0, 1.0], True)):
            trace.add(outcomes, holds)
        self.assertEqual(trace.volumes, [[1, 3.0], [4, 5.0], [6, 9.0]])
        record = {"evaluations": 8, "volumes": trace.volumes}
        self.assertEqual([fronts.at(record, part) for part in fronts.PARTS], [3.0, 5.0, 9.0])


class Stops(unittest.TestCase):
    def judged(self, stop):
        return fronts_stop.Judged({"price": 2.0, "volumes": [[1, 10.0], [3, 16.0], [5, 17.0]],
                                   "evaluations": 6, "stop": stop})

    def test_a_stop_is_judged_in_trials(self):
        # Volumes are worth 5, 5, 8, 8, 8.5, 8.5 trials: net of the trials 4, 3, 5, 4, 3.5, 2.5.
        one = self.judged(4)
        self.assertEqual([one.best, one.regret(4), one.regret(6)], [3, 1.0, 2.5])
        self.assertEqual([one.gain(), one.saved, one.later()], [0.5, 1.5, 0.0])
        early = self.judged(2)
        self.assertEqual([early.gain(), early.saved, early.later()], [3.5, 0.5, 2.0])

    def test_a_run_that_did_not_stop_is_judged_by_its_end(self):
        one = self.judged(None)
        self.assertEqual([one.stopped, one.stop, one.saved, one.regret(6)], [False, 6, 0.0, 2.5])

    def test_the_price_ends_a_run_and_does_not_change_its_trials(self):
        if not (HAS["botorch"] and HAS["gittins"]):
            self.skipTest("no botorch or gittins")
        problem = front_problems.zdt6()
        record = fronts_stop.play(problem, 0, 0.01)
        self.assertLess(record["stop"], fronts_stop.LEAST)
        self.assertEqual(record["evaluations"],
                         max(fronts_stop.LEAST, fronts_stop.BEYOND * record["stop"]))
        spec = {"problem": "zdt6", "seed": 0, "engine": "gittins", "label": "gittins", "trials": 0}
        free = several.play("fronts", problem, spec, fronts.Trace(problem))
        same = [pair for pair in record["volumes"] if pair[0] <= free["evaluations"]]
        self.assertEqual(same, free["volumes"])


class Tables(unittest.TestCase):
    def test_what_is_asked_for_has_the_numbers_of_the_nearest_row(self):
        axes = [Parameter("size", "ordinal", options=("1", "2", "4", "8")),
                space.choice("kind", "a", "b")]
        rows = [{"size": "1", "kind": "a"}, {"size": "4", "kind": "b"}, {"size": "8", "kind": "a"}]
        table = several.Rows(axes, rows, ["first", "second", "third"])
        self.assertEqual(table.evaluate(["4", "b"]), "second")
        self.assertEqual(table.evaluate(["2", "a"]), "first")
        self.assertEqual(table.evaluate(["8", "b"]), "second")

    def test_a_table_that_is_not_there_is_skipped_by_name(self):
        for module in (limit_problems, front_problems):
            for id in module.TABLES:
                said = io.StringIO()
                with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
                    self.assertIsNone(module.problem(id, pathlib.Path(folder)))
                self.assertIn(f"{id}: no tables.json", said.getvalue())


class Kept(unittest.TestCase):
    def play(self, folder, *more):
        parser = several.parser("", "limits", limit_problems.PROBLEMS)
        args = parser.parse_args(["run", "--runs", str(folder), "--problems", "linear", "gardner1",
                                  "--engines", "random", "--seeds", "0-1", *more])
        with contextlib.redirect_stdout(io.StringIO()):
            several.run("limits", args, limit_problems.problem, limit_problems.PROBLEMS,
                        limits.Trace)
        return folder / "limits" / "random.jsonl"

    def test_what_is_kept_is_not_run_again_and_what_is_lost_is_the_same_again(self):
        with tempfile.TemporaryDirectory() as name:
            path = self.play(pathlib.Path(name))
            whole = path.read_text()
            self.assertEqual(len(whole.splitlines()), 4)
            self.play(pathlib.Path(name))
            self.assertEqual(path.read_text(), whole)
            before = store.runs(path)
            # The process was killed within the last line.
            path.write_text(whole[:-20])
            self.play(pathlib.Path(name))
            after = store.runs(path)
            self.assertEqual(len(path.read_text().splitlines()), 5)
            for key, record in before.items():
                self.assertEqual(record["best"], after[key]["best"])
                self.assertEqual(record["evaluations"], 50)

    def test_a_run_that_is_shorter_than_asked_is_played_anew(self):
        with tempfile.TemporaryDirectory() as name:
            path = self.play(pathlib.Path(name), "--trials", "5")
            self.play(pathlib.Path(name), "--trials", "8")
            lines = [json.loads(line)["evaluations"] for line in path.read_text().splitlines()]
            self.assertEqual(lines, [5] * 4 + [8] * 4)


class Peers(unittest.TestCase):
    def test_to_optuna_a_trial_that_breaks_a_limit_is_not_the_best(self):
        if not HAS["optuna"]:
            self.skipTest("no optuna")
        for name in ("tpe", "gp") if HAS["botorch"] else ("tpe",):
            engine = several_engines.start("limits", name, limit_problems.linear(), 0)
            for value, number in ((1.0, 0.1), (3.0, 0.0), (2.0, 0.2)):
                engine.ask()
                engine.tell([value], [number])
            self.assertEqual(engine.study.best_trial.number, 1)

    def test_botorch_looks_for_what_holds_before_it_improves_the_best_that_held(self):
        if not HAS["botorch"]:
            self.skipTest("no botorch")
        engine = several_engines.start("limits", "botorch", limit_problems.linear(), 0)
        for k in range(engine.initial):
            engine.ask()
            engine.tell([1.0 - k], [0.1 * (k + 1)])
        engine.fit()
        self.assertEqual(type(engine.acquisition()).__name__, "LogProbabilityOfFeasibility")
        self.assertEqual(len(space.checked(engine.problem.parameters, engine.ask())), 2)
        engine.tell([7.0], [-0.1])
        engine.fit()
        improvement = engine.acquisition()
        self.assertEqual(type(improvement).__name__, "LogConstrainedExpectedImprovement")
        self.assertEqual(float(improvement.best_f), -7.0)

    def test_botorch_takes_rows_of_a_table_that_were_not_tried(self):
        if not HAS["botorch"]:
            self.skipTest("no botorch")
        axes = [Parameter("size", "ordinal", options=("1", "2", "4", "8")),
                space.choice("kind", "a", "b", "c")]
        rows = [{"size": s, "kind": k} for s in ("1", "2", "4", "8") for k in "abc"]
        numbers = [([float(k), float(-k)], []) for k in range(12)]
        table = several.Rows(axes, rows, numbers)
        problem = several.Several("rows", axes, table.evaluate, 2, 0, reference=[12.0, 1.0],
                                  rows=table.rows)
        engine = several_engines.start("fronts", "botorch", problem, 0)
        asked = []
        for k in range(engine.initial + 2):
            asked.append(engine.ask())
            outcomes, numbers = problem.evaluate(asked[-1])
            engine.tell(outcomes, numbers)
        for k in (-2, -1):
            self.assertIn(asked[k], table.rows)
            self.assertNotIn(asked[k], asked[:k])

    def test_egobox_begins_as_its_own_loop_does(self):
        if not HAS["egobox"]:
            self.skipTest("no egobox")
        import egobox

        for contest, problem in (("limits", limit_problems.linear()),
                                 ("fronts", front_problems.zdt6())):
            def outcomes(points, problem=problem):
                found = [problem.evaluate(point) for point in points.tolist()]
                return np.array([values + limits for values, limits in found])

            box = [[p.low, p.high] for p in problem.parameters]
            many = {"n_obj": 2} if contest == "fronts" else {}
            loop = egobox.Belfegor if many else egobox.Egor
            there = loop(box, n_cstr=problem.limits, seed=3, **many).minimize(outcomes, max_iters=1)
            engine, asked = several_engines.start(contest, "egobox", problem, 3), []
            for _ in range(len(engine.design) + 1):
                asked.append(engine.ask())
                engine.tell(*problem.evaluate(asked[-1]))
            there = np.clip(there.x_doe, *np.array(box).T)
            self.assertEqual(asked, there.tolist(), contest)

    def test_egobox_is_not_played_on_what_is_no_float(self):
        if not HAS["egobox"]:
            self.skipTest("no egobox")
        kinds = [Parameter("rate", "float"), space.choice("kind", "a", "b")]
        with self.assertRaisesRegex(ValueError, "floats alone, and kind"):
            several_engines.start("limits", "egobox", several.Several("", kinds, None, 1, 1), 0)


if __name__ == "__main__":
    unittest.main()
