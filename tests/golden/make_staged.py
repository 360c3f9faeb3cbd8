"""Makes staged.json: offsets of the Gittins index of runs in stages.

Runs of one and two stages by quadrature with mpmath at 40 digits. Longer ones by a sum over the
nodes of a composite Gauss-Legendre rule that begins at each root, without interpolation, in double
precision: refining the panels twofold changes no offset by more than 1e-11 of the total deviation.

Needs mpmath, numpy and scipy: python make_staged.py > staged.json
"""

import itertools
import json
import math

import mpmath as mp
import numpy as np
from scipy.special import ndtr

mp.mp.dps = 40


def psi(u):
    return mp.npdf(u) + u * mp.ncdf(u)


def exact(sds, prices, survivals):
    """The offset of at most two stages: the last one in closed form, the first by quadrature."""
    sds, prices, survivals = ([mp.mpf(x) for x in xs] for xs in (sds, prices, survivals))
    roots = [mp.mpf(0)] * (len(sds) + 1)

    def worth(k, u):
        """What going on through stage k is worth, once the roots of later stages are known."""
        s, p, q = sds[k], prices[k], survivals[k]
        if k == len(sds) - 1:
            return q * s * psi(u / s) - p
        low = max(roots[k + 1], u - 14 * s)
        high = max(roots[k + 1], u) + 14 * s
        # The integrand changes as fast as this stage and the next one do.
        step = 2 * min(s, sds[k + 1])
        count = min(60, int(mp.ceil((high - low) / step)))
        places = [low + (high - low) * j / count for j in range(count + 1)]
        f = lambda v: worth(k + 1, v) * mp.npdf((v - u) / s) / s
        return q * mp.quad(f, places, maxdegree=4) - p

    for k in reversed(range(len(sds))):
        rest = mp.sqrt(sum(s * s for s in sds[k:]))
        reached, total = mp.mpf(1), mp.mpf(0)
        for p, q in zip(prices[k:], survivals[k:]):
            total += reached * p
            reached *= q
        high = mp.findroot(lambda u: rest * psi(u / rest) * reached - total, total, tol=1e-30)
        if k == len(sds) - 1:
            roots[k] = high
            continue
        low = mp.findroot(lambda u: rest * psi(u / rest) * reached - prices[k], prices[k], tol=1e-30)
        roots[k] = mp.findroot(lambda u: worth(k, u), (low, high), solver="anderson", tol=1e-28)
    return -roots[0]


def whole_root(sd, price):
    low, high = -40.0 * sd, price + sd
    for _ in range(200):
        mid = 0.5 * (low + high)
        value = sd * (math.exp(-0.5 * (mid / sd) ** 2) / math.sqrt(2 * math.pi) + mid / sd * ndtr(mid / sd))
        low, high = (low, mid) if value > price else (mid, high)
    return high


def summed(sds, prices, survivals, width):
    """The offset, by sums over Gauss-Legendre nodes of panels of `width` times the smallest deviation."""
    x, w = np.polynomial.legendre.leggauss(16)
    root, nodes, weights, values = 0.0, None, None, None
    slope, intercept, last, end = 1.0, 0.0, 0.0, 0.0
    for k in reversed(range(len(sds))):
        s, p, q = sds[k], prices[k], survivals[k]

        def worth(u):
            u = np.atleast_1d(u)
            l = (end - u) / s
            tail = (slope * u + intercept) * ndtr(-l) + slope * s * np.exp(-0.5 * l * l) / math.sqrt(2 * math.pi)
            if nodes is not None:
                for block in range(0, len(nodes), 2000):
                    v = nodes[block:block + 2000]
                    z = (v[None] - u[:, None]) / s
                    tail += (np.exp(-0.5 * z * z) / (s * math.sqrt(2 * math.pi))) @ (weights[block:block + 2000] * values[block:block + 2000])
            return q * tail - p

        rest = math.sqrt(sum(s * s for s in sds[k:]))
        reached, total = 1.0, 0.0
        for pp, qq in zip(prices[k:], survivals[k:]):
            total += reached * pp
            reached *= qq
        low = whole_root(rest, p / reached) - 1e-12
        high = whole_root(rest, total / reached) + 1e-12
        for _ in range(100):
            mid = 0.5 * (low + high)
            low, high = (low, mid) if worth(mid)[0] > 0 else (mid, high)
            if high - low < 1e-15 * rest:
                break
        new_root = high
        if k == 0:
            return -new_root
        new_end = max(last + 7.5 * rest, new_root)
        least = width * min(sds[max(0, k - 1):])
        count = max(1, math.ceil((new_end - new_root) / least))
        edges = np.linspace(new_root, new_end, count + 1)
        half = 0.5 * np.diff(edges)[:, None]
        new_nodes = (edges[:-1, None] + half * (1 + x)).ravel()
        new_weights = (half * w).ravel()
        new_values = np.concatenate([worth(part) for part in np.array_split(new_nodes, max(1, len(new_nodes) // 500))])
        root, nodes, weights, values = new_root, new_nodes, new_weights, new_values
        slope, intercept, last, end = q * slope, q * intercept - p, max(last, root), new_end


def schedules(stages):
    """Deviations of unit total: equal, falling, rising, and one that is uneven."""
    for name, raw in {
        "equal": [1.0] * stages,
        "falling": [0.6**k for k in range(stages)],
        "rising": [0.6 ** (stages - 1 - k) for k in range(stages)],
        "uneven": [1.0 if k % 2 == 0 else 0.1 for k in range(stages)],
    }.items():
        total = math.sqrt(sum(s * s for s in raw))
        yield name, [round(s / total, 6) for s in raw]


def costs(stages):
    """Shares of the price: as epochs by a factor of 1.7 have them."""
    ends = [1.7 ** (k - stages + 1) for k in range(stages)]
    return [b - a for a, b in zip([0.0] + ends, ends)]


def main():
    rows = []
    for stages in (1, 2, 3, 6, 10):
        for (name, sds), price, survival in itertools.product(schedules(stages), (0.3, 0.03, 0.003, 3e-4, 3e-5), (1.0, 0.9)):
            if stages == 1 and name != "equal" or survival != 1.0 and name not in ("equal", "uneven"):
                continue
            prices = [float(f"{price * share:.6g}") for share in costs(stages)]
            survivals = [survival] * stages
            if stages <= 2:
                offset = exact(sds, prices, survivals)
                offset = mp.nstr(offset, 17)
            else:
                coarse, fine = (summed(sds, prices, survivals, width) for width in (1.5, 0.75))
                assert abs(coarse - fine) < 1e-11, (stages, name, price, coarse, fine)
                offset = repr(fine)
            rows.append({"stages": stages, "schedule": name, "sds": sds, "prices": prices, "survivals": survivals, "offset": float(offset)})
    print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")


if __name__ == "__main__":
    main()
