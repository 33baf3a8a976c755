#!/usr/bin/python3
"""What Python costs: time of the processor per call beside the same calls in C, in one run; and batches by threads, beside
MuJoCo where it is installed.

    make bench python       CRADLE_GYMNASIUM: a folder with ant.xml, for the batch; without it our quadruped
"""
import ctypes
import os
import statistics
import time
from pathlib import Path

import numpy as np

import cradle
from cradle._core import doubles, lib

MODELS = Path(__file__).resolve().parents[2] / "models"
REPEATS = 15


def beside(python, c, calls):
    """Microseconds per call of both, and what Python adds: medians over interleaved repeats."""
    ours, theirs = [], []
    for _ in range(REPEATS):
        for function, out in ((python, ours), (c, theirs)):
            start = time.thread_time_ns()
            function(calls)
            out.append((time.thread_time_ns() - start) / calls / 1000)
    added = statistics.median(a - b for a, b in zip(ours, theirs))
    return statistics.median(ours), statistics.median(theirs), added


def stepping(model, qpos, qvel):
    sim = cradle.Sim(model)
    sim.reset(qpos, qvel)
    sim.ctrl = model.key(0).ctrl
    saved = sim.save()

    def python(n):
        sim.restore(saved)
        for _ in range(n):
            sim.step()

    def c(n):
        sim.restore(saved)
        sim.step(n)
    return python, c


def problems(model, qpos, qvel):
    def python(n):
        for _ in range(n):
            model.contact_problem(qpos, qvel)

    def c(n):
        assert lib.crdpy_bench_problem(model._handle, doubles(qpos), doubles(qvel), n) == 0
    return python, c


def impacts(problem, law):
    name = next(known for known in cradle.laws if known == law)

    def python(n):
        for _ in range(n):
            problem.resolve(name)

    def c(n):
        assert lib.crdpy_bench_resolve(cradle.impact.law_pointer(name), problem._handle, n) == 0
    return python, c

def mujoco(path, count):
    """MuJoCo's copies of the model (bench/batch_mujoco.h) as a function of controls and threads; None: without it."""
    library = os.environ.get("CRADLE_BATCH_MUJOCO")
    if not library or not os.path.exists(library):
        return None
    c, message = ctypes.CDLL(library), ctypes.create_string_buffer(1000)
    c.batch_mujoco_new.restype = ctypes.c_void_p
    batch = c.batch_mujoco_new(os.fsencode(path), count, message, len(message))
    if not batch:
        print(f"MuJoCo: {message.value.decode()}")
        return None

    def step(ctrl, threads):
        c.batch_mujoco_step(ctypes.c_void_p(batch), ctrl.ctypes.data_as(ctypes.c_void_p), len(ctrl), threads)
    return step


def batch(path):
    """Batches by one and by two threads, by time stepping too, and MuJoCo by the same two, in turns; all get the same
    controls."""
    model = cradle.Model(path, lenient=True)
    count, steps, rounds = 4096, 5, 7
    random = np.random.default_rng(0)
    names = {"cradle, one thread": (1, "rk4"), "cradle, two threads": (2, "rk4"), "cradle moreau, two threads": (2, "moreau")}
    batches = {name: cradle.Batch(model, count, threads=threads, integrator=integrator, sensors=False)
               for name, (threads, integrator) in names.items()}
    ways = {name: (lambda ctrl, b=b: [b.step(u) for u in ctrl]) for name, b in batches.items()}
    theirs = mujoco(path, count)
    if theirs:
        ways["MuJoCo, two threads"] = lambda ctrl: theirs(ctrl, 2)
    wall, cpu = {name: [] for name in ways}, {name: [] for name in ways}
    for k in range(rounds + 1):
        ctrl = random.uniform(-1, 1, (steps if k else 60, count, model.nu))  # first down to the ground
        for name, go in ways.items():
            start, used = time.perf_counter(), time.process_time()
            go(ctrl)
            if k:
                wall[name].append(time.perf_counter() - start), cpu[name].append(time.process_time() - used)
    wall, cpu = ({name: statistics.median(t) / (count * steps) for name, t in times.items()} for times in (wall, cpu))
    print(f"\n{Path(path).name}, {count} members, random controls; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    for name in ways:
        print(f"{name:28} {1 / wall[name]:9.0f} steps/s {1e6 * cpu[name]:9.2f} us of processor a step")
    one, two, stepping = batches
    print(f"two threads / one: {wall[one] / wall[two]:.2f} by the clock, {2 * cpu[one] / cpu[two]:.2f} were the machine idle")
    if theirs:
        peer = "MuJoCo, two threads"
        for name, way in (("cradle", two), ("cradle moreau", stepping)):
            print(f"{name} / MuJoCo: {wall[peer] / wall[way]:.2f} by the clock, {cpu[peer] / cpu[way]:.2f} by time of the processor")
    failed = max(len(b.failed) for b in batches.values())
    if failed:
        print(f"{failed} members failed")


def main():
    model = cradle.Model(MODELS / "pup.xml")
    qpos, qvel = model.key("home").qpos.copy(), np.zeros(model.nv)
    qvel[2] = -1
    problem = model.contact_problem(qpos, qvel)
    ball = cradle.ContactProblem({"M": [[2.0]], "v": [-3.0], "contacts": [{"name": "floor", "n": [1], "e": 0.5}]})
    print(f"{'us per call':28} {'Python':>9} {'C':>9} {'added':>9}")
    for what, pair, calls in [("step, quadruped", stepping(model, qpos, qvel), 500),
                              ("contact_problem, 4 contacts", problems(model, qpos, qvel), 500),
                              ("resolve newton, one contact", impacts(ball, "newton"), 2000),
                              ("resolve moreau, 4 contacts", impacts(problem, "moreau"), 300)]:
        print("{:28} {:9.2f} {:9.2f} {:9.2f}".format(what, *beside(*pair, calls)))
    folder = os.environ.get("CRADLE_GYMNASIUM")
    batch(Path(folder, "ant.xml") if folder else MODELS / "pup.xml")


main()
