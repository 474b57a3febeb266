# SPDX-License-Identifier: Apache-2.0
"""The cost of ranks: two ranks with one thread compared with one rank with two, the effect of a slow network, and a
prediction for many ranks.

    bench/ranks.py threads [--json FILE]
    bench/ranks.py network [--json FILE]
    bench/ranks.py model [--json FILE]

`network` gives each rank a network namespace of its own, and limits the rate of what it sends or delays it. That needs
the rights of root. Both check that every run ends with the same model first. `model` measures what a pass and a projection cost on this machine, and tells what 1 to 4096 such machines
would take for 10^9 samples.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from network import DelayedNetwork, LimitedNetwork

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "orthodict"
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
REPEATS = 7
SMALL_ROUNDS = 1  # rounds of small messages per pass


def make_samples(folder, features, samples):
    path = folder / f"{features}x{samples}.npy"
    if not path.exists():
        subprocess.run([BINARY, "synth", "--dimension", str(features), "--samples", str(samples), "--theta", "0.1",
                        "--noise", "0.05", "--precision", "f32", "--output", path], check=True, capture_output=True)
    return path


def fit(folder, samples, options, launcher=()):
    """Returns the summary and the model's bytes."""
    output = folder / "model.npz"
    done = subprocess.run([*launcher, BINARY, "fit", samples, *map(str, options), "--output", output, "--json"],
                          env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    return json.loads(done.stdout), output.read_bytes()


def mpirun(ranks):
    return ["mpirun", "-n", str(ranks)]


def compare_threads(folder):
    """Alternates between the two, so that other load affects both."""
    rows = []
    for features, samples, options in ((100, 1_000_000, ["--stretch", "l4", "--max-iterations", 20, "--tolerance", 0]),
                                       (400, 200_000, ["--stretch", "l4", "--max-iterations", 10, "--tolerance", 0]),
                                       (100, 1_000_000, []), (30, 100_000, [])):
        path = make_samples(folder, features, samples)
        runs = {"threads": [], "ranks": []}
        for _ in range(REPEATS):
            summary, model = fit(folder, path, [*options, "--threads", 2])
            runs["threads"].append(summary)
            summary, other = fit(folder, path, [*options, "--threads", 1], mpirun(2))
            runs["ranks"].append(summary)
            if model != other:
                sys.exit("the models differ")
        medians = {name: statistics.median(run["seconds"] for run in of) for name, of in runs.items()}
        ratios = [b["seconds"] / a["seconds"] for a, b in zip(runs["threads"], runs["ranks"])]
        rows.append({"features": features, "samples": samples, "method": runs["ranks"][0]["method"],
                     "one_rank_two_threads": medians["threads"], "two_ranks_one_thread": medians["ranks"],
                     "ratio": statistics.median(ratios), "least": min(ratios), "most": max(ratios),
                     "bytes_sent": runs["ranks"][0]["bytes_sent"]})
        print("{features:5d} features {samples:8d} samples {method:4s}: {one_rank_two_threads:7.3f} s with two threads, "
              "{two_ranks_one_thread:7.3f} s with two ranks, ratio {ratio:.3f} ({least:.3f} to {most:.3f}), "
              "{bytes_sent} bytes".format(**rows[-1]), flush=True)
    return rows


def bytes_of_a_pass(features, ranks):
    """Bytes that one rank sends in a pass, including the small messages around it; see docs/scale.md."""
    rounds = math.log2(ranks)
    return 8 * (features**2 + 2 * features + 2) * rounds, 8 + 2 * 8 * rounds


def delays_of_a_pass(features, ranks):
    """The number of sequential messages: a round of the sums and a small one; for sums beyond 64 kB, which Open MPI
    announces first, two more."""
    sums = 8 * (features**2 + 2 * features + 2)
    return math.log2(ranks) * (SMALL_ROUNDS + (3 if sums > 65536 else 1))


def pass_seconds(folder, network, path, options, expected):
    """The minimum of three runs, which must all give the expected model."""
    runs = [fit(folder, path, options, network.launcher(folder)) for _ in range(3)]
    if any(model != expected for _, model in runs):
        sys.exit("the models differ")
    return min(summary["pass_seconds"] / summary["passes"] for summary, _ in runs)


def measure_network(folder):
    """Seconds of a pass beyond those without limits, compared with the value expected from rate or delay."""
    samples, rows = 20_000, []
    options = ["--stretch", "l4", "--tolerance", 0, "--max-iterations", 30, "--threads", 1]
    for ranks in (2, 4):
        for kind, links in ((LimitedNetwork, (1000, 100)), (DelayedNetwork, (5, 20))):
            for features in (50, 200, 400) if kind is LimitedNetwork else (50, 200):
                path = make_samples(folder, features, samples)
                _, expected = fit(folder, path, options)
                base = None
                for link in (None, *links):
                    with kind(ranks, link) as network:
                        seconds = pass_seconds(folder, network, path, options, expected)
                    base = base or seconds
                    if link:
                        rows.append(describe_link(ranks, features, kind, link, seconds - base))
    return rows


def describe_link(ranks, features, kind, link, beyond):
    sums, small = bytes_of_a_pass(features, ranks)
    limited = kind is LimitedNetwork
    predicted = 8e-6 * sums / link if limited else 1e-3 * link * delays_of_a_pass(features, ranks)
    row = {"ranks": ranks, "features": features, "rate" if limited else "delay": link, "bytes": sums + small,
           "beyond": beyond, "predicted": predicted}
    print(f"{ranks} ranks, {features} features, {link} {'Mbit/s' if limited else 'ms'}: {1e3 * beyond:.1f} ms beyond no "
          f"limit, predicted {1e3 * predicted:.1f} ms", flush=True)
    return row


BANDWIDTH, LATENCY = 1.25e9, 20e-6  # of the assumed network: 10 Gbit/s, and a round of small messages


def predict(measured, nodes, samples=10**9):
    """The predicted seconds of an iteration, term by term."""
    features = measured["features"]
    sums, small = bytes_of_a_pass(features, nodes)
    rounds = math.log2(nodes)
    return {"nodes": nodes, "features": features, "pass": measured["seconds_per_sample"] * samples / nodes,
            "network": sums / BANDWIDTH + (3 * rounds + (nodes > 1)) * LATENCY, "projection": measured["projection"],
            "bytes_of_samples": 4 * features * samples / nodes}


def model_of_scale(folder):
    rows = []
    for features, samples, iterations, repeats in ((100, 400_000, 6, 3), (1000, 40_000, 6, 3), (4000, 8_000, 2, 1)):
        path = make_samples(folder, features, samples)
        options = ["--stretch", "l4", "--precision", "mixed", "--tolerance", 0, "--max-iterations", iterations]
        runs = [fit(folder, path, options)[0] for _ in range(repeats)]
        measured = {"features": features,
                    "seconds_per_sample": min(run["pass_seconds"] / (run["passes"] - 1) for run in runs) / samples,
                    "projection": min(run["projection_seconds"] / run["iterations"] for run in runs)}
        print("{features} features: {rate:.0f} Gflop/s in a pass, a projection takes {projection:.4g} s".format(
            **measured, rate=4e-9 * features**2 / measured["seconds_per_sample"]))
        for nodes in (1, 4, 16, 64, 256, 1024, 4096):
            row = predict(measured, nodes)
            total = row["pass"] + row["network"] + row["projection"]
            rows.append({**measured, **row, "efficiency": (predict(measured, 1)["pass"] + row["projection"]) / nodes / total})
            print("  {nodes:5d} nodes: pass {pass:10.4f} s, network {network:8.4f} s, projection {projection:8.4f} s, "
                  "efficiency {efficiency:.2f}, {bytes_of_samples:.2g} bytes of samples each".format(**rows[-1]), flush=True)
    return rows


WHAT = {"threads": compare_threads, "network": measure_network, "model": model_of_scale}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    asked = parser.parse_args()
    if shutil.which("mpirun") is None:
        sys.exit("mpirun not found: scripts/setup installs it")
    with tempfile.TemporaryDirectory() as folder:
        rows = WHAT[asked.what](pathlib.Path(folder))
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
