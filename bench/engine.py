# SPDX-License-Identifier: Apache-2.0
"""Runs the C++ benchmarks and computes the relevant ratios of their times, each the best of several."""

import json
import subprocess

REPETITIONS = 9


def measure(program):
    """Name -> (milliseconds, operations per second) of the fastest repetition."""
    done = subprocess.run([str(program), "--benchmark_format=json", f"--benchmark_repetitions={REPETITIONS}",
                           "--benchmark_min_time=0.02", "--benchmark_enable_random_interleaving=true"],
                          capture_output=True, text=True, check=True)
    best = {}
    for entry in json.loads(done.stdout)["benchmarks"]:
        if entry.get("error_occurred"):
            raise RuntimeError(f"{entry['name']}: {entry['error_message']}")
        if entry["run_type"] == "iteration":
            key = tuple(entry["run_name"].removesuffix("/real_time").split("/"))
            known = best.get(key)
            if known is None or entry["real_time"] < known[0]:
                best[key] = (entry["real_time"], entry.get("flops"))
    return best


def pick(best, kind):
    return {key[1:]: value for key, value in best.items() if key[0] == kind}


def run(program, report):
    report("engine (C++ benchmarks)")
    best = measure(program)
    peak = {}
    for (scalar, _), (_, rate) in pick(best, "gemm").items():
        peak[scalar] = max(rate, peak.get(scalar, 0))
    passes = []
    one_thread = {key[:3]: value for key, value in pick(best, "pass").items() if key[3] == "1"}
    for (scalar, n, p), (milliseconds, rate) in one_thread.items():
        two = pick(best, "pass")[(scalar, n, p, "2")][0]
        passes.append({"precision": scalar, "n": int(n), "p": int(p), "gflops": rate / 1e9,
                       "fraction_of_gemm": rate / peak[scalar], "speedup_of_2_threads": milliseconds / two})
    kernels = [{"precision": scalar, "n": int(n), "fused_gflops": rate / 1e9,
                "blas_gflops": best[("kernel", scalar, n, "0")][1] / 1e9}
               for (scalar, n, fused), (_, rate) in pick(best, "kernel").items() if fused == "1"]
    growth = [{"precision": scalar, "n": int(n), "p": int(p), "nanoseconds_per_sample": 1e6 * milliseconds / int(p)}
              for (scalar, n, p, _), (milliseconds, _) in pick(best, "growth").items()]
    stretches = [{"precision": key[1], "stretch": key[0].removeprefix("stretch:"), "milliseconds": milliseconds}
                 for key, (milliseconds, _) in best.items() if key[0].startswith("stretch:")]
    polar = [{"precision": scalar, "n": int(n), "condition": int(condition), "milliseconds": milliseconds,
              "gesdd_milliseconds": best[("polar", scalar, n, condition, "1")][0],
              "speedup": best[("polar", scalar, n, condition, "1")][0] / milliseconds}
             for (scalar, n, condition, by_svd), (milliseconds, _) in pick(best, "polar").items() if by_svd == "0"]
    return {"gemm_gflops": {scalar: rate / 1e9 for scalar, rate in peak.items()}, "pass": passes, "kernel": kernels,
            "growth": growth, "stretch": stretches, "polar": polar}
