"""Rules that others published, written anew from what they say; used as those of `tables.py`."""

from functools import lru_cache

import numpy as np

from tables import Run


def ucb_lrf(scores, costs, marks, eta=5.0, members=64, ridge=0.1, drop=0.05, warm=0.05):
    """UCB-E-LRF (Zhou et al. 2024, arXiv:2407.06172): cells not seen are filled at rank one.

    Each of 64 members e misses a twentieth of the cells, and is fitted to the others it sees by
    least squares in turn, with a ridge of 0.1:  score_ij ~ u_ei v_ej. With the mean m_ij and the
    deviation s_ij of u_ei v_ej over members, the next arm has the largest mean over items of

        score_ij where seen, m_ij + 5 s_ij elsewhere,

    and buys those of its items with the largest s_ij. The choice has the largest mean over items
    of score_ij where seen, m_ij elsewhere. First 5 % of all cells are bought at random; until then
    the choice is by means of what was seen. So far the paper and its numbers. Ours: the ridge
    draws v_ej to the member's mean, so that an item that nobody saw is a mean one, not zero; a
    member misses the same cells throughout and goes on from its last fit, two turns a batch; a
    batch has a 500th of the cells, at most the paper's 32.
    """
    run, random, (k, n_items) = Run(scores, costs, marks), np.random.default_rng(0), scores.shape
    batch = int(np.clip(scores.size // 500, 1, 32))
    order, bought = random.permutation(scores.size), 0
    kept = random.random((members, k, n_items)) >= drop
    seen, values = np.zeros((2, members, k, n_items), np.float32)
    v = 0.5 + random.random((members, n_items, 1), np.float32)
    filled, turns = np.full((k, n_items), np.nan), 10
    while True:
        if bought < warm * scores.size:
            cells = np.unravel_index(order[bought : bought + batch], scores.shape)
            bought += batch
        else:
            new = np.isnan(filled)
            bound = np.where(new, mean + eta * spread, filled).mean(axis=1)
            bound[~new.any(axis=1)] = -np.inf
            arm = int(bound.argmax())
            widest = np.argsort(np.where(new[arm], -spread[arm], 1.0), kind="stable")
            few = min(batch, new[arm].sum())
            cells = np.full(few, arm), widest[:few]
        if len(cells[0]) == 0 or not run.pay(costs[cells].sum()):
            return run.end()
        filled[cells] = scores[cells]
        seen[:, *cells], values[:, *cells] = kept[:, *cells], kept[:, *cells] * scores[cells]
        if bought < warm * scores.size:
            count = (~np.isnan(filled)).sum(axis=1)
            means = np.nansum(filled, axis=1) / np.maximum(count, 1)
            run.choice = int(np.where(count > 0, means, -1.0).argmax())
            continue
        for _ in range(turns):
            u = (values @ v) / (seen @ v**2 + ridge)
            over = (values.swapaxes(1, 2) @ u) + ridge * v.mean(axis=1, keepdims=True)
            v = over / (seen.swapaxes(1, 2) @ u**2 + ridge)
        mean = u[:, :, 0].T @ v[:, :, 0] / members
        square = (u[:, :, 0] ** 2).T @ v[:, :, 0] ** 2 / members
        spread, turns = np.sqrt(np.maximum(square - mean**2, 0.0)), 2
        run.choice = int(np.where(np.isnan(filled), mean, filled).mean(axis=1).argmax())


PRIOR, NOISE = 0.04, 0.25  # variances of the arms' means, and of an item within an arm


def gittins_arms(scores, costs, marks, price=1e-4, batches=200):
    """Gittins indices of arms that know nothing of one another.

    After "Efficient Cost-Aware LLM Evaluation via Bayesian Bandit Gittins Indices" (workshop
    poster, openreview GlVWFamE4j, 2026) and the descriptions in its authors' public programs.
    The mean of an arm is N(0.5, 0.04), its items are that mean and noise of variance 1/4, the most
    that scores in [0, 1] can have. The posterior mean m of the arm's mean over *all* items walks
    in Gaussian steps, a batch a step, and the index is the g at which going on is just worth it,

        Q_t(m - g) = 0,  Q_t(z) = E max(0, Q_t+1(z + step)) - price of a batch,  Q_T(z) = z:

    the prize is had when all items are bought, and the arm may be left at any time. The arm with
    the largest index buys its next batch; the choice has the largest m. As there, what an item of
    each arm costs on average is known beforehand, and a batch of average cost is worth 1e-4.
    Assumed: a batch is a 200th of the items (there 20, of about a thousand; a 50th is worse here
    from 2 % on); items come in the one random order that all rules share, though the model makes
    nothing of it; only arms that were begun are chosen.
    """
    run, (k, n_items) = Run(scores, costs, marks), scores.shape
    prices = np.log(price * costs.mean(axis=1) / costs.mean())
    ends = int(np.floor(4 * prices.min())), int(np.ceil(4 * prices.max())) + 1
    count, grid, above = _above(n_items, max(1, round(n_items / batches)), *ends)
    above = np.array([np.interp(prices, grid, row) for row in above])
    stage, sums, every = np.zeros(k, int), np.zeros(k), np.arange(k)
    while True:
        n = count[stage]
        known = (0.5 / PRIOR + sums / NOISE) / (1 / PRIOR + n / NOISE)
        mean = (sums + (n_items - n) * known) / n_items
        run.choice = int(np.where(n > 0, mean, -1.0).argmax())
        index = np.where(n < n_items, mean + above[stage, every], -np.inf)
        arm = int(index.argmax())
        part = slice(n[arm], count[min(stage[arm] + 1, len(count) - 1)])
        if index[arm] == -np.inf or not run.pay(costs[arm, part].sum()):
            return run.end()
        sums[arm] += scores[arm, part].sum()
        stage[arm] += 1


@lru_cache
def _above(n_items, batch, low, high):
    """Index less posterior mean: a row for each number of items seen, by the logs of prices."""
    count = np.append(np.arange(0, n_items, batch), n_items)
    grid, rest = np.arange(low, high) / 4, 1 - count / n_items
    left = rest**2 / (1 / PRIOR + count / NOISE) + rest * NOISE / n_items  # variance to come
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    above, z = np.zeros((len(count), len(grid))), np.array([-1.0, 0.0, 1.0])
    after = np.tile(np.maximum(z, 0.0), (len(grid), 1))
    for t in range(len(count) - 2, -1, -1):  # value: Q_t(z) at `now`; after: max(0, Q_t+1) at z
        now = np.linspace(-6.0, 6.0, 401) * np.sqrt(left[t])
        to = now[:, None] + np.sqrt(max(left[t] - left[t + 1], 0.0)) * nodes
        beyond = np.maximum(to - z[-1], 0.0)  # there the slope is 1
        share, value = (count[t + 1] - count[t]) / batch, np.zeros((len(grid), len(now)))
        for p, log in enumerate(grid):
            to_come = np.interp(to, z, after[p]) + beyond
            value[p] = to_come @ weights / weights.sum() - share * np.exp(log)
            short = min(value[p, -1], 0.0)  # the root is beyond the last point by so much
            above[t, p] = short - now[-1] if short else -np.interp(0.0, value[p], now)
        z, after = now, np.maximum(value, 0.0)
    return count, grid, above
