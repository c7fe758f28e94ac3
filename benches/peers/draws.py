"""Times draws of one token of 20,000 by OpenDP and numpy, for `cargo bench -p allonym-dp`.

Needs `pip install opendp numpy`. Prints draws a second of OpenDP's noisy_max (exponential mechanism, exact) and of
numpy's choice (floats, no guarantee), on the same scores as ours: a peaked softmax.
"""

import sys
import time

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
outcomes, epsilon = 20_000, 6.0
scores = np.full(outcomes, 0.04 / (outcomes - 5))
scores[:5] = [0.55, 0.20, 0.14, 0.04, 0.03]


def rate(draw, seconds):
    draw()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        draw()
        count += 1
    return count / (time.perf_counter() - start)


space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
noisy_max = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=2 / epsilon)
listed = scores.tolist()
weights = np.exp(epsilon * scores / 2)
weights /= weights.sum()
rng = np.random.default_rng(7)
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
print(rate(lambda: noisy_max(listed), seconds), rate(lambda: rng.choice(outcomes, p=weights), seconds))
