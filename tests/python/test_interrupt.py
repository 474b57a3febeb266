# SPDX-License-Identifier: Apache-2.0
"""Long work can be interrupted by Ctrl-C within a second, and other threads and other fits run meanwhile."""

import hashlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support import child, gaussian_data, same_bits, same_model, sparse_data, unsanitized

import orthodict

# Work that would take minutes, or at least seconds.
WORK = {
    "msp": "orthodict.fit(x, **ENDLESS)",
    "one thread": "orthodict.fit(x, threads=1, **ENDLESS)",
    "auto": "orthodict.fit(x)",
    "ksvd": "orthodict.fit(x, method='ksvd')",
    "online": "orthodict.fit(x, method='online')",
    "subgradient": "orthodict.fit(x, method='subgradient')",
    "fastica": "orthodict.fit(x, **{**ENDLESS, 'method': 'fastica'})",
    "callback": "orthodict.fit(x, callback=lambda iterate: False, **ENDLESS)",
    "progress": "orthodict.fit(x, verbose=1, **ENDLESS)",
    "learner": "LEARNER.fit(x)",
    "stream": "LEARNER.partial_fit(x)",
    "encode": "wide.encode(many, threads=1)",
    "decode": "wide.decode(many, threads=1)",
    "transform": "fitted.transform(many)",
    "denoise": "orthodict.denoise(noise, sigma=1)",
}

# All of it in one interpreter, so that each piece finds what those before it left. An interrupt arrives 0.2 seconds
# after a piece began, when it is in the middle of a pass.
INTERRUPTED = """
import hashlib, json, os, signal, threading, time
import numpy as np, orthodict
from support import sparse_data

ENDLESS = {"method": "msp", "tolerance": 0, "max_iterations": 2**31 - 1}
LEARNER = orthodict.DictionaryLearner(method="msp", tol=0, max_iter=2**31 - 1)
x = np.random.default_rng(0).standard_normal((100_000, 100))
many = np.broadcast_to(np.ones(300, dtype=np.float32), (2_000_000, 300))  # takes no memory; results do as they come
noise = np.random.default_rng(0).uniform(0, 255, (2000, 2000))
wide = orthodict.Model(np.eye(300), np.eye(300), np.zeros(300))
fitted = orthodict.DictionaryLearner(method="pca", n_jobs=1).fit(np.random.default_rng(0).standard_normal((500, 300)))

def native_threads():
    return len(os.listdir("/proc/self/task")) - threading.active_count()

def threads_left(before):
    # The system may list an ended thread for a moment.
    deadline = time.monotonic() + 5
    while native_threads() > before and time.monotonic() < deadline:
        time.sleep(0.001)
    return native_threads() - before

def seconds_to_interrupt(work):
    sent = []
    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.2, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    finally:
        timer.join()

def atoms():
    return hashlib.sha256(orthodict.fit(sparse_data().samples, seed=7).model.dictionary).hexdigest()

answer = {}
def test(name, work):
    before = native_threads()
    seconds = seconds_to_interrupt(work)
    answer[name] = {"seconds": seconds, "left": threads_left(before), "atoms": atoms()}
"""


@pytest.fixture(scope="module")
def interrupted():
    tests = "\n".join(f"test({name!r}, lambda: {work})" for name, work in WORK.items())
    return child(f"{INTERRUPTED}\n{tests}\nprint(json.dumps(answer))")


@unsanitized("it measures time")
@pytest.mark.parametrize("work", WORK)
def test_an_interrupt_is_answered_within_a_second(interrupted, work):
    assert interrupted[work]["seconds"] is not None, "nothing was raised"
    assert interrupted[work]["seconds"] < 1.0


@pytest.mark.parametrize("work", WORK)
def test_the_interpreter_is_well_afterwards(interrupted, work):
    """No thread is left, and a fit gives the bits that it always does."""
    assert interrupted[work]["left"] <= 0  # a thread of an earlier piece may have ended meanwhile
    expected = orthodict.fit(sparse_data().samples, seed=7).model.dictionary
    assert interrupted[work]["atoms"] == hashlib.sha256(expected).hexdigest()


def test_other_signals():
    """A handler that raises ends the fit with its exception; one that doesn't leaves no trace in the result."""
    answer = child("""
        import json, signal
        import numpy as np, orthodict
        from support import gaussian_data, same_model

        class Alarm(Exception):
            pass

        def scream(number, frame):
            raise Alarm

        x = gaussian_data(50, 10000)
        signal.signal(signal.SIGALRM, scream)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            orthodict.fit(x, method="msp", tolerance=0, max_iterations=2**31 - 1)
        except Alarm:
            raised = True

        rung = []
        signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        options = {"method": "msp", "tolerance": 0, "max_iterations": 100}
        disturbed = orthodict.fit(x, **options)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps([raised, len(rung), same_model(disturbed, orthodict.fit(x, **options))]))
    """)
    raised, rung, same = answer
    assert raised
    assert rung > 1, "handlers run while the fit does"
    assert same


def test_an_interrupt_is_for_the_main_thread():
    """A fit in another thread goes on; Python raises where it always does."""
    answer = child("""
        import json, os, signal, threading, time
        import orthodict
        from support import gaussian_data

        results = []

        def work():
            results.append(orthodict.fit(gaussian_data(50, 10000), method="msp", tolerance=0, max_iterations=200))

        worker = threading.Thread(target=work)
        worker.start()
        try:
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        except KeyboardInterrupt:
            worker.join()
        print(json.dumps([result.summary.iterations for result in results]))
    """)
    assert answer == [200]


# Threads.


def endless(**more):
    """Without structure there is nothing that a fit would converge to in less than seconds."""
    return orthodict.fit(gaussian_data(50, 20000), method="msp", tolerance=0, max_iterations=2**31 - 1, **more)


@pytest.mark.parametrize("work", ["fit", "encode", "decode", "synthetic"])
def test_other_threads_go_on(work):
    """A thread that asks for the interpreter's lock every millisecond gets it during work of some tenths of a second.
    If that held the lock, there would be a few such steps before it took it, within Python's 5 ms, and none later."""
    gaussian_data(50, 20000)
    many = np.broadcast_to(np.ones(100, dtype=np.float32), (400_000, 100))
    model = orthodict.Model(np.eye(100), np.eye(100), np.zeros(100))
    tasks = {
        "fit": lambda: endless(time_limit=0.3),
        "encode": lambda: model.encode(many, threads=1),
        "decode": lambda: model.decode(many, threads=1),
        "synthetic": lambda: orthodict.synthetic(100, 50000),
    }
    begun, ended = threading.Event(), threading.Event()
    steps = []

    def step():
        begun.wait()
        while not ended.is_set():
            steps.append(None)
            time.sleep(0.001)

    thread = threading.Thread(target=step)
    thread.start()
    begun.set()
    tasks[work]()
    ended.set()
    thread.join()
    assert len(steps) >= 20


def test_fits_at_once_give_the_same_bits():
    x, _ = sparse_data(noise=0.1)
    options = [{"seed": seed, "method": method} for seed in (0, 1) for method in ("auto", "msp", "fastica", "ksvd")]
    expected = [orthodict.fit(x, **each) for each in options]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            results = pool.map(lambda each: orthodict.fit(x, **each), options)
            assert all(same_model(*pair) for pair in zip(results, expected))


def test_one_model_serves_many_threads():
    x, _ = sparse_data()
    model = orthodict.fit(x).model
    expected = model.encode(x)
    with ThreadPoolExecutor(8) as pool:
        assert all(same_bits(codes, expected) for codes in pool.map(lambda _: model.encode(x), range(32)))


def test_a_fit_in_another_thread():
    """Its callbacks run in that thread, and its exceptions arrive there."""
    x, _ = sparse_data()
    seen = []
    with ThreadPoolExecutor(1) as pool:
        home = pool.submit(threading.get_ident).result()
        callback = {"callback": lambda iterate: seen.append(threading.get_ident())}
        result = pool.submit(orthodict.fit, x, seed=7, **callback).result()
        assert same_model(result, orthodict.fit(x, seed=7))
        assert set(seen) == {home} != {threading.get_ident()}
        with pytest.raises(ValueError, match="atoms = 0"):
            pool.submit(orthodict.fit, x, atoms=0).result()
        with pytest.raises(ZeroDivisionError):
            pool.submit(orthodict.fit, x, callback=lambda iterate: 1 // 0).result()


def test_a_fit_that_another_thread_stops():
    stop = threading.Event()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    assert endless(callback=lambda iterate: stop.is_set()).summary.termination == "stopped"


def test_a_fit_within_a_callback():
    x, _ = sparse_data()
    inner = []

    def callback(iterate):
        inner.append(orthodict.fit(x, seed=7))
        return len(inner) == 3

    orthodict.fit(x, callback=callback)
    assert len(inner) == 3
    assert all(same_model(each, orthodict.fit(x, seed=7)) for each in inner)


def test_a_fit_in_a_process_that_was_forked():
    """Fits leave no threads or locks behind that a child would wait for."""
    answer = child("""
        import json, multiprocessing
        import orthodict
        from support import sparse_data

        def atoms(seed):
            return orthodict.fit(sparse_data().samples, seed=seed).model.dictionary.tobytes().hex()

        here = atoms(7)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(json.dumps([there == here for there in pool.map(atoms, [7, 7])]))
    """)
    assert answer == [True, True]


@pytest.mark.parametrize("work", [
    "orthodict.fit(x, **ENDLESS)",
    "orthodict.fit(x, callback=lambda _: False, **ENDLESS)",
    "model.encode(many, threads=1)",
])
def test_the_interpreter_may_end_while_a_thread_is_at_work(work):
    child(f"""
        import threading, time
        import numpy as np, orthodict
        ENDLESS = {{"method": "msp", "tolerance": 0, "max_iterations": 2**31 - 1}}
        x = np.random.default_rng(0).standard_normal((100_000, 50))
        many = np.broadcast_to(np.ones(300, dtype=np.float32), (2_000_000, 300))
        model = orthodict.Model(np.eye(300), np.eye(300), np.zeros(300))
        threading.Thread(target=lambda: {work}, daemon=True).start()
        time.sleep(0.3)
    """)
