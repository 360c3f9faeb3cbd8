"""Train a network in stages: each run is paid for up to its next report.

A run that promises little is paused, and resumed from its checkpoint if the others turn out no
better. Needs NumPy. With another framework only `Network` changes: what it trains, keeps and loads.
"""

# %% The data
import pathlib
import tempfile

import numpy as np

import gittins

random = np.random.default_rng(0)
points = random.uniform(-3.0, 3.0, size=(600, 2))
heights = np.sin(points[:, 0]) * np.cos(points[:, 1]) + random.normal(0.0, 0.1, 600)
train, test = slice(0, 400), slice(400, 600)


# %% A network of one hidden layer, and what a checkpoint is
class Network:
    """Stands for a model of any framework."""

    def __init__(self, width):
        random = np.random.default_rng(1)
        self.weights = {
            "in": random.normal(size=(2, width)),
            "shift": random.normal(size=width),
            "out": np.zeros(width),
        }

    def hidden(self, points):
        """Return what the hidden layer makes of points."""
        return np.tanh(points @ self.weights["in"] + self.weights["shift"])

    def train(self, epochs, rate, momentum):
        """Go on for some epochs of gradient descent in batches of 40."""
        for _ in range(epochs):
            speed = {name: np.zeros_like(value) for name, value in self.weights.items()}
            for batch in np.split(np.arange(400), 10):
                hidden = self.hidden(points[train][batch])
                error = hidden @ self.weights["out"] - heights[train][batch]
                back = np.outer(error, self.weights["out"]) * (1.0 - hidden**2)
                slopes = {
                    "in": points[train][batch].T @ back / len(batch),
                    "shift": back.mean(axis=0),
                    "out": hidden.T @ error / len(batch),
                }
                for name, slope in slopes.items():
                    speed[name] = momentum * speed[name] - rate * slope
                    self.weights[name] = self.weights[name] + speed[name]

    def loss(self):
        """Return the root of the mean squared error on points that it was not trained on.

        A rate that is too high ends in no number, or in a large one: both are told as 10.
        """
        error = self.hidden(points[test]) @ self.weights["out"] - heights[test]
        loss = np.sqrt(np.mean(error**2))
        return float(loss) if loss < 10.0 else 10.0

    def save(self, file):
        """Write a checkpoint."""
        np.savez(file, **self.weights)

    def load(self, file):
        """Go on from a checkpoint."""
        self.weights = dict(np.load(file))


# %% What is searched, and what all runs may cost
space = (
    gittins.Space()
    .log_float("rate", 1e-4, 1.0)
    .float("momentum", 0.0, 0.95)
    .log_int("width", 4, 128)
)
study = gittins.Study(space, stages={"epochs": 81}, budget=600.0, cost_unit="epochs", seed=1)
checkpoints = pathlib.Path(tempfile.mkdtemp())

# %% The study
while not study.verdict():
    with study.run() as run:
        file = checkpoints / f"{run.number}.npz"
        network = Network(run["width"])
        if run.resume:
            network.load(file)
        for until in run:
            epochs = round(until - run.progress)
            with np.errstate(all="ignore"):
                network.train(epochs, run["rate"], run["momentum"])
                loss = network.loss()
            network.save(file)  # before the report
            advice = run.report(loss, cost=epochs)  # without a cost its seconds count
            print(f"run {run.number:2} at {until:3g} epochs: {loss:7.4f}, {advice}")

best = study.best()
runs = study.trials()
whole = sum(run.state == "complete" for run in runs)
print(study.verdict())
print(f"{len(runs)} runs began, {whole} went to their end, for {study.total_cost:g} epochs")
print(f"the best one: {best.values}, loss {best.outcome:.4f}")

# %% The curves, if matplotlib is there
try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture without matplotlib")
else:
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    for run in runs:
        curve = [(report.progress, report.outcome) for report in run.reports]
        if curve:
            kept = {"color": "C1", "zorder": 3} if run.trial == best.trial else {"color": "0.6"}
            axes.plot(*zip(*curve), ".-", **kept)
    axes.set(xlabel="epochs", ylabel="loss", yscale="log", ylim=(None, 1.0))
    axes.set_title("a dot is a report; the best run in color", fontsize="medium")
    figure.savefig("training_in_stages.svg")
    print("see training_in_stages.svg")
