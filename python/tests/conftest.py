"""What the tests share."""

from __future__ import annotations

import subprocess
import sys

import pytest

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.WARNING)

#: Starts a cluster of Ray, and ends it.
CLUSTER = """
import ray
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
ray.shutdown()
"""


@pytest.fixture(scope="session")
def with_ray():
    """Skip a test where no cluster of Ray can be started: not every machine allows it."""
    pytest.importorskip("ray.tune")
    try:
        subprocess.run(
            [sys.executable, "-c", CLUSTER], capture_output=True, timeout=120, check=True
        )
    except subprocess.SubprocessError:
        pytest.skip("no cluster of Ray can be started here")
