"""Linear policies of simulated robots: gymnasium's MuJoCo tasks.

An action is the hyperbolic tangent of a matrix times the observation. Its weights, without a bias
and each in [-1, 1], are the parameters, as where random search is let loose on linear policies
(Mania et al., NeurIPS 2018). Observations are used as they are. An evaluation is one episode of at
most 1000 steps: a tenth of a second or less, because who falls ends it. The seed is that of the
environment, so that all who play it begin at the same state, and the same weights have the same
return.
"""

import numpy as np

from problem import Problem
from space import Parameter

BUDGET = 200
# The task, and a return that linear policies do not get to: judged is how much less it is.
TASKS = {
    "swimmer-16": ("Swimmer-v5", 400.0),
    "hopper-33": ("Hopper-v5", 5000.0),
    "cheetah-102": ("HalfCheetah-v5", 10_000.0),
    "walker-102": ("Walker2d-v5", 12_000.0),
}
PROBLEMS = list(TASKS)


def budget(id):
    return BUDGET


def problem(id, seed):
    import gymnasium
    import mujoco

    # Else a model of an older format leaves a file of warnings wherever this is run.
    mujoco.set_mju_user_warning(lambda _: None)
    task, roof = TASKS[id]
    world = gymnasium.make(task)
    width = world.observation_space.shape[0]
    strength = world.action_space.high

    def evaluate(values):
        weights = np.array(values).reshape(len(strength), width)
        seen, _ = world.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            seen, reward, fallen, late, _ = world.step(strength * np.tanh(weights @ seen))
            total, over = total + float(reward), fallen or late
        return -total, -total, None

    count = len(strength) * width
    box = [Parameter(f"w{k}", "float", -1.0, 1.0) for k in range(count)]
    middle = evaluate([0.0] * count)[0] + roof
    return Problem(id, box, evaluate, BUDGET, -roof, probe=middle)
