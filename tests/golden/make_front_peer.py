"""Makes front_peer.json: hypervolumes, and expected hypervolume improvements, by BoTorch in double
precision (needs botorch). The test draws the same fronts with the same generator.
"""
import json
import os
from types import SimpleNamespace

import torch
from botorch.acquisition.multi_objective.analytic import ExpectedHypervolumeImprovement
from botorch.models.model import Model
from botorch.utils.multi_objective.box_decompositions.non_dominated import NondominatedPartitioning
from botorch.utils.multi_objective.hypervolume import Hypervolume

state = 20190801


def draw():
    """A linear congruential generator of 64 bits (Knuth's); its upper 53 bits make a number."""
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) * 2.0**-53


class Independent(Model):
    """A model with this mean and this variance of each objective everywhere."""

    num_outputs = property(lambda self: self.belief.mean.shape[-1])
    batch_shape = torch.Size([])

    def __init__(self, mean, variance):
        super().__init__()
        self.belief = SimpleNamespace(mean=mean, variance=variance)

    def posterior(self, X, **_):
        return self.belief


def front(index):
    """Even fronts lie near a plane, so that most of their points count."""
    m, n = 2 + index % 4 // 2, 1 + int(30 * draw())
    points = []
    for _ in range(n):
        p = [draw() for _ in range(m)]
        points.append([x / sum(p) for x in p] if index % 2 == 0 else p)
    mean, sd = [1.2 * draw() for _ in range(m)], [0.1 + draw() for _ in range(m)]
    return [0.05] * m, points, mean, sd


def main():
    rows = []
    for index in range(200):
        reference, points, mean, sd = front(index)
        tensor = lambda x: torch.tensor(x, dtype=torch.double)
        y = tensor(points)
        if not (y > tensor(reference)).all(-1).any():
            rows.append(None)
            continue
        partitioning = NondominatedPartitioning(tensor(reference), y)
        model = Independent(tensor([[mean]]), tensor([[[s * s for s in sd]]]))
        value = ExpectedHypervolumeImprovement(model, reference, partitioning)(torch.zeros(1, 1, 1, dtype=torch.double))
        volume = Hypervolume(tensor(reference)).compute(partitioning.pareto_Y)
        rows.append([len(points), volume, value.item()])
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "front_peer.json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


main()
