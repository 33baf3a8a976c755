"""Nothing that is called here may end the interpreter or raise what says nothing: every public method with nonsense, objects that
are closed while others use them, many threads at once; and memory that stays as it is over many calls."""
import ctypes
import gc
import inspect
import os
import random
import sys
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest

import cradle

ODD = [None, 0, -1, 2**31, 2**70, -2**63, 10**400, 1.5, float("nan"), float("inf"), 1e308, 1j, True, ..., "", "x", "home", "FR",
       "FR.n", "\udcff", "a\0b", b"y", [], [1], (), {}, {"n": 1}, [None] * 8, [[1], [2, 3]], object(), type, range(3),
       slice(None), lambda: 0, memoryview(b"12"), np.zeros(0), np.zeros((2, 2)), np.zeros(3, complex), np.array(["x"]),
       np.full(14, np.nan), np.zeros(15)[::-1], np.zeros(14, object), np.zeros(8, np.float16), np.float32(1), np.int64(2),
       np.array(3), np.array("2020", dtype="M8[s]"), np.ma.array([1.0, 2.0], mask=[0, 1])]
ALLOWED = (TypeError, ValueError, LookupError, OSError, MemoryError, RuntimeError, cradle.Error)
#: words of Python, numpy and cffi that do not say which argument is wrong
SPEECHLESS = ("cdata", "ffi", "NoneType' object", "has no attribute", "unsupported operand", "initializer", "not iterable",
              "unhashable", "could not be broadcast", "cannot be interpreted", "ambiguous", "unpack")
#: long ones, what ends objects, what Sequence has of its own
APART = {"close", "count", "index", "__exit__", "save", "save_page"}
LONG = {"run", "step", "rollout", "outcomes", "fit", "Batch", "VectorEnv"}


class Own:
    """Fails where an array is expected."""
    def __array__(self, dtype=None, copy=None):
        raise LookupError("an array that fails")


ODD.append(Own())


@pytest.fixture(scope="module")
def objects(pup, falling):
    p = pup.contact_problem(*falling, mu=0.8, e=0.0)
    sim, batch, closed, ended = cradle.Sim(pup), cradle.Batch(pup, 3), cradle.Sim(pup), cradle.Batch(pup, 2)
    closed.close(), ended.close()
    trace, r = sim.run(0.01), p.resolve()
    drops = [{"M": [[2.0]], "v": [-s], "v_plus": [0.4 * s], "contacts": [{"n": [1]}]} for s in (1.0, 2.0, 3.0, 4.0)]
    found = cradle.fit(drops, "newton", resamples=20)
    return [pup, p, p.contacts, p.contacts[0], r, r[0], p.resolve_all(), p.outcomes(samples=16), p.check(), sim, batch, trace,
            trace.events, trace.energy, pup.key("home"), cradle.env.Env(pup, "ant"), cradle.env.VectorEnv(pup, 2, "ant"),
            closed, ended, found, cradle]


def methods(thing):
    special = ("__getitem__", "__contains__", "__iter__", "__len__")
    for name in dir(thing):
        if name in APART or name.startswith("_") and name not in special:
            continue
        try:
            method = getattr(thing, name)
        except ALLOWED:
            continue
        if getattr(type(thing), name, None) is getattr(Sequence, name, ...):
            continue
        if callable(method) and not (isinstance(method, type) and name not in ("Model", "ContactProblem", "Sim", "Batch")):
            yield name, method


def long_lasting(name, values):
    """Whether a call would be right, and compute for minutes."""
    return name in LONG and any(isinstance(x, (int, float)) and not isinstance(x, bool) and x > 3 for x in values)


@pytest.mark.filterwarnings("ignore")
def test_nonsense_is_refused_by_name(objects, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw, calls, speechless = random.Random(0), 0, []
    for thing in objects:
        for name, method in methods(thing):
            try:
                names = [q.name for q in inspect.signature(method).parameters.values() if q.kind is not q.VAR_KEYWORD]
            except ValueError:
                names = []
            cases = [((x,), {}) for x in ODD] + [((draw.choice(ODD), draw.choice(ODD)), {}) for _ in range(12)]
            cases += [((), {n: x}) for n in names for x in ODD]
            for arguments, options in cases + [((), {}), ((objects[9],), {}), ((objects[1], objects[10]), {})]:
                if long_lasting(name, [*arguments, *options.values()]):
                    continue
                calls += 1
                try:
                    method(*arguments, **options)
                except ALLOWED as error:
                    if any(word in str(error) for word in SPEECHLESS):
                        speechless.append(f"{type(thing).__name__}.{name}{arguments}{options}: {error!r}")
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
    assert calls > 10000
    assert not speechless, "\n".join(sorted(set(speechless))[:40])


@pytest.mark.filterwarnings("ignore")
def test_many_threads_on_objects_that_are_closed_under_them(pup, falling):
    q, v = falling
    shared, end = {}, time.time() + 4

    def renew():
        sim, batch = cradle.Sim(pup), cradle.Batch(pup, 4)
        sim.reset(q, v), batch.reset(q)
        shared.update(sim=sim, batch=batch)
    renew()
    ways = [lambda s, b: s.step(5), lambda s, b: s.run(0.01), lambda s, b: b.step(n=2), lambda s, b: b.rollout(length=2),
            lambda s, b: b.sim(1), lambda s, b: b.put(0, s), lambda s, b: b.message(0), lambda s, b: b.reset(members=[1]),
            lambda s, b: s.restore(s.save()), lambda s, b: s.reset(q), lambda s, b: s.set_state(q),
            lambda s, b: s.wrench(1, [1, 2, 3], None, [0, 0, 0]), lambda s, b: (repr(s), repr(b)),
            lambda s, b: pup.contact_problem(q, v).resolve("newton")[0].p.sum(), lambda s, b: (s.close(), b.close(), renew())]
    for name in ("time", "qpos", "act", "sensors", "qacc", "energy", "counters", "contacts", "contact_names", "message"):
        ways += [lambda s, b, name=name: getattr(s, name)] * 3
    unexpected = []

    def work(seed):
        draw = random.Random(seed)
        while time.time() < end:
            try:
                draw.choice(ways)(shared["sim"], shared["batch"])
            except (ValueError, RuntimeError):
                pass  # closed, or in use by another thread
            except BaseException as error:
                unexpected.append(repr(error))
                return
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        [w.start() for w in workers], [w.join() for w in workers]
    finally:
        sys.setswitchinterval(interval)
    assert not unexpected


def test_owners_that_vanish_during_iteration(pup, falling):
    p = pup.contact_problem(*falling)
    for contact in p.contacts:
        del p
        gc.collect()
        p = pup.contact_problem(*falling)
        assert contact.normal[2] == 1
    answers = iter(pup.contact_problem(*falling).resolve("poisson"))
    gc.collect()
    assert len(next(answers).p) == 12
    tr = cradle.Sim(pup).run(0.02)
    events = iter(tr.events)
    del tr
    gc.collect()
    list(events)


class Mallinfo(ctypes.Structure):
    """Of glibc: what malloc has given out, exactly; pages of the process come and go with the machine."""
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def held():
    """Bytes that C holds, and blocks that Python holds."""
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Mallinfo
    now = mallinfo()
    return now.uordblks + now.hblkhd, sys.getallocatedblocks()


CALLS = 100_000


@pytest.mark.parametrize("what", ["step", "contact_problem", "resolve", "views", "sim", "check", "outcomes", "errors"])
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs mallinfo2 of glibc")
def test_memory_stays_as_it_is(what, pup, falling, two_balls):
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("AddressSanitizer keeps what is freed")
    ball = cradle.Model("@pendulum:1")
    sim, q, v = cradle.Sim(ball), *falling

    def refused():
        with pytest.raises(cradle.InputError):
            cradle.Model.from_text("<mujoco><worldbody><nonsense/></worldbody></mujoco>")
    call, share = {"step": (sim.step, 1), "contact_problem": (lambda: pup.contact_problem(q, v).W, 1 / 4),
                   "resolve": (lambda: two_balls.resolve("newton")[0].p, 1 / 2), "views": (lambda: (sim.qpos, sim.contacts), 1),
                   "sim": (lambda: cradle.Sim(ball).step(), 1 / 50), "check": (lambda: repr(two_balls.check()), 1 / 200),
                   "outcomes": (lambda: two_balls.outcomes(samples=16, threads=1).v_plus, 1 / 100),
                   "errors": (refused, 1 / 100)}[what]
    n = int(CALLS * share)
    for _ in range(n // 10):
        call()
    before = held()
    for _ in range(n):
        call()
    after = held()
    assert after[0] - before[0] < n  # the smallest piece of malloc has 24 bytes
    assert after[1] - before[1] < 100  # blocks
