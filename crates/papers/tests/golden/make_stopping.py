"""Makes stopping.json with mpmath at 50 digits.

Inputs are exact doubles, and results are the nearest doubles.
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50


def srgap(new, old, before, k_nn, k_no, k_oo, v_tm1, noise, resid, kappa):
    a = [mp.mpf(x) for x in (new, old, before, k_nn, k_no, k_oo, v_tm1, noise, resid, kappa)]
    m_new, m_old, m_before, nn, no, oo, variance, s2, r, gap = a
    v = mp.sqrt(nn - 2 * no + oo)
    if v > 0:
        g = (m_new - m_old) / v
        gain = v * (mp.npdf(g) + g * mp.ncdf(g))
    else:
        gain = max(mp.mpf(0), m_new - m_old)
    kl = (mp.log(1 + variance / s2) - variance / (variance + s2) + variance * r**2 / (variance + s2) ** 2) / 2
    change = abs(m_new - m_before)
    row = dict(mu_t_new=new, mu_t_old=old, mu_tm1_old=before, k_nn=k_nn, k_no=k_no, k_oo=k_oo)
    row |= dict(v_tm1=v_tm1, noise=noise, resid=resid, kappa=kappa)
    numbers = dict(v=v, ei_term=gain, delta_mu=change, kl=kl, statistic=change + gain + gap * mp.sqrt(kl / 2))
    return row | {name: float(value) for name, value in numbers.items()}


def tail(k, n, p, upper):
    """Computes each term from the term before it."""
    term = mp.binomial(n, k) * p**k * (1 - p) ** (n - k)
    odds, total = p / (1 - p), term
    for i in range(k, n) if upper else range(k, 0, -1):
        term *= (n - i) * odds / (i + 1) if upper else i / ((n - i + 1) * odds)
        total += term
    return total


def root(f):
    """The root of a rising function on (0, 1), by bisection of the logarithm, then of the number."""
    low, high = mp.mpf(10) ** -40, 1 - mp.mpf(10) ** -40
    for _ in range(180):
        middle = mp.sqrt(low * high)
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return low


def clopper_pearson(s, n, risk):
    level = mp.mpf(risk) / 2
    lower = 0 if s == 0 else root(lambda p: tail(s, n, p, True) - level)
    upper = 1 if s == n else root(lambda p: level - tail(s, n, p, False))
    return dict(successes=s, trials=n, risk=risk, lower=float(lower), upper=float(upper))


def sample_sizes(first, cap):
    sizes = [first]
    while sizes[-1] < cap:
        sizes.append(min(-(-3 * sizes[-1] // 2), cap))
    return sizes


tables = {
    "srgap": [
        srgap(-1.0, -0.8, -0.75, 0.04, 0.01, 0.02, 0.3, 1e-4, -0.25, 1.7),
        srgap(0.2, 0.2, 0.21, 1e-4, 1e-4, 1e-4, 0.01, 1e-6, 0.02, 0.4),
        srgap(-2.0, 1.0, 1.0, 0.5, -0.1, 0.2, 1.0, 1e-4, -3.0, 5.0),
        srgap(0.75, 0.5, 0.25, 0.5, 0.25, 0.5, 1e-9, 1e-3, 0.125, 0.5),
    ],
    "clopper_pearson": [
        clopper_pearson(*row)
        for row in [
            (0, 64, 0.05), (1, 64, 0.05), (3, 96, 0.01), (10, 144, 0.005), (64, 64, 0.05), (20, 1000, 0.05), (50, 1000, 0.01),
            (0, 1000, 1e-7), (3, 1000, 2e-5), (997, 1000, 2e-5), (500, 1000, 1e-9), (1, 1, 0.5), (1, 10, 1e-30),
        ]
    ],
    "prb_sample_schedule": sample_sizes(64, 1000),
}


def lines(table):
    return json.dumps(table) if not isinstance(table[0], dict) else "[\n" + ",\n".join(map(json.dumps, table)) + "\n]"


text = "{\n" + ",\n".join(f'"{name}": {lines(table)}' for name, table in tables.items()) + "\n}\n"
Path(__file__).with_name("stopping.json").write_text(text)
