"""Tests of the suites that are made of others' functions; skipped where those are missing."""

import importlib.util
import math
import unittest

import coco_noisy
import mixint
import numpy as np
import pbo
import problems


def missing(*names):
    gone = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(gone, f"needs {', '.join(gone)}")


def points(problem, count, seed=0):
    rng, axes = np.random.default_rng(seed), problem.parameters
    for _ in range(count):
        yield [p.value(float(u)) for p, u in zip(axes, rng.random(len(axes)))]


@missing("ioh", "cocoex")
class Noisy(unittest.TestCase):
    def test_functions_without_noise_are_those_of_coco(self):
        import cocoex

        # With Cauchy noise an answer without outlier is 1000 more than the value without noise.
        suite = cocoex.Suite("bbob-noisy", "", f"dimensions:{coco_noisy.DIM} instance_indices:6,12")
        for function in range(112, 131, 3):
            for instance in (6, 12):
                theirs = suite.get_problem_by_function_dimension_instance(
                    function, coco_noisy.DIM, instance
                )
                ours = coco_noisy.problem(f"f{function}", instance)
                for x in points(ours, 3):
                    answers = [float(theirs(x)) for _ in range(30)]
                    usual = max(set(answers), key=answers.count)
                    value = ours.evaluate(x)[1]
                    with self.subTest(function=function, instance=instance):
                        self.assertTrue(math.isclose(
                            usual - 1000 - coco_noisy.LIFT, value, rel_tol=1e-9, abs_tol=1e-7
                        ), (usual, value))

    def test_noise_is_distributed_as_that_of_coco(self):
        import cocoex

        suite = cocoex.Suite("bbob-noisy", "", f"dimensions:{coco_noisy.DIM} instance_indices:6")
        for function in range(110, 131):
            theirs = suite.get_problem_by_function_dimension_instance(function, coco_noisy.DIM, 6)
            ours = coco_noisy.problem(f"f{function}", 6)
            x = next(points(ours, 1))
            # Ranks of the one among the other, which outliers do not rule.
            a = np.array([float(theirs(x)) for _ in range(3000)])
            b = np.array([ours.evaluate(x)[0] for _ in range(3000)])
            # Values that differ by rounding are equal.
            width = 1e-9 * (1 + np.abs(np.median(a)))
            share = np.mean(a[:, None] < b - width) + 0.5 * np.mean(np.abs(a[:, None] - b) <= width)
            with self.subTest(function=function):
                self.assertLess(abs(share - 0.5), 0.04)

    def test_who_asks_changes_no_draws(self):
        # Cauchy noise is added, so that what is added to different points can be held together.
        one, other, third = (coco_noisy.problem("f112", seed) for seed in (7, 7, 8))
        added = []
        for problem, seed in ((one, 1), (other, 2), (third, 1)):
            answers = [problem.evaluate(x) for x in points(problem, 40, seed)]
            added.append([noisy - true for noisy, true, _ in answers])
        np.testing.assert_allclose(added[0], added[1], atol=1e-6)
        self.assertGreater(np.max(np.abs(np.subtract(added[0], added[2]))), 1e-3)


@missing("ioh", "cocoex")
class Whole(unittest.TestCase):
    def test_no_value_is_below_the_optimum_and_that_of_the_sphere_is_on_the_grid(self):
        for id in mixint.PROBLEMS:
            problem = mixint.problem(id, 7)
            for x in points(problem, 200):
                self.assertGreaterEqual(problem.evaluate(x)[0], problem.optimum - 1e-9, id)
        sphere = mixint.problem("f01-d05", 7)
        best = [p.value(0.5) for p in sphere.parameters]
        for k, p in enumerate(sphere.parameters):
            tried = range(p.low, p.high + 1) if p.kind == "int" else np.linspace(-5, 5, 10_001)
            best[k] = min(
                tried, key=lambda v: sphere.evaluate([*best[:k], float(v), *best[k + 1:]])[0]
            )
        self.assertLess(sphere.evaluate(best)[0] - sphere.optimum, 1e-6)

    def test_bounds_are_those_of_coco(self):
        box = mixint.problem("f01-d10", 3).parameters
        self.assertEqual([p.kind for p in box], ["int"] * 8 + ["float"] * 2)
        self.assertEqual([p.high for p in box], [1, 1, 3, 3, 7, 7, 15, 15, 5.0, 5.0])


@missing("ioh")
class Flags(unittest.TestCase):
    def test_no_value_is_below_the_optimum(self):
        for id in pbo.PROBLEMS:
            for instance in (1, 6, 12):
                problem = pbo.problem(id, instance)
                for x in points(problem, 300):
                    self.assertGreaterEqual(problem.evaluate(x)[0], problem.optimum - 1e-6, id)

    def test_values_are_scaled_as_the_number_of_ones_is(self):
        import ioh

        plain = ioh.get_problem(18, 1, pbo.DIM, ioh.ProblemClass.PBO)
        factor, shift = pbo.scaling(6)
        problem = pbo.problem("f18", 6)
        merits = {round((-problem.evaluate(x)[0] - shift) / factor, 9) for x in points(problem, 50)}
        known = {round(625 / (2 * energy), 9) for energy in range(36, 4901)}
        self.assertLessEqual(merits, known)
        self.assertAlmostEqual(plain([0] * pbo.DIM), 625 / 9800)


class Listing(unittest.TestCase):
    def test_each_suite_with_instances_names_problems_with_budgets(self):
        for suite in ("mixint", "pbo", "coco-noisy", "robots"):
            module = problems.module(suite)
            self.assertTrue(all(module.budget(id) > 0 for id in module.PROBLEMS), suite)


if __name__ == "__main__":
    unittest.main()
