# SPDX-License-Identifier: Apache-2.0
"""Errors: the exit code distinguishes options from data, and the message names the option or file and the problem."""

import ctypes
import functools
import shlex
import subprocess

import harness
import numpy as np
import pytest
from bad_files import write_bad_files

USAGE, DATA = 2, 3


@pytest.fixture(scope="session")
def places(tmp_path_factory, small, small_model):
    """What the placeholders of the tables stand for."""
    bad = tmp_path_factory.mktemp("bad")
    write_bad_files(bad)
    return {"bad": bad, "y": small.samples, "d": small.truth, "model": small_model}


def arguments(line, places):
    """A fit is asked for an output too, so that one left behind would be seen."""
    args = [word.format(**places) for word in shlex.split(line)]
    return args + (["--output", "out.npz"] if args[:1] == ["fit"] and "--output" not in args else [])


@pytest.fixture
def refuse(run, places, tmp_path):
    """Runs a bad call and checks what all of them have in common; gives the message."""

    def check(line, code):
        answer = run(*arguments(line, places), expect=code)
        assert harness.listing(tmp_path) == []
        assert answer.stdout == b""
        assert answer.stderr.startswith("orthodict: ")
        assert answer.stderr.endswith("\n")
        assert answer.stderr.count("\n") == 1, "one line is enough"
        return answer.stderr

    return check


# Call, option and value that the message must name.
OPTIONS = [
    ("fit {y} --frobnicate", "frobnicate", ""),
    ("fit", "samples", ""),
    ("compare {y} {y}", "y.npy", ""),
    ("fit {y} --seed", "seed", ""),
    ("fit {y} --seed 1 --seed 2", "seed", ""),
    ("fit {y} --seed x", "seed", "x"),
    ("fit {y} --seed 1.5", "seed", "1.5"),
    pytest.param("fit {y} --seed -1", "seed", "-1"),
    pytest.param("fit {y} --seed 18446744073709551616", "seed", "18446744073709551616"),
    ("fit {y} --stretch l5", "stretch", "l5"),
    ("fit {y} --stretch ''", "stretch", ""),
    ("fit {y} --stretch L4", "stretch", "L4"),
    ("fit {y} --stretch l4:4", "stretch", "l4:4"),
    ("fit {y} --stretch power", "stretch", "power"),
    ("fit {y} --stretch power:2", "stretch", "power:2"),
    ("fit {y} --stretch power:inf", "stretch", "power:inf"),
    ("fit {y} --stretch soft:-1", "stretch", "soft:-1"),
    ("fit {y} --stretch soft:x", "stretch", "soft:x"),
    ("fit {y} --stretch soft:1x", "stretch", "soft:1x"),
    ("fit {y} --stretch soft:", "stretch", "soft:"),
    ("fit {y} --stretch hard:nan", "stretch", "hard:nan"),
    ("fit {y} --stretch hard:-0.5", "stretch", "hard:-0.5"),
    ("fit {y} --stretch logcosh:1", "stretch", "logcosh:1"),
    ("fit {y} --stretch mixture", "stretch", "mixture"),
    ("fit {y} --stretch mixture:0.3,0.1", "stretch", "mixture:0.3,0.1"),
    ("fit {y} --stretch mixture:0,0.1,1", "stretch", "mixture:0,0.1,1"),
    ("fit {y} --stretch mixture:1,0.1,1", "stretch", "mixture:1,0.1,1"),
    ("fit {y} --stretch mixture:0.3,0,1", "stretch", "mixture:0.3,0,1"),
    ("fit {y} --stretch mixture:0.3,1,1", "stretch", "mixture:0.3,1,1"),
    ("fit {y} --stretch mixture:0.3,0.1,1,2", "stretch", "mixture:0.3,0.1,1,2"),
    ("fit {y} --stretch mixture:0.3,0.1,1,", "stretch", "mixture:0.3,0.1,1,"),
    ("fit {y} --stretch soft:1,2", "stretch", "soft:1,2"),
    ("fit {y} --method foo", "method", "foo"),
    ("fit {y} --method ''", "method", ""),
    ("fit {y} --dictionary foo", "dictionary", "foo"),
    ("fit {y} --stretch hard --remove-bias", "remove-bias", "hard"),
    ("fit {y} --method msp --remove-bias=maybe", "remove-bias", "maybe"),
    ("fit {y} --method msp --theta 0", "theta", "0"),
    ("fit {y} --method msp --theta 1.01", "theta", "1.01"),
    ("fit {y} --method msp --theta -0.3", "theta", "-0.3"),
    ("fit {y} --method msp --theta nan", "theta", "nan"),
    ("fit {y} --method msp --theta x", "theta", "x"),
    ("fit {y} --stretch soft --remove-bias --theta 0.3", "theta", "0.3"),
    ("fit {y} --method msp --bias-fraction 0", "bias-fraction", "0"),
    ("fit {y} --method msp --bias-fraction 1.5", "bias-fraction", "1.5"),
    ("fit {y} --method msp --bias-fraction x", "bias-fraction", "x"),
    ("fit {y} --method msp --step 0", "step", "0"),
    ("fit {y} --method msp --step -1", "step", "-1"),
    ("fit {y} --method msp --step nan", "step", "nan"),
    ("fit {y} --method msp --step x", "step", "x"),
    ("fit {y} --whiten foo", "whiten", "foo"),
    ("fit {y} --whiten ''", "whiten", ""),
    ("fit {y} --dictionary complete --whiten none", "whiten", "none"),
    ("fit {y} --method msp --dictionary orthogonal --whiten pca", "whiten", "pca"),
    ("fit {y} --precision f16", "precision", "f16"),
    ("fit {y} --precision ''", "precision", ""),
    ("fit {y} --atoms 0", "atoms", "0"),
    ("fit {y} --atoms -2", "atoms", "-2"),
    ("fit {y} --dictionary complete --atoms 11", "atoms", "11"),
    ("fit {y} --dictionary overcomplete --whiten zca", "whiten", "zca"),
    ("fit {y} --dictionary overcomplete --checkpoint c.npz", "checkpoint", "c.npz"),
    ("fit {y} --dictionary overcomplete --stretch l4", "dictionary", "overcomplete"),
    ("fit {y} --dictionary overcomplete --atoms 0.5", "atoms", "0.5"),
    ("fit {y} --method msp --atoms 11", "atoms", "11"),
    ("fit {y} --atoms 1.5", "atoms", "1.5"),
    ("fit {y} --atoms x", "atoms", "x"),
    ("fit {y} --atoms 1.0", "atoms", "share of the variance between 0 and 1"),
    ("fit {y} --atoms 0.0", "atoms", "0.0"),
    ("fit {y} --method ksvd --atoms 0.5", "atoms", "integer"),
    ("fit {bad}/rank_6.npy --atoms 7", "atoms", "7"),
    ("fit {bad}/rank_6.npy --method msp --atoms 7", "atoms", "7"),
    ("fit {bad}/rank_6.npy --dictionary orthogonal --atoms 7", "atoms", "7"),
    ("fit {bad}/rank_6.npy --whiten zca --atoms 7", "atoms", "7"),
    ("fit {y} --max-iterations -1", "max-iterations", "-1"),
    ("fit {y} --max-iterations 1e3", "max-iterations", "1e3"),
    ("fit {y} --max-iterations 99999999999", "max-iterations", "99999999999"),
    ("fit {y} --tolerance -1", "tolerance", "-1"),
    ("fit {y} --tolerance nan", "tolerance", "nan"),
    ("fit {y} --tolerance inf", "tolerance", "inf"),
    ("fit {y} --tolerance x", "tolerance", "x"),
    ("fit {y} --time-limit 0", "time-limit", "0"),
    ("fit {y} --time-limit -5", "time-limit", "-5"),
    ("fit {y} --time-limit nan", "time-limit", "nan"),
    ("fit {y} --time-limit x", "time-limit", "x"),
    ("fit {y} --threads 0", "threads", "0"),
    ("fit {y} --threads -1", "threads", "-1"),
    ("fit {y} --threads 5000", "threads", "5000"),
    ("fit {y} --threads x", "threads", "x"),
    ("fit {y} --init {bad}/few_atoms.npy", "init", "7×10"),
    ("fit {y} --method msp --init {bad}/few_atoms.npy", "init", "7×10"),
    ("fit {y} --init {bad}/nan_atoms.npy", "init", "NaN"),
    ("fit {y} --json --output -", "--output", "-"),
    ("fit {y} --json --trace -", "--trace", "-"),
    pytest.param("fit {y} --output - --trace -", "trace", "-"),
    pytest.param("fit {y} --output m.npy", "output", "m.npy"),
    pytest.param("fit {y} --output m", "output", "m"),
    pytest.param("fit {y} --output ''", "output", ""),
    ("synth", "output", ""),
    ("synth --output y.npy --dimension 0", "dimension", "0"),
    ("synth --output y.npy --dimension -3", "dimension", "-3"),
    ("synth --output y.npy --dimension 5x", "dimension", "5x"),
    ("synth --output y.npy --samples 0", "samples", "0"),
    ("synth --output y.npy --samples -5", "samples", "-5"),
    ("synth --output y.npy --samples 1e4", "samples", "1e4"),
    ("synth --output y.npy --theta 0", "theta", "0"),
    ("synth --output y.npy --theta 2", "theta", "2"),
    ("synth --output y.npy --theta nan", "theta", "nan"),
    ("synth --output y.npy --condition 0.5", "condition", "0.5"),
    ("synth --output y.npy --condition inf", "condition", "inf"),
    ("synth --output y.npy --noise -1", "noise", "-1"),
    ("synth --output y.npy --noise nan", "noise", "nan"),
    ("synth --output y.npy --outliers 1.5", "outliers", "1.5"),
    ("synth --output y.npy --outliers -0.1", "outliers", "-0.1"),
    ("synth --output y.npy --corruption 1.5", "corruption", "1.5"),
    ("synth --output y.npy --corruption x", "corruption", "x"),
    pytest.param("synth --output y.npy --seed -3", "seed", "-3"),
    ("synth --output y.npy --precision f8", "precision", "f8"),
    ("synth --output y.npy --dictionary-from {d}", "dictionary", "10×10"),
    ("synth --output y.npy --dimension 10 --dictionary-from {bad}/nan_atoms.npy", "dictionary", "NaN"),
    ("synth --dimension 9000000000000000000 --samples 1 --output y.npy", "samples", "2^50"),
    ("synth --dimension 2 --samples 99999999999999999999 --output y.npy", "samples", "99999999999999999999"),
    ("fit {y} --threads 4294967297", "threads", "4294967297"),
    ("synth --output y.xyz", "y.xyz: unknown output format", ".npy, .csv or .tsv"),
    ("synth --output y.npz", "y.npz: unknown output format", ".npy, .csv or .tsv"),
    ("synth --output y", "y: unknown output format", ".npy, .csv or .tsv"),
    ("synth --output ''", "output", ""),
    ("synth --output y.npy --atoms 0", "atoms", "0"),
    ("synth --output y.npy --atoms 60 --condition 2", "condition", "2"),
    ("synth --output y.npy --nonzeros 51", "nonzeros", "51"),
    ("synth --output y.npy --nonzeros 3 --frequencies 0.3", "frequencies", "0.3"),
    ("synth --output y.npy --frequencies 1", "frequencies", "1"),
    ("synth --output y.npy --nonzeros 3 --theta 0.2", "--nonzeros", "--theta"),
    ("synth --output - --json", "--output", "-"),
    ("synth --output y.npy --truth - --json", "--truth", "-"),
    pytest.param("synth --output - --truth -", "truth", "-"),
    pytest.param(
        "synth --output y.npy --truth d.xyz", "d.xyz", ".npy, .csv or .tsv"
    ),
    pytest.param("synth --output y.npy --truth y.npy", "truth", "y.npy"),
    ("encode", "model", ""),
    ("encode {model}", "samples", ""),
    ("encode {model} {y}", "output", ""),
    ("encode {model} {y} --output z.npy --top 0", "top", "0"),
    ("encode {model} {y} --output z.npy --top 11", "top", "11"),
    ("encode {model} {y} --output z.npy --top -1", "top", "-1"),
    ("encode {model} {y} --output z.npy --top x", "top", "x"),
    ("encode {model} {y} --output z.npy --threshold -1", "threshold", "-1"),
    ("encode {model} {y} --output z.npy --threshold nan", "threshold", "nan"),
    ("encode {model} {y} --output z.npy --threshold inf", "threshold", "inf"),
    ("encode {model} {y} --output z.npy --dense --top 3", "--dense", "--top"),
    ("encode {model} {y} --output z.npy --dense --threshold 1", "--dense", "--threshold"),
    ("encode {model} {y} --output z.npz --dense --sparse", "--dense", "--sparse"),
    ("encode {model} {y} --output z.npy --coder best", "--coder", "best"),
    ("encode {model} {y} --output z.npy --coder omp:11", "nonzeros", "11"),
    ("encode {model} {y} --output z.npy --coder lasso:0", "penalty", "0"),
    ("encode {model} {y} --output z.npy --coder lasso", "--coder", "lasso"),
    ("encode {model} {y} --output z.npy --coder omp --top 3", "--coder", "--top"),
    ("encode {model} {y} --output z.npy --coder omp --dense", "--coder", "--dense"),
    ("encode {model} {y} --output z.npy --coder top:3 --error 0.1", "error", "dense"),
    ("encode {model} {y} --output z.npy --coder omp --refit", "refit", "omp"),
    ("encode {model} {y} --output z.npy --error -1", "error", "-1"),
    ("encode {model} {y} --output z.npy --threads 0", "threads", "0"),
    ("encode {model} {y} --output z.npz", "z.npz: unknown output format", ".npy, .csv or .tsv"),
    ("encode {model} {y} --output z.npy --sparse", "output", "z.npy"),
    ("encode {model} {y} --output - --json", "--output", "-"),
    ("decode {model} {y} --output b.npz", "b.npz: unknown output format", ".npy, .csv or .tsv"),
    ("decode {model} {y}", "output", ""),
    ("decode {model} {y} --output - --json", "--output", "-"),
    ("decode {model} {y} --output b.npy --top 3", "--top", ""),
    ("eval {model}", "truth", ""),
    ("eval {model} --truth {d} --theta 0.3", "--theta", "0.3"),
    ("eval {model} --truth {d} --samples {y}", "--theta", "unset"),
    ("eval {model} --truth {d} --samples {y} --theta 0", "--theta", "0"),
    ("eval {model} --truth {d} --samples {y} --theta 2", "--theta", "2"),
    ("info", "model", ""),
    ("info {model} --output x", "--output", ""),
    ("fit {y} --sed 1", "did you mean --seed?", "--sed"),
    ("fit {y} --max-iteration=5", "did you mean --max-iterations?", ""),
    ("enocde {model} {y} --output z.npy", "did you mean encode?", "enocde"),
    ("fit ''", "samples", "name of a file is missing"),
    ("fit {y} ''", "samples", "name of a file is missing"),
    ("fit {y} --output ''", "--output", "name of a file is missing"),
    ("fit {y} --truth ''", "--truth", "name of a file is missing"),
    ("fit {y} --trace ''", "--trace", "name of a file is missing"),
    ("fit {y} --init ''", "--init", "name of a file is missing"),
    ("fit {y} --checkpoint ''", "--checkpoint", "name of a file is missing"),
    ("fit {y} --resume ''", "--resume", "name of a file is missing"),
    ("compare {y} --truth ''", "--truth", "name of a file is missing"),
    ("encode '' {y} --output z.npy", "model", "name of a file is missing"),
    ("decode {model} '' --output b.npy", "codes", "name of a file is missing"),
    ("eval {model} --truth ''", "--truth", "name of a file is missing"),
    ("eval {model} --truth {d} --samples ''", "--samples", "name of a file is missing"),
    ("denoise p.png --output q.png --reference ''", "--reference", "name of a file is missing"),
    ("report {model} --output r.html --data ''", "--data", "name of a file is missing"),
    ("synth --output y.npy --dictionary-from ''", "--dictionary-from", "name of a file is missing"),
    ("synth --output y.npy --truth ''", "--truth", "name of a file is missing"),
    ("fit {y} --trace= --verbose", "--trace", "value is missing"),
    ("synth --output= --json", "--output", "value is missing"),
    pytest.param("frobnicate {y}", "frobnicate", ""),
]


@pytest.mark.parametrize("line, option, value", OPTIONS)
def test_bad_option(refuse, line, option, value):
    message = refuse(line, USAGE)
    # The library spells max_iterations what the command line spells --max-iterations.
    assert option in message.replace("_", "-")
    assert value in message


# Call, file and text that the message must contain.
FILES = [
    ("fit {bad}/missing.npy", "missing.npy", "No such file"),
    ("fit {bad}/missing.npz:x", "missing.npz", "No such file"),
    ("fit {bad}/empty.npy", "empty.npy", "empty"),
    ("fit {bad}/folder.npy", "folder.npy", "directory"),
    ("fit {bad}/folder.npz", "folder.npz", "directory"),
    ("fit {bad}/folder.csv", "folder.csv", "directory"),
    ("fit {bad}/folder.h5", "folder.h5", "directory"),
    ("fit {bad}/folder.mat", "folder.mat", "directory"),
    ("fit {bad}", "bad", "directory"),
    ("fit {bad}/pipe.npy", "pipe.npy", "regular file"),  # must not wait for a writer
    ("fit {bad}/loop.npy", "loop.npy", "symbolic links"),
    ("fit {y}/x.npy", "x.npy", "Not a directory"),
    ("fit {bad}/text.npy", "text.npy", "NUMPY"),
    ("fit {bad}/magic_only.npy", "magic_only.npy", "truncated"),
    ("fit {bad}/header_cut.npy", "header_cut.npy", "truncated"),
    ("fit {bad}/data_cut.npy", "data_cut.npy", "160000 bytes of data, 159900"),
    ("fit {bad}/header_only.npy", "header_only.npy", "160000 bytes of data, 0"),
    ("fit {bad}/version_9.npy", "version_9.npy", "9.0"),
    ("fit {bad}/no_dict.npy", "no_dict.npy", "header"),
    ("fit {bad}/more_keys.npy", "more_keys.npy", "header"),
    ("fit {bad}/objects.npy", "objects.npy", "|O"),
    ("fit {bad}/long_complex.npy", "long_complex.npy", "<c32"),
    ("fit {bad}/strings.npy", "strings.npy", "<U1"),
    ("fit {bad}/records.npy", "records.npy", "structured"),
    ("fit {bad}/dates.npy", "dates.npy", "M8"),
    ("fit {bad}/long_double.npy", "long_double.npy", ""),
    ("fit {bad}/overflow.npy", "overflow.npy", "4611686018427387904×8"),
    ("fit {bad}/overflow_zero.npy", "overflow_zero.npy", "4611686018427387904×8×0"),
    ("fit {bad}/promise.npy", "promise.npy", "truncated"),
    ("fit {bad}/negative.npy", "negative.npy", "-3"),
    ("fit {bad}/nan.npy", "nan.npy", "sample 1234, feature 7 is nan"),
    ("fit {bad}/inf.npy", "inf.npy", "sample 1234, feature 7 is inf"),
    ("fit {bad}/minus_inf.npy", "minus_inf.npy", "sample 1234, feature 7 is -inf"),
    ("fit {bad}/nan.npy --center --threads 3", "nan.npy", "sample 1234, feature 7 is nan"),
    ("fit {bad}/nan.npy --method msp", "nan.npy", "sample 1234, feature 7 is nan"),
    ("fit {bad}/inf.npy --method msp", "inf.npy", "sample 1234, feature 7 is inf"),
    ("fit {bad}/nan.npy --columns", "nan.npy", "sample 7, feature 1234 is nan"),
    ("fit {bad}/nan.npy --precision f32", "nan.npy", "sample 1234, feature 7 is nan"),
    ("fit {bad}/nan.csv", "nan.csv", "sample 2, feature 0 is nan"),
    ("fit {bad}/zero.npy", "zero.npy", "zero"),
    ("fit {bad}/zero.npy --center", "zero.npy", "equal"),
    ("fit {bad}/zero.npy --method msp", "zero.npy", "zero"),
    ("fit {bad}/zero.npy --method msp --center", "zero.npy", "equal"),
    ("fit {bad}/zero.npy --method msp --whiten zca", "zero.npy", "zero"),
    ("fit {bad}/zero.npy --whiten zca", "zero.npy", "zero"),
    ("fit {bad}/constant.npy --center", "constant.npy", "equal"),
    ("fit {bad}/constant.npy", "constant.npy", "equal"),
    ("fit {bad}/one_sample.npy --center", "one_sample.npy", "equal"),
    ("fit {bad}/one_sample.npy --method msp --center", "one_sample.npy", "equal"),
    ("fit {bad}/no_samples.npy", "no_samples.npy", "0 samples"),
    ("fit {bad}/no_features.npy", "no_features.npy", "0 features"),
    ("fit {bad}/scalar.npy", "scalar.npy", "scalar"),
    ("fit {bad}/large.npy", "large.npy", "overflow"),
    ("fit {bad}/large.npy --method msp", "large.npy", "overflow"),
    pytest.param("fit {bad}/tiny.npy", "tiny.npy", "underflow"),
    ("fit {bad}/tiny.npy --method msp", "tiny.npy", "underflow"),
    ("fit {bad}/nearly_tiny.npy", "nearly_tiny.npy", "underflow"),
    ("fit {bad}/twice.npy", "twice.npy", "continues after"),
    ("fit {y} --stretch power:2000", "y.npy", "overflows"),
    ("fit {bad}/no_arrays.npz", "no_arrays.npz", "no arrays"),
    ("fit {bad}/cut.npz", "cut.npz", "zip"),
    ("fit {bad}/npy.npz", "npy.npz", "zip"),
    ("fit {bad}/flipped.npz:a", "flipped.npz:a", "CRC"),
    ("fit {bad}/two.npz", "two.npz", "a, b"),
    ("fit {bad}/two.npz:c", "two.npz", "a, b"),
    ("fit {bad}/csc.npz", "csc.npz", "csc"),
    ("fit {bad}/csr_falls.npz", "csr_falls.npz", "indptr"),
    ("fit {bad}/csr_beyond.npz", "csr_beyond.npz", "index"),
    ("fit {bad}/csr_negative.npz", "csr_negative.npz", "-1"),
    ("fit {bad}/csr_lengths.npz", "csr_lengths.npz", "indices"),
    ("fit {bad}/csr_rows.npz", "csr_rows.npz", "indptr"),
    ("fit {bad}/csr_wide.npz", "csr_wide.npz", "memory"),
    ("fit {bad}/ragged.csv", "ragged.csv", "line 3"),
    ("fit {bad}/word.csv", "word.csv", 'line 3, column 2: "x4"'),
    ("fit {bad}/gap.csv", "gap.csv", "line 2, column 2"),
    ("fit {bad}/decimal_comma.csv", "decimal_comma.csv", "line"),
    ("fit {bad}/header_only.csv", "header_only.csv", "no numbers"),
    ("fit {bad}/comments_only.csv", "comments_only.csv", "no numbers"),
    ("fit {bad}/beyond.csv", "beyond.csv", "line 2, column 2"),
    ("fit {bad}/quote.csv", "quote.csv", "line 1"),
    ("fit {bad}/utf16.csv", "utf16.csv", "UTF-16"),
    ("fit {bad}/unknown.xyz", "unknown.xyz", "format"),
    ("fit {bad}/no_suffix", "no_suffix", "format"),
    ("fit {bad}/magic.idx", "magic.idx", "01 02 08 02"),
    ("fit {bad}/type.idx", "type.idx", "00 00 07 02"),
    ("fit {bad}/header_cut.idx", "header_cut.idx", "truncated"),
    ("fit {bad}/data_cut.idx", "data_cut.idx", "50×4"),
    ("fit {bad}/promise.idx", "promise.idx", "4294967295×4294967295×4294967295"),
    ("fit {bad}/cut.idx.gz", "cut.idx.gz", "gzip"),
    ("fit {bad}/checksum.idx.gz", "checksum.idx.gz", "gzip"),
    ("fit {bad}/not_idx-ubyte.gz", "not_idx-ubyte.gz", "IDX"),
    ("fit {bad}/text.mat", "text.mat", "note"),
    ("fit {bad}/text.mat:note", "text.mat", "char"),
    ("fit {bad}/two.mat", "two.mat", "several"),
    ("fit {bad}/two.mat:zzz", "two.mat", "zzz"),
    ("fit {bad}/cut.mat", "cut.mat", "truncated"),
    ("fit {bad}/junk.mat", "junk.mat", "MATLAB"),
    ("fit {bad}/two.h5", "two.h5", "/train/x"),
    ("fit {bad}/two.h5:/nope", "two.h5", "/nope"),
    ("fit {bad}/two.h5:/train", "two.h5", "/train"),
    ("fit {bad}/two.h5:/note", "two.h5", "/note"),
    ("fit {bad}/groups_only.h5", "groups_only.h5", "no dataset"),
    ("fit {bad}/external.h5:/link", "external.h5", "another file"),
    ("fit {bad}/promise.h5", "promise.h5", ""),
    ("fit {bad}/deep.h5", "deep.h5", "nested more than 100 deep"),
    ("fit {bad}/cut.h5", "cut.h5", "HDF5"),
    ("fit {bad}/junk.h5", "junk.h5", "HDF5"),
    ("fit {y} --init {bad}/missing.npy", "missing.npy", "No such file"),
    ("fit {y} --init idenity", "idenity", "No such file"),
    ("fit {y} --truth {bad}/missing.npy", "missing.npy", "No such file"),
    ("fit {y} --truth {bad}/four_features.npy", "four_features.npy", "2000×4"),
    pytest.param(
        "fit {y} --method msp --truth {bad}/few_atoms.npy", "few_atoms.npy", "7"
    ),
    pytest.param(
        "fit {y} --truth {bad}/zero_atom.npy",
        "zero_atom.npy",
        "zero"
    ),
    pytest.param(
        "fit {y} --truth {bad}/nan_atoms.npy",
        "nan_atoms.npy",
        "finite"
    ),
    ("fit {y} --output nowhere/m.npz", "nowhere/m.npz", "No such file"),
    ("fit {y} --output {bad}/folder.npz", "folder.npz", "directory"),
    ("fit {y} --output {bad}/full.npz", "full.npz", "No space"),
    ("fit {y} --output {bad}/loop.npz", "loop.npz", "symbolic links"),
    ("fit {y} --output {y}/m.npz", "m.npz", "Not a directory"),
    pytest.param("fit {y} --trace nowhere/t.csv", "nowhere/t.csv", "No such file"),
    ("synth --dictionary-from {bad}/missing.npy --output y.npy", "missing.npy", "No such file"),
    ("synth --output nowhere/y.npy", "nowhere/y.npy", "No such file"),
    ("synth --output {bad}/folder.npy", "folder.npy", "directory"),
    ("synth --output {bad}/full.npy", "full.npy", "No space"),
    ("synth --output {bad}/full.csv", "full.csv", "No space"),
    pytest.param(
        "synth --output y.npy --truth nowhere/d.npy", "nowhere/d.npy", "No such file"
    ),
    ("info {bad}/missing.npz", "missing.npz", "No such file"),
    ("info {bad}/folder.npz", "folder.npz", "directory"),
    ("info {bad}/empty.npy", "empty.npy", "empty"),
    ("info {y}", "y.npy", "zip"),
    ("info {bad}/cut.npz", "cut.npz", "zip"),
    ("info {bad}/not_a_model.npz", "not_a_model.npz", "not an orthodict model"),
    ("info {bad}/no_analysis.npz", "no_analysis.npz", "analysis"),
    ("info {bad}/shapes.npz", "shapes.npz", "4×10"),
    ("info {bad}/short_mean.npz", "short_mean.npz", "3"),
    ("info {bad}/nan_model.npz", "nan_model.npz", "finite"),
    ("info {bad}/empty_model.npz", "empty_model.npz", "empty"),
    ("info {bad}/metadata_number.npz", "metadata_number.npz", "metadata"),
    ("info {bad}/metadata_broken.npz", "metadata_broken.npz", "metadata"),
    ("encode {bad}/not_a_model.npz {y} --output z.npy", "not_a_model.npz", "not an orthodict model"),
    ("encode {model} {bad}/missing.npy --output z.npy", "missing.npy", "No such file"),
    ("encode {model} {bad}/four_features.npy --output z.npy", "four_features.npy", "4"),
    ("encode {model} {bad}/four_features.npy --sparse --output z.npz", "four_features.npy", "4"),
    ("encode {model} {y} --columns --output z.npy", "y.npy", "4000"),
    pytest.param(
        "encode {model} {bad}/no_samples_of_four.npy --output z.npy",
        "no_samples_of_four.npy",
        "4"
    ),
    ("encode {model} {bad}/nan.npy --output z.npy", "nan.npy", "1234"),
    ("encode {model} {bad}/inf.npy --output z.npy", "inf.npy", "1234"),
    ("encode {model} {y} --output nowhere/z.npy", "nowhere/z.npy", "No such file"),
    ("encode {model} {y} --output nowhere/z.npz --sparse", "nowhere/z.npz", "No such file"),
    ("encode {model} {y} --output {bad}/folder.npy", "folder.npy", "directory"),
    ("encode {model} {y} --output {bad}/full.npy", "full.npy", "No space"),
    ("encode {model} {y} --output {bad}/full.npz --sparse", "full.npz", "No space"),
    ("decode {model} {bad}/missing.npy --output b.npy", "missing.npy", "No such file"),
    ("decode {model} {bad}/four_features.npy --output b.npy", "four_features.npy", "4"),
    ("decode {model} {bad}/nan.npy --output b.npy", "nan.npy", "1234"),
    ("decode {model} {bad}/csr_beyond.npz --output b.npy", "csr_beyond.npz", "index"),
    ("decode {model} {y} --output {bad}/full.npy", "full.npy", "No space"),
    ("eval {bad}/missing.npz --truth {d}", "missing.npz", "No such file"),
    ("eval {model} --truth {bad}/missing.npy", "missing.npy", "No such file"),
    ("eval {model} --truth {d} --samples {bad}/missing.npy --theta 0.3", "missing.npy", "No such file"),
    ("eval {model} --truth {d} --samples {bad}/four_features.npy --theta 0.3", "four_features.npy", "4"),
    ("eval {model} --truth {d} --samples {bad}/nan.npy --theta 0.3", "nan.npy", "1234"),
    pytest.param("eval {model} --truth {bad}/few_atoms.npy", "few_atoms.npy", "7×10"),
    pytest.param(
        "eval {model} --truth {bad}/four_features.npy", "four_features.npy", ""
    ),
    pytest.param("eval {model} --truth {bad}/zero_atom.npy", "zero_atom.npy", "zero"),
]


@pytest.mark.parametrize("line, file, what", FILES)
def test_bad_file(refuse, line, file, what):
    message = refuse(line, DATA)
    assert file in message
    assert what in message


@pytest.mark.parametrize("stdin", [b"", b"1,2,3\n", b"\x93NUMPY\x01\x00v\x00{'descr'"], ids=["empty", "text", "cut"])
def test_bad_stream(run, tmp_path, stdin):
    answer = run("fit", "-", "--output", "m.npz", stdin=stdin, expect=DATA)
    assert "standard input" in answer.stderr
    assert harness.listing(tmp_path) == []


def test_stream_that_ends_early(run, small, tmp_path):
    answer = run("fit", "-", "--output", "m.npz", stdin=small.samples.read_bytes()[:-8], expect=DATA)
    assert "standard input" in answer.stderr
    assert "truncated" in answer.stderr
    assert harness.listing(tmp_path) == []


def test_stream_of_nan(run, tmp_path):
    x = np.ones((5, 3))
    x[4, 1] = np.nan
    np.save(tmp_path / "x.npy", x)
    answer = run("fit", "-", stdin=(tmp_path / "x.npy").read_bytes(), expect=DATA)
    assert "standard input: sample 4, feature 1 is nan" in answer.stderr


OUTPUTS = ["synth --output -", "fit {y} --output -", "encode {model} {y} --output -", "decode {model} {y} --output -"]
REPORTS = ["synth --output y.npy --json", "fit {y} --json", "info {model}", "eval {model} --truth {d}"]


@pytest.mark.parametrize(
    "line",
    OUTPUTS + [pytest.param(line) for line in REPORTS],
)
def test_full_standard_output(run, places, line):
    with open("/dev/full", "wb") as full:
        answer = run(*[word.format(**places) for word in line.split()], stdout=full, expect=DATA)
    assert "No space" in answer.stderr


def give_up_override():
    """Takes from root what lets it write and read where modes forbid it, from what exec may give."""
    capbset_drop, dac_override, dac_read_search = 24, 1, 2  # of linux/prctl.h and linux/capability.h
    for capability in (dac_override, dac_read_search):
        ctypes.CDLL(None).prctl(capbset_drop, capability, 0, 0, 0)


@pytest.fixture
def restricted(run, tmp_path):
    """run() for which file modes count, even when the tests run as root."""
    (tmp_path / "probe").touch(mode=0o444)
    probe = subprocess.run(
        ["sh", "-c", "echo >> probe"], cwd=tmp_path, preexec_fn=give_up_override, stderr=subprocess.DEVNULL, check=False
    )
    if probe.returncode == 0:
        pytest.skip("this user can write anywhere")
    (tmp_path / "probe").unlink()
    return functools.partial(run, preexec_fn=give_up_override)


def test_read_only_output_is_left_as_it_is(restricted, small, small_model, tmp_path):
    for name, command in (("m.npz", ["fit", small.samples]), ("z.npy", ["encode", small_model, small.samples])):
        (tmp_path / name).write_text("precious")
        (tmp_path / name).chmod(0o444)
        answer = restricted(*command, "--output", name, expect=DATA)
        assert name in answer.stderr
        assert "Permission denied" in answer.stderr
        assert (tmp_path / name).read_text() == "precious"


def test_read_only_folder(restricted, small, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    answer = restricted("fit", small.samples, "--output", "closed/m.npz", expect=DATA)
    assert "closed/m.npz" in answer.stderr
    assert "Permission denied" in answer.stderr
    assert harness.listing(folder) == []


def test_unreadable_input(restricted, small, tmp_path):
    np.save(tmp_path / "secret.npy", small.x)
    (tmp_path / "secret.npy").chmod(0o000)
    answer = restricted("fit", "secret.npy", expect=DATA)
    assert "secret.npy" in answer.stderr
    assert "Permission denied" in answer.stderr


@pytest.mark.parametrize("bad", ["nan.npy", "four_features.npy", "missing.npy"])
def test_failure_keeps_the_older_output(run, places, small_model, tmp_path, bad):
    """The output is replaced when all is well, and only then."""
    (tmp_path / "z.npy").write_text("precious")
    run("encode", small_model, places["bad"] / bad, "--output", "z.npy", expect=DATA)
    assert (tmp_path / "z.npy").read_text() == "precious"
    assert harness.listing(tmp_path) == ["z.npy"]
