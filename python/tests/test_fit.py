"""Fits of measured impacts: the numbers of the program, data in every form, refusals, Ctrl-C."""
import json
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import cradle
from conftest import ROOT

VERB = (ROOT / "docs" / "verb-fit.md").read_text("utf-8")


def quoted(name):
    """A file that the page of the verb shows."""
    return re.search(rf"<!-- file {re.escape(name)} -->\n```\w+\n(.*?)```", VERB, re.S)[1]


@pytest.fixture
def plate(tmp_path):
    (tmp_path / "plate.jsonl").write_text(quoted("plate.jsonl"))
    return tmp_path / "plate.jsonl"


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def drops(e, count=40, seed=0):
    """A ball of 2 kg that rebounds with e, its speed after measured with noise."""
    random = np.random.default_rng(seed)
    speed = random.uniform(1, 3, count)
    return [{"M": [[2.0]], "v": [-s], "v_plus": [e * s + random.normal(0, 1e-3)], "contacts": [{"name": "floor", "n": [1]}]}
            for s in speed]


def test_a_known_restitution_is_found():
    found = cradle.fit(drops(0.4), ["newton"], fitted=["e"])
    law = found.best
    assert law.law == "newton" and law.rank == 1 and abs(law.value["e"] - 0.4) < 2e-3
    low, high = law.interval["e"]
    assert low < 0.4 < high and high - low < 5e-3 and law.errors.shape == (40,) and law.v_plus.shape == (40, 1)
    assert set(law.interval) == {"e"} and law.determined["e"]


@pytest.mark.parametrize("options", [{}, {"test": "odd"}, {"loss": "huber", "seed": 7, "grid": 12, "resamples": 60},
                                     {"mu": 0.2}, {"coverage": {"mu": 0.1, "e": 0.05}}])
def test_the_numbers_of_the_program(plate, program, options):
    words = [str(w) for name, value in options.items() for w in (
        f"--{name}", ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value)]
    said = program("fit", plate, "--law", "newton,routh", "--json", *words)
    found = cradle.fit(plate, ["newton", "routh"], **options)
    assert found.to_dict() == json.loads(said)
    assert repr(found) == program("fit", plate, "--law", "newton,routh", *words).rstrip("\n")
    assert found["routh"].value["e"] == found.to_dict()["fits"][0]["laws"][1]["e"]["value"]


def test_rows_from_files_dicts_and_problems_are_the_same(plate):
    rows = rows_of(plate)
    problems = [(cradle.ContactProblem({k: v for k, v in row.items() if k != "v_plus"}), np.array(row["v_plus"]))
                for row in rows]
    fits = [cradle.fit(data, "newton", resamples=50) for data in (plate, str(plate), rows, iter(rows), problems)]
    for other in fits[1:]:
        assert other.to_dict()["fits"] == fits[0].to_dict()["fits"] and other.look == fits[0].look
    before = problems[0][0].contacts[0].mu
    cradle.fit(problems, "newton", mu=0.7, resamples=50)
    assert problems[0][0].contacts[0].mu == before


def test_states_of_a_mechanism(tmp_path, program):
    for name in ("ball.xml", "ball.csv"):
        (tmp_path / name).write_text(quoted(name))
    file, model = tmp_path / "ball.csv", tmp_path / "ball.xml"
    said = json.loads(program("fit", file, "--model", model, "--law", "newton", "--json"))
    found = cradle.fit(file, ["newton"], model=cradle.Model(model))
    assert found.to_dict() == said
    m = cradle.Model(model)
    table = np.array([[float(x) for x in line.split(",")] for line in file.read_text("utf-8").splitlines()[1:]])
    states = table[:, :m.nq], table[:, m.nq:m.nq + m.nv], table[:, m.nq + m.nv:]
    assert cradle.fit(states, ["newton"], model=m).to_dict()["fits"] == said["fits"]
    high = states[0] + np.array([0, 0, 1, 0, 0, 0, 0])
    with pytest.raises(cradle.InputError, match="no contact within 0.001 m"):
        cradle.fit((high, *states[1:]), ["newton"], model=m)


def test_groups_have_coefficients_of_their_own():
    rows = [{**row, "group": name} for name, e in (("soft", 0.2), ("hard", 0.8)) for row in drops(e)]
    found = cradle.fit(rows, ["newton"], fitted=["e"], by_group=True)
    assert found.groups == ["soft", "hard"]
    assert abs(found.group("soft")[0].value["e"] - 0.2) < 2e-3 and abs(found.group("hard")[0].value["e"] - 0.8) < 2e-3
    with pytest.raises(KeyError, match="group: found 'wet', expected one of soft, hard"):
        found.group("wet")


def test_bad_rows_are_left_out_with_a_warning(plate):
    rows = rows_of(plate)
    rows[3]["v_plus"] = [1.0]
    with pytest.warns(cradle.RowsLeftOut, match="1 of 24 rows are left out; row 4: "):
        found = cradle.fit(rows, ["newton"], resamples=50)
    assert len(found.bad) == 1 and "row 4" in found.bad[0] and "1 bad rows left out" in repr(found) and found.rows == 24


def test_shown_and_pickled(plate):
    found = cradle.fit(plate, ["newton", "moreau"], resamples=50)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict() and repr(again) == repr(found)
    table = found.to_pandas()
    assert list(table.law) == ["newton", "moreau"] and {"e", "e_low", "mu_high", "error"} <= set(table.columns)
    assert [law.law for law in found] == ["newton", "moreau"] and len(found) == 2
    assert found["moreau"].surface.shape == (len(found.e), len(found.mu)) == (20, 20)


def test_refusals_name_the_argument(plate, tmp_path):
    row = drops(0.5, 1)
    problem = cradle.ContactProblem({"M": [[2.0]], "v": [-3.0], "contacts": [{"n": [1]}]})
    for data, options, kind, text in [
            (3, {}, TypeError, "data: found int"), ([], {}, ValueError, "data: found no rows"),
            ([3], {}, TypeError, "data: found int in row 1"), (plate, {"laws": "newtn"}, ValueError, "law: found 'newtn'"),
            (plate, {"laws": []}, ValueError, "laws: found none"), (plate, {"fitted": "e"}, TypeError, "fitted: found str"),
            (plate, {"fitted": ["nu"]}, ValueError, "fitted: found 'nu'"),
            (plate, {"fitted": []}, ValueError, "nothing left to fit"),
            (plate, {"ranges": {"e": (0, 2)}}, ValueError, r"ranges\['e'\]"), (plate, {"grid": 1}, ValueError, "grid"),
            (plate, {"loss": "least"}, ValueError, "loss"), (plate, {"test": "even"}, ValueError, "test"),
            (plate, {"facets": 7}, ValueError, "facets: found 7"), (plate, {"mu": -1}, ValueError, "mu: found -1"),
            (plate, {"coverage": {"nu": 1}}, ValueError, "coverage: found 'nu'"),
            (plate, {"coverage": 3}, TypeError, "coverage: found int"), (row, {"test": "odd"}, ValueError, "too few"),
            ([(problem, [1.0, 2.0])], {}, ValueError, r"v_plus: found shape \(2,\)"),
            ([(problem, [np.nan])], {}, ValueError, "v_plus: found nan"),
            (([[0]], [[0]]), {"model": "@pendulum:1"}, ValueError, "data: found 2 arrays"),
            (([[0]], [[0]], [[0, 1]]), {"model": "@pendulum:1"}, ValueError, r"qvel_plus: found shape \(1, 2\)")]:
        with pytest.raises(kind, match=text):
            cradle.fit(data, **options)
    with pytest.raises(cradle.FileError, match="absent"):
        cradle.fit(tmp_path / "absent.jsonl")
    (tmp_path / "text.jsonl").write_text("no json\n")
    with pytest.raises(cradle.InputError):
        cradle.fit(tmp_path / "text.jsonl")


def test_motions_have_the_numbers_of_the_program(tmp_path, program):
    for name in ("ball.xml", "motions.csv"):
        (tmp_path / name).write_text(quoted(name))
    model, motions = tmp_path / "ball.xml", tmp_path / "motions.csv"
    for options in ({"dt": 0.01}, {"dt": 0.01, "piece": 0.3}):
        words = [str(w) for name, value in options.items() for w in (f"--{name}", value)]
        said = program("fit", "--model", model, "--trajectories", motions, "--law", "newton", "--mu", "0.3", "--json", *words)
        found = cradle.fit(motions, ["newton"], model=model, trajectories=True, mu=0.3, **options)
        assert found.to_dict() == json.loads(said)
        assert "piece" in options or abs(found.best.value["e"] - 0.7) < 1e-3  # a piece has no velocities to begin with
    rows = [line.split(",") for line in motions.read_text().splitlines()[1:]]
    tosses = [(np.array([row[:8] for row in rows if row[8] == name], float), name) for name in "ab"]
    again = cradle.fit([(a[:, 0], a[:, 1:], None, name) for a, name in tosses], ["newton"], model=model, trajectories=True, mu=0.3,
                       dt=0.01, piece=0.3)
    assert again.best.value == found.best.value and again.look["samples"] == found.look["samples"]
    t, q = tosses[0][0][:, 0], tosses[0][0][:, 1:]
    with pytest.warns(cradle.RowsLeftOut, match="row 2"):
        cradle.fit([(t, q), (t[::-1], q)], ["newton"], model=model, trajectories=True, mu=0.3, dt=0.01)
    for data, options, text in [
            ([(t, q)], {}, "no model"), ([(t, q)], {"model": model, "coverage": {"mu": 0.1}}, "coverage"),
            ([(t, q)], {"model": model, "fitted": ["slope"]}, "e and mu"), ([(t, q[:, 1:])], {"model": model}, "qpos: found shape"),
            ([(t[:1], q[:1])], {"model": model}, "motion 1"), ([(t, q)], {"model": model, "piece": -1}, "piece")]:
        with pytest.raises(ValueError, match=text):
            cradle.fit(data, ["newton"], trajectories=True, **options)
    with pytest.raises(ValueError, match="no trajectories"):
        cradle.fit([(t, q)], piece=1)


def test_placed_coefficients(plate, program):
    said = program("fit", plate, "--law", "routh", "--json", "--fit", "e,mu,inertia:3,offset:3", "--resamples", "50")
    found = cradle.fit(plate, ["routh"], fitted=["e", "mu", "inertia:3", "offset:3"], resamples=50)
    assert found.to_dict() == json.loads(said) and set(found.best.interval) == {"e", "mu", "inertia", "offset"}
    for name in ("inertia", "inertia:0", "inertia:2-1", "offset:1-2", "mu:1", "offset:"):
        with pytest.raises(ValueError, match="fitted: found"):
            cradle.fit(plate, ["routh"], fitted=[name])
    with pytest.raises(ValueError, match="velocity 4, expected at most 3"):
        cradle.fit(plate, ["routh"], fitted=["inertia:4"])


INTERRUPTED = """
import os, signal, sys, threading, time
import cradle
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.process_time()   # of the processor: the machine may be busy with others
try:
    cradle.fit(sys.argv[1], grid=200, resamples=100000, threads=1)
    print("it ended by itself")
except KeyboardInterrupt:
    print("in time" if time.process_time() - start < float(sys.argv[2]) else "late")
"""


def test_ctrl_c_ends_it_within_half_a_second(plate):
    slower = 5 if "asan" in os.environ.get("LD_PRELOAD", "") else 1
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, str(plate), str(0.5 + 0.5 * slower)], capture_output=True,
                          text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "in time\n"), done.stderr
