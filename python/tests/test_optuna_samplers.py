"""Optuna's own tests of samplers."""

from __future__ import annotations

import pytest

import gittins.optuna

pytest_samplers = pytest.importorskip("optuna.testing.pytest_samplers")


class TestGittinsSampler(
    pytest_samplers.BasicSamplerTestCase,
    pytest_samplers.RelativeSamplerTestCase,
    pytest_samplers.MultiObjectiveSamplerTestCase,
):
    @pytest.fixture
    def sampler(self):
        return lambda: gittins.optuna.GittinsSampler(seed=1)
