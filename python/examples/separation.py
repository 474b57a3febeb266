# SPDX-License-Identifier: Apache-2.0
"""# Sources that are mostly silent

Five microphones each record a mixture of five instruments. The mixing matrix and the sources are unknown. The sources
differ in kind, but all are silent most of the time. orthodict recovers them from this sparsity; FastICA recovers them
from their non-Gaussianity.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import FastICA

import orthodict


def record(noise, seed, length=8000):
    """Sources of unit variance in columns, mixtures with noise relative to their size, and the matrix that mixes."""
    rng = np.random.default_rng(seed)
    t = np.arange(400)
    events = (
        (40, lambda: rng.normal() * np.exp(-t[:60] / 15)),
        (40, lambda: rng.choice([-1, 1]) * np.hanning(15)),
        (4, lambda: np.hanning(400) * np.sin(2e-4 * t**2)),
        (5, lambda: rng.laplace(size=200)),
        (8, lambda: np.full(100, rng.normal())),
    )
    sources = np.zeros((length, 5))
    for source, (count, event) in zip(sources.T, events):
        for start in rng.integers(length - 400, size=count):
            sound = event()
            source[start:start + len(sound)] += sound
    sources /= sources.std(axis=0)
    left, right = np.linalg.qr(rng.normal(size=(2, 5, 5)))[0]
    matrix = left * np.geomspace(1, 1 / 30, 5) @ right
    mixtures = sources @ matrix.T
    return sources, mixtures + noise * mixtures.std() * rng.normal(size=mixtures.shape), matrix


# %%
# ## One recording
# The mixing matrix has condition 30. Each moment is a sample and each microphone a feature, so the atoms are the
# columns of that matrix. `recovery` matches atoms with sources, up to sign. Times vary from run to run.
sources, mixtures, matrix = record(noise=0.001, seed=0)
learner = orthodict.DictionaryLearner(random_state=0)
ica = FastICA(max_iter=1000, random_state=0)
recovered = {}
for name, method in (("orthodict", learner), ("FastICA", ica)):
    begin = time.perf_counter()
    codes = method.fit_transform(mixtures)
    seconds = time.perf_counter() - begin
    found = orthodict.recovery(learner if method is learner else ica.mixing_.T, matrix.T)
    codes = (found.signs * codes)[:, np.argsort(found.matches)]
    recovered[name] = (codes - codes.mean(axis=0)) / codes.std(axis=0)
    correlations = np.mean(recovered[name] * sources, axis=0)
    print(f"{name:9} error {found.error:.1e}, {seconds:.2f} s, correlations", *correlations.round(5))

# %%
# To the eye both are perfect. Subtracting the true source, on a larger scale, shows the difference: FastICA leaves
# traces of the other sources, whereas orthodict leaves only the noise.
left = {f"left by {name}": codes - sources + sources.mean(axis=0) for name, codes in recovered.items()}
panels = {"sources": sources, "microphones": mixtures, "orthodict": recovered["orthodict"], **left}
figure, axes = plt.subplots(5, 5, figsize=(10, 4.5), layout="constrained")
for column, (title, signals) in zip(axes.T, panels.items()):
    column[0].set_title(title)
    for ax, signal in zip(column, signals.T):
        ax.plot(signal[::4], color="C1" if title in left else "C0", linewidth=0.6)
        ax.set(xticks=[], yticks=[], ylim=(-0.2, 0.2) if title in left else None)
for ax, name in zip(axes[:, 0], ("decays", "clicks", "chirps", "bursts", "steps")):
    ax.set_ylabel(name)
figure.savefig("separation-1.png")

# %%
# ## More noise
# Each error is the median of three recordings. The error of orthodict falls with the noise; that of FastICA doesn't.
# Where noise times condition exceeds one both fail, FastICA less badly.
noises = [0.001, 0.003, 0.01, 0.03, 0.1]
errors = np.empty((2, len(noises), 3))
for i, seed in np.ndindex(errors.shape[1:]):
    _, mixtures, matrix = record(noises[i], seed)
    errors[0, i, seed] = orthodict.recovery_error(orthodict.fit(mixtures, seed=0), matrix.T)
    errors[1, i, seed] = orthodict.recovery_error(ica.fit(mixtures).mixing_.T, matrix.T)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, style, curve in zip(("orthodict", "FastICA"), ("C0o-", "C1s-"), np.median(errors, axis=2)):
    print(f"{name:9}", *(f"{error:.0e}" for error in curve))
    ax.loglog(noises, curve, style, label=name)
ax.set(xlabel="noise / rms of the mixtures", ylabel="error")
ax.legend()
figure.savefig("separation-2.png")
