"""Percentiles by NumPy's linear method, and means with two standard errors by both divisors.

Needs numpy 2: python make_percentiles.py > percentiles.json
"""
import json

import numpy as np

generator = np.random.default_rng(7)
rows = []
for count in [1, 2, 3, 4, 5, 8, 16, 50]:
    values = generator.standard_normal(count) * 10.0 ** generator.integers(-3, 4)
    if count == 8:
        values[3:6] = values[3]
    percents = [0.0, 2.5, 25.0, 33.3, 50.0, 75.0, 97.5, 100.0]
    errors = [2.0 * np.std(values, ddof=ddof) / np.sqrt(count) if count > ddof else None for ddof in (1, 0)]
    rows.append({
        "values": values.tolist(),
        "percents": percents,
        "percentiles": np.percentile(values, percents, method="linear").tolist(),
        "mean": float(np.mean(values)),
        "two_standard_errors": errors,
    })
print(json.dumps(rows, indent=1))
