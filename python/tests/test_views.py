"""Arrays outlive their owners; nothing that is called here crashes the interpreter; threads and Ctrl-C."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import cradle
from conftest import MODELS


def disturb():
    """Collects garbage and writes over what was freed."""
    gc.collect()
    for size in (64, 1024, 65536):
        junk = [np.full(size, 7.0) for _ in range(50)]
        del junk


def made():
    """Every kind of view: (array, its numbers), with all owners gone."""
    m = cradle.Model(MODELS / "pup.xml")
    key = m.key("home")
    v = np.zeros(m.nv)
    v[2] = -1
    p = m.contact_problem(key.qpos, v, mu=0.8, e=0.0)
    s = p.resolve("poisson")[0]
    o = p.outcomes(samples=64)
    sim = cradle.Sim(m)
    sim.reset(key.qpos, v)
    sim.ctrl = key.ctrl
    tr = sim.run(0.05)
    b = cradle.Batch(m, 3)
    b.step()
    views = [key.qpos, m.qpos0, m.gravity, p.M, p.J, p.W, p.X, p.u, p.v, p.contacts["FR"].normal, p.contacts["FR"].tangent,
             p.contacts.array["mu"], s.p, s.v_plus, s.u_plus, s.work, o.v_plus, o.extent, o.ending, sim.qpos, sim.qvel,
             sim.ctrl, sim.tau, tr.t, tr.qpos, tr.energy["kinetic"], tr.events.array["t"], tr.events.qpos,
             tr.contacts["impulse_n"], tr.offset, b.qpos, b.qvel, b.ctrl, b.time, b.status]
    sim.close()
    b.close()
    return [(a, a.copy()) for a in views]


def test_arrays_outlive_their_owners():
    views = made()
    disturb()
    other = made()  # the same memory anew, if any had been given back
    disturb()
    for a, numbers in views + other:
        assert np.array_equal(a, numbers, equal_nan=True)


def test_a_slice_keeps_the_owner_and_the_last_array_lets_it_go(pup, falling):
    p = pup.contact_problem(*falling)
    held = weakref.ref(p)
    part = p.W[3:6, ::2]
    numbers = part.copy()
    del p
    gc.collect()
    assert held() is None
    disturb()
    assert np.array_equal(part, numbers)


def test_problems_made_again_in_the_same_memory_leave_views_alone(pup, falling):
    q, v = falling
    kept = [pup.contact_problem(q, k * v).u for k in range(20)]
    for _ in range(50):
        pup.contact_problem(q, 99 * v)
    for k, u in enumerate(kept):
        assert u[0] == pytest.approx(-k)


def test_views_cannot_be_written(pup, falling):
    p = pup.contact_problem(*falling)
    sim = cradle.Sim(pup)
    for a in (p.M, p.u, pup.qpos0, pup.key(0).qpos, pup.key(0).qvel, sim.qpos, p.contacts[0].point):
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0
        with pytest.raises(ValueError):
            a.flags.writeable = True
    with pytest.raises(AttributeError):
        p.M = np.eye(3)


def test_state_arrays_follow_the_steps(pup, falling):
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    q = sim.qpos
    before = q.copy()
    for _ in range(300):  # contacts come and go
        sim.step()
    assert np.array_equal(q, sim.qpos) and not np.array_equal(q, before)


def test_closed_objects_say_so(pup):
    sim, batch = cradle.Sim(pup), cradle.Batch(pup, 2)
    with sim, batch:
        pass
    for call in (sim.step, lambda: sim.run(1), sim.reset, lambda: sim.qpos, lambda: sim.ctrl, lambda: sim.time, sim.save,
                 lambda: sim.energy, lambda: sim.sensor("imu"), lambda: sim.restore(b""), lambda: sim.contacts,
                 lambda: sim.counters, lambda: sim.message, lambda: sim.set_act([]), lambda: sim.wrench(1),
                 batch.step, batch.reset, lambda: batch.qpos, lambda: batch.rollout(length=2), lambda: batch.sim(0),
                 lambda: batch.message(0), lambda: batch.threads, lambda: pickle.dumps(sim)):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert repr(sim) == "Sim(closed)" and repr(batch) == "Batch(closed)"
    sim.close(), batch.close()


ODD = [None, 0, -1, 2**70, 1.5, float("nan"), float("inf"), "", "x", b"y", "a\0b", [], [1], {}, object(), np.zeros(0),
       np.zeros((2, 2)), np.zeros(3, complex), np.array(["x"]), np.full(14, np.nan), np.zeros(15)[::-1], True, ...,
       np.zeros(14, dtype=object), memoryview(b"123"), lambda: 0, range(3), slice(None), "\udcff", np.float32(1), [[1], [2, 3]]]


@pytest.mark.filterwarnings("ignore")
def test_odd_arguments_raise_and_do_not_crash(pup, falling):
    """Every public method of every kind of object with odd arguments: an exception or an answer."""
    p = pup.contact_problem(*falling)
    o, c, r = p.outcomes(samples=16), p.check(), p.resolve("poisson")
    sim, batch = cradle.Sim(pup), cradle.Batch(pup, 2)
    tr = sim.run(0.01)
    objects = [pup, p, p.contacts, p.contacts[0], r, r[0], p.resolve_all(), o, c, sim, batch, tr, tr.events, tr.energy,
               pup.key(0), cradle.env.Env(pup, "ant"), cradle]
    skipped = {"close", "save", "save_page", "plot", "plot_region", "plot_energy", "run", "rollout", "outcomes", "sample"}
    allowed = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, cradle.Error, RuntimeError)
    calls = 0
    for thing in objects:
        for name in dir(thing):
            if name.startswith("_") and name not in ("__getitem__", "__contains__", "__len__", "__repr__", "__iter__"):
                continue
            if name in skipped:
                continue
            try:
                method = getattr(thing, name)
            except allowed:
                continue
            if not callable(method) or isinstance(method, type) and issubclass(method, BaseException):
                continue
            for odd in ODD:
                for arguments in ((odd,), (odd, odd)):
                    try:
                        method(*arguments)
                    except allowed:
                        pass
                    calls += 1
    assert calls > 2000
    sim.reset()
    sim.step()


@pytest.mark.parametrize("make", [cradle.Model, cradle.ContactProblem, cradle.Sim, cradle.open,
                                  lambda x: cradle.Batch(x, 1), cradle.Model.from_text])
def test_odd_constructions_raise(make):
    for odd in ODD:
        with pytest.raises((TypeError, ValueError, OSError, cradle.Error, AttributeError)):
            make(odd)


def test_handles_of_other_kinds_are_refused(pup, falling, two_balls):
    p = pup.contact_problem(*falling)
    for call in (lambda: cradle.Sim(p), lambda: cradle.Batch(p, 2),
                 lambda: cradle.Batch(pup, 2).put(0, cradle.Sim(cradle.Model("@pendulum:2")))):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_a_second_thread_is_refused_and_others_go_on(pup, falling):
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    said, ended = [], threading.Event()

    def ask():
        while len(said) < 5 and not ended.is_set():  # this thread runs: the lock of the interpreter is free
            try:
                sim.qacc, sim.sensors
            except RuntimeError as error:
                said.append(str(error))
        signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)
    worker = threading.Thread(target=ask)
    try:
        worker.start()
        with pytest.raises(KeyboardInterrupt):
            while True:  # until the other has seen enough; it may be what holds the simulation now
                try:
                    sim.run(1e9, every=10**9)
                except RuntimeError:
                    pass
    finally:
        ended.set()
        worker.join()
        signal.signal(signal.SIGALRM, old)
    assert len(said) == 5 and all("in use by another thread" in text for text in said)


def test_threads_share_a_model(pup, falling):
    q, v = falling
    expected = pup.contact_problem(q, v).resolve("poisson")[0].p.copy()
    wrong = []

    def work():
        for _ in range(100):
            if not np.array_equal(pup.contact_problem(q, v).resolve("poisson")[0].p, expected):
                wrong.append(1)
    workers = [threading.Thread(target=work) for _ in range(4)]
    [w.start() for w in workers], [w.join() for w in workers]
    assert not wrong


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np, cradle
m = cradle.Model(sys.argv[1])
q, v = m.key("home").qpos, np.zeros(m.nv)
v[2] = -1
p = m.contact_problem(q, v)
sim = cradle.Sim(m)
batch = cradle.Batch(m, 512, threads=2)
calls = {"outcomes": lambda: p.outcomes(samples=2**19, threads=1), "run": lambda: sim.run(1e9, every=10**9),
         "steps": lambda: sim.step(2**30), "batch": lambda: batch.step(n=2**30),
         "rollout": lambda: batch.rollout(length=100, n=2**24)}
call = calls[sys.argv[2]]
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
slower = 5 if "asan" in os.environ.get("LD_PRELOAD", "") else 1
threads = 2 if sys.argv[2] in ("batch", "rollout") else 1
start = time.process_time()   # of the processor: the machine may be busy with others
try:
    call()
    print("it ended by itself")
except KeyboardInterrupt:
    print("late" if time.process_time() - start > threads * (0.3 + 0.5 * slower) else "in time")
sim.reset(q, v); sim.step(); print(sim.time == m.timestep)   # all is usable afterwards
"""


@pytest.mark.parametrize("call", ["outcomes", "run", "steps", "batch", "rollout"])
def test_ctrl_c_ends_computations_within_half_a_second(call):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(MODELS / "pup.xml"), call], capture_output=True, text=True,
                          timeout=120, env=os.environ)
    assert (done.returncode, done.stdout) == (0, "in time\nTrue\n"), done.stderr


def test_an_exception_of_a_signal_handler_comes_through(pup):
    def handler(*_):
        raise LookupError("from the handler")
    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(LookupError, match="from the handler"):
            cradle.Sim(pup).run(1e9, every=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
