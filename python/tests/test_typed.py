"""The program for the checker of types has each public name, and runs."""

from __future__ import annotations

import inspect
import pathlib
import re

import gittins
import typed
from gittins import Study, errors, policy


def test_the_program_runs():
    typed.main()


def test_the_program_uses_each_public_name():
    used = set(re.findall(r"\w+", pathlib.Path(typed.__file__).read_text()))
    assert set(gittins.__all__) <= used | {"GittinsSampler", "GittinsStop", "optuna"}
    assert {name for name in policy.__all__ if name != "PolicyName"} <= used
    for kind in (Study, gittins.Journal, gittins.Space, gittins.Table, gittins.Trial):
        members = inspect.getmembers(kind)
        assert {name for name, _ in members if not name.startswith("_")} <= used
    settings = set(inspect.signature(Study).parameters) - {"space", "direction"}
    settings |= set(gittins.Stages.__annotations__)
    assert settings <= used
    assert errors.UnknownTrialError is gittins.errors.UnknownTrialError
