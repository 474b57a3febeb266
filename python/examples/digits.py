# SPDX-License-Identifier: Apache-2.0
"""# A basis for handwritten digits

Which orthonormal basis makes images sparse, so that few coefficients of each image are enough? Principal components are
the best basis when all images must use the same coefficients. Here every image may choose its own. A sparsifying basis
is learned from half of scikit-learn's digits (8×8 pixels), and the other half is approximated by the `k` largest
coefficients of each image.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import orthodict

images = load_digits().data
train, test = images[::2], images[1::2]

# %%
# ## Is there a true dictionary?
# Mostly not. Method `auto` looks for sources and judges each atom by held-out images. Some atoms are established, and
# those converge. But one basis may still be sparser than another.
print(orthodict.fit(train, seed=0).summary.termination)

# %%
# ## The basis
# A `stretch` selects the paper's match, stretch, project in the coordinates of the samples. The exponent decides what
# counts as sparse: `l4` rewards the largest coefficients, and smaller powers reward the middle ones as well.
bases = {}
for stretch in ("l4", "l3", "power:2.5"):
    learner = orthodict.DictionaryLearner(stretch=stretch, center=True, tol=1e-4, max_iter=5000, random_state=0)
    bases[stretch] = learner.fit(train)
    print(f"{stretch}: {learner.n_iter_} iterations, {learner.summary_.termination}")
pca = PCA().fit(train)

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 4.7), layout="constrained")
orthodict.plot.atoms(pca.components_, shape=(8, 8), count=25, ax=left).set_title("25 principal components")
orthodict.plot.atoms(bases["l3"], shape=(8, 8), count=25, ax=right).set_title("25 learned atoms, l3")
figure.savefig("digits-1.png")

# %%
# Both are ordered by energy. Some learned atoms resemble digits: the second is a zero, in negative.
#
# ## Who needs fewer coefficients?
# The error is the share of the test images' variance that is lost. Principal components are used in two ways: the
# leading `k` for all images, and the `k` largest of each image, as with the learned bases. Components and their mean
# make a `Model`, which encodes and decodes.
components = orthodict.Model(pca.components_, pca.components_, pca.mean_)
variance = np.sum((test - pca.mean_) ** 2)


def lost(model, k):
    return np.sum((test - model.decode(model.encode(test, top=k))) ** 2) / variance


ks = np.arange(1, 41)
leading = np.cumsum(np.sum(pca.transform(test) ** 2, axis=0))[ks - 1]
curves = {"PCA, leading k": 1 - leading / variance, "PCA, k largest": [lost(components, k) for k in ks]}
curves.update((name, [lost(basis.model_, k) for k in ks]) for name, basis in bases.items())
print("k                  " + "".join(f"{k:9}" for k in (1, 2, 4, 8, 16, 32)))
for name, curve in curves.items():
    print(f"{name:19}" + "".join(f"{curve[k - 1]:9.4f}" for k in (1, 2, 4, 8, 16, 32)))

# %%
styles = {"PCA, leading k": "k:", "PCA, k largest": "k--", "l4": "C0-", "l3": "C1-", "power:2.5": "C2-"}
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for name, curve in curves.items():
    left.semilogy(ks, curve, styles[name], label=name)
    right.plot(ks, np.divide(curve, curves["PCA, k largest"]), styles[name])
left.set(xlabel="coefficients k", ylabel="variance lost")
left.legend()
right.set(xlabel="coefficients k", ylabel="relative to PCA, k largest", ylim=(0.85, 1.3))
figure.savefig("digits-2.png")

# %%
# With the `k` largest of each image on both sides, learned bases lose a tenth less than principal components at small
# `k`. For larger `k` PCA overtakes `l4` and then `l3`. Choosing coefficients per image isn't free either, because the
# positions of the kept ones have to be stored as well. If a position costs as much as a coefficient, the `k` largest
# compare with the `2k` leading components, which soon are ahead. Where all images must use the same components, nothing
# beats PCA.


def overtaken(curve, other):
    return next((f"from k = {k} on" for k, (a, b) in enumerate(zip(curve, other), 1) if a > b), "never")


for name in bases:
    print(f"{name:9} behind PCA's k largest: {overtaken(curves[name], curves['PCA, k largest'])}; "
          f"its 2k leading: {overtaken(curves[name], curves['PCA, leading k'][1::2])}")
