# SPDX-License-Identifier: Apache-2.0
"""The results as Markdown tables and as a figure."""


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def by_size(entries, *keys):
    """The entries of both precisions side by side: n (and other keys) -> precision -> entry."""
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
    rows = [[name, *((m["failure"], "") if "failure" in m
                     else (f"{m['seconds']:.3f}", f"{m['error']:.1e}"))] for name, m in result["methods"].items()]
    return table(["method", "seconds", "error"], rows)


def estimator_table(results):
    rows = []
    for problem in results["problems"]:
        ours = problem["methods"]["orthodict DictionaryLearner"]["seconds"]
        rows += [[str(problem["n"]), str(problem["p"]), name, f"{m['seconds']:.4f}", f"{m['error']:.1e}",
                  f"{m['seconds'] / ours:.1f}×"] for name, m in problem["methods"].items()]
    cost = (f"A call of `fit` on 100 samples of 10 features takes {results['call_ms']:.1f} ms, of which "
            f"{results['overhead_ms']:.1f} ms are spent outside the library; `import orthodict` takes "
            f"{1e3 * results['import_seconds']:.0f} ms more than `import numpy`.")
    return table(["n", "p", "estimator", "seconds", "error", "ratio"], rows) + f"\n{cost}\n"


def several(errors):
    return f"{min(errors):.1e} … {max(errors):.1e}" if len(errors) > 1 else f"{errors[0]:.1e}"


def recovery_tables(r):
    few = table(["θ", "p", "error ≤", "wanted", "reached", "worst error", "ms"],
                [[str(x["theta"]), str(x["p"]), f"{x['wanted']:.0e}", f"{x['needed']} of 10",
                  f"{x['reached']} of {x['of']}", f"{x['worst']:.1e}", f"{1000 * x['seconds']:.0f}"]
                 for x in r["few_samples"]])
    many = table(["n", "p", "θ", "errors", "seconds"],
                 [[str(x["n"]), str(x["p"]), str(x["theta"]), several(x["errors"]),
                   ", ".join(f"{s:.1f}" for s in x["seconds"])] for x in r["many_atoms"]])
    paper = table(["n", "p", "error", "passes", "seconds", "NumPy's ℓ4 error", "iterations", "seconds", "ratio",
                   "ratio to `**3`"],
                  [[str(x["n"]), str(x["p"]), f"{x['error']:.1e}", str(x["passes"]), f"{x['seconds']:.4f}",
                    f"{x['numpy_error']:.2e}", str(x["numpy_iterations"]), f"{x['numpy_seconds']:.2f}",
                    f"{x['speedup']:.1f}×", f"{x['speedup_over_power']:.0f}×"] for x in r["table_2"]])
    wrong = table(["fault", "error wanted", "errors", "Cramér–Rao", "θ found", "noise found", "seconds"],
                  [[f"{x['kind']} {x['size']}", f"{x['wanted']:.2e}", several(x["errors"]),
                    f"{x['bound']:.2e}" if x["bound"] else "", f"{x['theta']:.3f}", f"{x['noise']:.3f}",
                    f"{x['seconds']:.2f}"] for x in r["faults"]])
    worst = max(r["conditioned"]["off"])
    laplace = ", ".join(f"{x['error']:.4f} against {x['fastica_error']:.4f}" for x in r["laplace"])
    return (f"### Recovery from few samples\n\nMethod auto, n = 50, clean, ten seeds.\n\n{few}\n"
            f"### Many atoms\n\n{many}\n"
            "### The rows of the paper's Table 2\n\nθ = .3. NumPy's ℓ4-MSP runs until its objective changes by less "
            "than 1e-8 of itself, in the same run, with the cube multiplied out (`z*z*z`). The last column compares with "
            f"`z**3`, from the time of two iterations.\n\n{paper}\n"
            f"### Noise, outliers, corruptions\n\nn = 100, p = 40000, θ = .3, ten seeds.\n\n{wrong}\n"
            "### Other data\n\n"
            f"- Condition 1000, n = 50, p = 5000: 1 − |cos| of the worst atom at most 1e-9 in "
            f"{r['conditioned']['reached']} of {len(r['conditioned']['off'])} seeds, at worst {worst:.1e}.\n"
            f"- Gaussian data, n = 50, p = 5000: `not_established` in {r['gaussian']['not_established']} of "
            f"{r['gaussian']['of']} seeds.\n"
            f"- Laplace sources, n = 50, p = 5000: error {laplace} of scikit-learn's FastICA (log cosh).\n"
            f"- Features in units of 10^−6 … 10^6: atoms differ by 1 − |cos| ≤ {max(r['units']):.1e}.\n")


def draw_recovery(r, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from recovery import PHASE_SAMPLES, PHASE_THETA

    figure, axes = plt.subplots(1, 3, figsize=(15, 4.4), layout="constrained")
    colors = {}
    for name, (passes, errors) in r["per_pass"].items():
        method, noise = name.rsplit(", noise ", 1)
        color = colors.setdefault(method, f"C{len(colors)}")
        axes[0].loglog(passes, [max(e, 1e-16) for e in errors], color=color, ls="-" if noise == "0" else ":",
                       label=method if noise == "0" else None)
    axes[0].set(title="n = 100, p = 40000: clean —, noise 0.2 ···", xlabel="samples seen, in multiples of p",
                ylabel="error", ylim=(1e-16, 2))
    axes[0].grid(alpha=0.3)
    axes[0].legend()
    titles = {"auto": "auto: error ≤ 1e-8", "l4": "ℓ4: error ≤ 1 %"}
    for axis, name in zip(axes[1:], titles):
        image = axis.imshow(r["phase"][name], origin="lower", aspect="auto", vmin=0, vmax=1, cmap="viridis")
        axis.set(title=f"{titles[name]}, n = 50", xlabel="p", ylabel="θ")
        axis.set_xticks(range(len(PHASE_SAMPLES)), labels=PHASE_SAMPLES)
        axis.set_yticks(range(len(PHASE_THETA)), labels=PHASE_THETA)
    figure.colorbar(image, ax=axes[1:], label="share of three seeds")
    figure.savefig(path, dpi=110)


def coding_tables(results):
    pursuits = table(
        ["coder", "precision", "nonzeros", "equal supports", "excess", "ours µs", "SPAMS µs", "ratio"],
        [[r["coder"], r["precision"], f"{r['nonzeros']:.1f}", f"{100 * r['same_supports']:.1f} %",
          f"{max(r['excess'], 0):.0e}" if "excess" in r else "",
          f"{1e6 * r['orthodict'] / r['samples']:.2f}", f"{1e6 * r['spams'] / r['samples']:.2f}",
          f"{r['spams'] / r['orthodict']:.1f}×"] for r in results if "coder" in r])
    calls = table(["call", "ms"], [[r["call"], f"{1e3 * r['seconds']:.3g}"] for r in results if "call" in r])
    return ("Processor time of one thread for each sample, from Python. `excess` is by how much our objective of the lasso is above its at most, relative to it. Noise is in units "
            "of the sparse part's rms, penalties and errors in units of the samples'.\n\n" + pursuits +
            "\nCodes of 200000 samples in 64 dimensions by an orthogonal dictionary, and of one; one thread.\n\n" + calls)


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
        "### ℓ4-MSP against NumPy\n\nSame data, start and iterations, all cores. Speedups are over NumPy in "
        "f64 with `**3`, unless the column names another.\n\n" + msp_table(results["msp"]),
        "### Memory\n\nPeak resident memory of `fit` on a mapped f64 `.npy`.\n\n" + memory_table(results["memory"]),
    ]
    parts += [f"### Peers, n = {r['n']}, p = {r['p']}\n\n" + peer_table(r) for r in results["peers"]]
    parts.append("### In Python\n\n`fit` of estimators, θ = .3, all cores, median of seven; ratio is to ours.\n\n"
                 + estimator_table(results["estimators"]))
    parts.append("### Sparse codes\n\n" + coding_tables(results["coding"]))
    parts.append(recovery_tables(results["recovery"]))
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
