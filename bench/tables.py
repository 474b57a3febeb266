# SPDX-License-Identifier: Apache-2.0
"""The results as Markdown tables and as a picture."""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def by_size(entries, *keys):
    """The entries in both precisions side by side: n (and other keys) -> precision -> entry."""
    sizes = {}
    for entry in entries:
        sizes.setdefault(tuple(entry[key] for key in keys), {})[entry["precision"]] = entry
    return sorted(sizes.items())


def pass_table(engine):
    rows = [[str(n), *(text for scalar in ("f64", "f32") for text in (
        f"{pair[scalar]['gflops']:.0f}", f"{pair[scalar]['fraction_of_gemm']:.2f}",
        f"{pair[scalar]['speedup_of_2_threads']:.2f}×"))] for (n,), pair in by_size(engine["pass"], "n")]
    return table(["n", "f64 GFlop/s", "of GEMM", "2 threads", "f32 GFlop/s", "of GEMM", "2 threads"], rows)


def kernel_table(engine):
    rows = [[str(n), *(f"{pair[scalar][kind]:.0f}" for scalar in ("f64", "f32")
                       for kind in ("fused_gflops", "blas_gflops"))] for (n,), pair in by_size(engine["kernel"], "n")]
    return table(["n", "f64 ours", "f64 BLAS", "f32 ours", "f32 BLAS"], rows)


def polar_table(engine):
    rows = [[str(n), f"{condition:.0e}", *(text for scalar in ("f64", "f32") for text in (
        f"{pair[scalar]['milliseconds']:.3g}", f"{pair[scalar]['speedup']:.2f}×"))]
        for (n, condition), pair in by_size(engine["polar"], "n", "condition")]
    return table(["n", "condition", "f64 ms", "over gesdd", "f32 ms", "over gesdd"], rows)


def growth_table(engine):
    rows = [[str(p), *(f"{pair[scalar]['nanoseconds_per_sample']:.0f}" for scalar in ("f64", "f32"))]
            for (_, p), pair in by_size(engine["growth"], "n", "p")]
    return table(["p", "f64 ns per sample", "f32 ns per sample"], rows)


def stretch_table(engine):
    rows = [[stretch, *(f"{pair[scalar]['milliseconds']:.2f}" for scalar in ("f64", "f32"))]
            for (stretch,), pair in by_size(engine["stretch"], "stretch")]
    return table(["stretch", "f64 ms", "f32 ms"], rows)


def msp_table(results):
    rows = [[str(r["n"]), str(r["p"]), str(r["iterations"]), f"{r['seconds']['numpy_f64']:.3f}",
             f"{r['seconds']['orthodict_f64']:.3f}", f"{r['speedup_f64']:.1f}×",
             f"{r['speedup_f64_over_product']:.1f}×", f"{r['speedup_f32']:.1f}×",
             f"{r['speedup_mixed']:.1f}×", f"{r['speedup_f32_over_f32']:.1f}×"] for r in results]
    return table(["n", "p", "iterations", "NumPy f64 s", "ours f64 s", "f64", "f64 over `z*z*z`", "f32", "mixed",
                  "f32 over NumPy's f32"], rows)


def memory_table(results):
    rows = [[str(r["n"]), str(r["p"]), f"`{r['options']}`", f"{r['data_mb']:.0f}",
             f"{r['peak_mb'] - r['data_mb']:.0f}"] for r in results]
    return table(["n", "p", "options", "file MB", "peak beyond the file MB"], rows)


def peer_table(result):
    rows = [[name, *((f"not installed: {m['missing']}", "") if "missing" in m
                     else (f"{m['seconds']:.3f}", f"{m['error']:.1e}"))] for name, m in result["methods"].items()]
    return table(["method", "seconds", "error"], rows)


def markdown(results):
    engine, where = results["engine"], results["environment"]
    gemm = engine["gemm_gflops"]
    parts = [
        f"{where['cpu']}, {where['cores']} cores; {where['blas']}; NumPy {where['numpy']}; commit {where['commit']}; {where['date']}\n",
        f"### The pass\n\nℓ4, one thread, against the best square GEMM of the same BLAS: {gemm['f64']:.0f} GFlop/s in "
        f"f64, {gemm['f32']:.0f} in f32.\n\n" + pass_table(engine),
        "### Kernels\n\nOur tiles against BLAS for the two products of a block, GFlop/s of one thread.\n\n"
        + kernel_table(engine),
        "### Polar factor\n\nOne thread, against LAPACK's gesdd.\n\n" + polar_table(engine),
        "### Growth\n\nℓ4 at n = 100, one thread.\n\n" + growth_table(engine),
        "### Stretches\n\nOne pass at n = 50, p = 20000, one thread.\n\n" + stretch_table(engine),
        "### ℓ4-MSP against NumPy\n\nSame data, start and iterations, all cores; how many times faster than NumPy in "
        "f64 (with `**3`, and with `z*z*z`), and in f32 than NumPy in f32.\n\n" + msp_table(results["msp"]),
        "### Memory\n\nPeak resident memory of `fit` on a mapped f64 `.npy`.\n\n" + memory_table(results["memory"]),
    ]
    parts += [f"### Peers, n = {r['n']}, p = {r['p']}\n\n" + peer_table(r) for r in results["peers"]]
    return "\n".join(parts)


def draw(results, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    engine = results["engine"]
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    for scalar in ("f64", "f32"):
        series = sorted((e["n"], e["fraction_of_gemm"]) for e in engine["pass"] if e["precision"] == scalar)
        axes[0].plot(*zip(*series), "o-", label=scalar)
        series = sorted((e["n"], e["speedup"]) for e in engine["polar"]
                        if e["precision"] == scalar and e["condition"] == 3)
        axes[1].plot(*zip(*series), "o-", label=scalar)
    axes[0].set(title="one pass, one thread", ylabel="fraction of the best square GEMM", ylim=(0, 1.2))
    axes[1].set(title="polar factor, condition 3", ylabel="times faster than gesdd", ylim=(0, None))
    for precision in ("f64", "f32", "mixed"):
        axes[2].plot([r["n"] for r in results["msp"]], [r[f"speedup_{precision}"] for r in results["msp"]], "o-",
                     label=precision)
    axes[2].set(title="ℓ4-MSP, all cores", ylabel="times faster than NumPy in f64", ylim=(0, None))
    for axis in axes:
        axis.set(xscale="log", xlabel="n")
        axis.set_xticks([16, 25, 50, 100, 200, 400, 784], labels=["16", "25", "50", "100", "200", "400", "784"])
        axis.minorticks_off()
        axis.legend()
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
