"""The pictures of the page."""

import matplotlib
import numpy as np

import comparison
import problems

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  The backend is chosen first.

# The same file from the same runs: text stays text, names of parts are not drawn at random.
plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "contest", "font.size": 9,
                 "axes.spines.top": False, "axes.spines.right": False, "path.simplify": True}
COLORS = {"gp": "#0072b2", "tpe": "#56b4e9", "cma": "#009e73", "botorch": "#d55e00",
          "hebo": "#cc79a7", "smac": "#e69f00", "random": "#999999"}


def style(label, us):
    if label == us:
        return {"color": "black", "linewidth": 2.2, "label": label, "zorder": 5}
    return {"color": COLORS.get(label, "#666666"), "linewidth": 1.2, "label": label}


def save(figure, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)


def grid(count, columns=3):
    lines = -(-count // columns)
    size = (3.1 * columns, 2.4 * lines + 0.4)
    figure, axes = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False)
    for axis in axes.flat[count:]:
        axis.set_axis_off()
    return figure, list(axes.flat[:count])


def legend(figure, axis):
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def profiles(found, us, path):
    """Shares of targets against evaluations: all problems, and each group."""
    figure, axes = grid(6)
    last = max(r["evaluations"] for records in found.values() for r in records.values())
    numbers = np.unique(np.linspace(1, last, 40).astype(int))
    for axis, name in zip(axes, ["all", *problems.GROUPS]):
        for label, records in found.items():
            chosen = [r for (id, _), r in records.items()
                      if name == "all" or problems.group(id) == name]
            if chosen:
                axis.plot(numbers, comparison.profile(chosen, numbers), **style(label, us))
        axis.set_title(name)
        axis.set_ylim(bottom=0)
    for axis in axes[3:]:
        axis.set_xlabel("evaluations")
    for axis in axes[::3]:
        axis.set_ylabel("share of targets")
    legend(figure, axes[0])
    save(figure, path)


def critical(groups, us, path):
    """Mean ranks of each group; who is within the bar of the best is not told apart from it."""
    figure, axes = grid(len(groups))
    for axis, (name, (mean, _, distance, count)) in zip(axes, groups.items()):
        order = sorted(mean, key=mean.get)
        colors = ["black" if label == us else COLORS.get(label, "#666666") for label in order]
        axis.scatter([mean[label] for label in order], range(len(order)), c=colors, s=30)
        axis.plot([mean[order[0]], mean[order[0]] + distance], [-0.6, -0.6], color="black")
        axis.set_yticks(range(len(order)), order)
        axis.invert_yaxis()
        axis.set_title(f"{name} ({count})")
        axis.set_xlim(0.8, len(order) + 0.2)
    for axis in axes[-3:]:
        axis.set_xlabel("mean rank; bar: critical difference")
    save(figure, path)


def spending(found, us, path):
    """The median best value against the money spent, a panel each problem."""
    ids = sorted({id for records in found.values() for id, _ in records})
    figure, axes = grid(len(ids))
    for axis, id in zip(axes, ids):
        for label, records in found.items():
            chosen = [r for (other, _), r in records.items() if other == id]
            if not chosen:
                continue
            money = np.linspace(0, chosen[0]["money"], 50)[1:]
            values = [[comparison.best(r, comparison.afforded(r, m)) for m in money]
                      for r in chosen]
            median = np.median(values, axis=0)
            axis.plot(money, np.where(np.isfinite(median), median, np.nan), **style(label, us))
        axis.set_title(id)
        axis.set_yscale("log")
        axis.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    for axis in axes[-3:]:
        axis.set_xlabel("money, in seconds")
    legend(figure, axes[0])
    save(figure, path)
