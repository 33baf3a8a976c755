#!/usr/bin/python3
"""What Python costs: time of the processor per call beside the same calls in C, in one run; and batches by threads.

    make bench python       CRADLE_GYMNASIUM: a folder with ant.xml, for the batch; without it our quadruped
"""
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

def batch(path):
    model = cradle.Model(path)
    count, steps = 4096, 4
    ctrl = np.random.default_rng(0).uniform(-0.3, 0.3, (count, model.nu))
    ready = {threads: cradle.Batch(model, count, threads=threads, sensors=False) for threads in (1, 2)}
    best = dict.fromkeys(ready, float("inf"))
    for b in ready.values():
        b.step(ctrl, 25)  # down to the ground
    for _ in range(3):
        for threads, b in ready.items():
            start = time.perf_counter()
            b.step(ctrl, steps)
            best[threads] = min(best[threads], time.perf_counter() - start)
    rate = {threads: count * steps / best[threads] for threads in best}
    print(f"\n{Path(path).name}, Batch of {count}: {rate[1]:.3g} steps/s by one thread, {rate[2]:.3g} by two "
          f"({rate[2] / rate[1]:.2f} times; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f})")

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
