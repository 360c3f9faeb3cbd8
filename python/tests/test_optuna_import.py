"""`gittins.optuna` is there when it is asked for, and only then."""

from __future__ import annotations

import subprocess
import sys


def output_of(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_package_alone_does_not_import_optuna():
    code = "import gittins, sys; print('optuna' in sys.modules, 'gittins.optuna' in sys.modules)"
    assert output_of(code) == "False False"


def test_it_is_imported_with_its_first_use():
    code = "import optuna, gittins; print(repr(gittins.optuna.GittinsSampler(seed=1)))"
    assert output_of(code) == "GittinsSampler(seed=1)"


def test_without_optuna_it_says_what_to_install():
    # An entry of `None` is a module that cannot be found.
    code = """
import sys
sys.modules["optuna"] = None
import gittins
gittins.Space()
try:
    gittins.optuna
except ImportError as error:
    print(error)
"""
    assert output_of(code) == 'gittins.optuna needs Optuna: pip install "gittins[optuna]"'


def test_other_names_are_unknown():
    assert output_of("import gittins; print(hasattr(gittins, 'nothing'))") == "False"
