"""The command `gittins` that comes with the package."""

import importlib.metadata
import json
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import gittins

if os.name != "posix":
    pytest.skip("the command needs Unix", allow_module_level=True)

# A trial that prints the distance of its value from 0.3.
STUDY = """
direction = "minimize"
price = 1e-3
stop.trials = 6
command = ["sh", "-c", 'awk "BEGIN {{ print ($0 - 0.3) ^ 2 }}"', "{x}"]
parameters.x = { type = "float", low = 0.0, high = 1.0 }
"""


def said(*words, cwd):
    return subprocess.run(
        [sys.executable, "-m", "gittins", *words], cwd=cwd, capture_output=True, text=True
    )


def test_it_runs_a_study(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    ran = said("run", "study.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    best = json.loads(said("best", "--json", "study.toml", cwd=tmp_path).stdout)
    assert best["best"]["outcome"] < 0.1
    # Which is a study that Python goes on with.
    assert len(gittins.Journal(tmp_path / "study.journal").trials()) == 6


def test_exit_codes_are_those_of_the_command(tmp_path):
    assert said("--version", cwd=tmp_path).stdout == f"gittins {gittins.__version__}\n"
    wrong = said("runn", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "a similar subcommand exists: 'run'" in wrong.stderr


def test_it_is_on_the_path():
    try:
        importlib.metadata.distribution("gittins")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    scripts = pathlib.Path(sysconfig.get_path("scripts"))
    assert (scripts / "gittins").exists()


def test_ctrl_c_ends_it_in_order(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.replace("awk", "sleep 60; awk"))
    run = subprocess.Popen(
        [sys.executable, "-m", "gittins", "run", "study.toml"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets what it runs in the background ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # A trial is on disk before it begins.
    journal = tmp_path / "study.journal"
    while run.poll() is None and not (journal.exists() and '"op_code":4' in journal.read_text()):
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=60)[1]
    assert run.returncode == 130, said
    assert "Traceback" not in said
