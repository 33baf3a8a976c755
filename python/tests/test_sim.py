"""Simulations and traces: closed forms, the ledger, control, files."""
import json
import pickle

import numpy as np
import pytest

import cradle
from conftest import BALL

@pytest.fixture
def ball():
    return cradle.Model.from_text(BALL)


def test_free_fall_is_the_parabola(ball):
    sim = cradle.Sim(ball)
    for _ in range(20):
        sim.step()
    assert sim.time == pytest.approx(0.2)
    assert sim.qpos[2] == pytest.approx(1 - 0.5 * 9.81 * 0.04, rel=1e-12)
    assert sim.qvel[2] == pytest.approx(-9.81 * 0.2, rel=1e-12)
    assert np.allclose(sim.sensor("where"), sim.qpos[:3]) and sim.sensor("clock")[0] == pytest.approx(0.2)


def test_a_ball_bounces_at_its_time_and_by_e(ball):
    tr = cradle.Sim(ball, e=0.5).run(0.6)
    t = np.sqrt(2 * 0.9 / 9.81)
    first = tr.events[0]
    assert first["kind"] == "impact" and first["contact"] == "ball" and first["t"] == pytest.approx(t, rel=1e-9)
    assert first["approach"] == pytest.approx(9.81 * t, rel=1e-9)
    assert tr.events.qvel[0, 2] == pytest.approx(0.5 * 9.81 * t, rel=1e-9)
    assert tr.events.qvel_before[0, 2] == pytest.approx(-9.81 * t, rel=1e-9)
    m = 4 / 3 * np.pi * 1e-3 * 1000
    assert tr.energy["impact"][-1] == pytest.approx(-0.75 * m * 9.81 * 0.9, rel=1e-9)


def test_the_ledger_closes(pup, falling):
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    sim.ctrl = pup.key("home").ctrl
    tr = sim.run(0.2)
    e = tr.energy
    others = sum(e[part] for part in ("actuation", "damping", "impact", "contact", "loop", "imposed", "integration"))
    assert np.allclose(e["kinetic"] + e["potential"], e["start"] + others, rtol=1e-12)
    assert len(tr) == 101 and tr.t[-1] == pytest.approx(0.2) and e["impact"][-1] < 0
    assert tr.qpos.shape == (101, pup.nq) and tr.offset[-1] == len(tr.contacts) == len(tr.contact_names)
    assert np.array_equal(tr.qpos[-1], sim.qpos)
    assert sim.energy["kinetic"] == e["kinetic"][-1] and sim.counters["steps"] == 100 == tr.counters["steps"]


def test_control_and_forces_act(pup):
    sim = cradle.Sim(pup)
    sim.reset(pup.key("home").qpos)
    still = pup.key("home").ctrl
    sim.ctrl[:] = still
    sim.step(50)
    low = sim.qpos[2]
    sim.tau[2] = 1.5 * pup.mass * 9.81  # lifts it at half of g
    sim.step(50)
    assert sim.qpos[2] > low + 0.01
    sim.reset(pup.key("home").qpos)
    assert not sim.ctrl.any() and not sim.tau.any()
    free = cradle.Sim(cradle.Model.from_text(BALL))
    free.tau[0] = 3.0
    free.step(10)
    m = 4 / 3 * np.pi * 1e-3 * 1000
    assert free.qvel[0] == pytest.approx(3.0 / m * 0.1, rel=1e-9)


def test_every_row_and_the_rest(ball):
    tr = cradle.Sim(ball).run(0.1, every=3)
    assert np.allclose(tr.t, [0, .03, .06, .09, .1])
    tr = cradle.Sim(ball).run(0.025)
    assert np.allclose(tr.t, [0, .01, .02, .025])
    assert len(cradle.Sim(ball).run(0.0)) == 1


def test_traces_are_written_and_read_back(pup, falling, tmp_path):
    sim = cradle.Sim(pup, seed=7)
    sim.reset(*falling)
    tr = sim.run(0.1)
    tr.save(tmp_path / "x.h5")
    for again in (cradle.open(tmp_path / "x.h5"), pickle.loads(pickle.dumps(tr))):
        for name in ("t", "qpos", "qvel", "s", "penetration"):
            assert np.array_equal(getattr(again, name), getattr(tr, name))
        assert np.array_equal(again.events.array["t"], tr.events.array["t"]) and again.seed == 7
        assert again.events.contacts == tr.events.contacts and again.contact_names == tr.contact_names
        assert np.array_equal(again.contacts["impulse_n"], tr.contacts["impulse_n"])
        assert again.model.nq == pup.nq
    tr.save(tmp_path / "x.csv")
    head = (tmp_path / "x.csv").read_text("utf-8").splitlines()
    assert len(head) > len(tr)
    with pytest.raises(cradle.InputError, match="ending"):
        tr.save(tmp_path / "x.txt")


def test_the_program_writes_what_we_read(pup, tmp_path, program):
    from conftest import MODELS
    file = tmp_path / "run.h5"
    program("run", MODELS / "pup.xml", "--time", "0.1", "-o", file)
    theirs = cradle.open(file)
    sim = cradle.Sim(pup, clear_start=False)
    key = pup.key("home")
    sim.reset(key.qpos, key.qvel)
    sim.ctrl = key.ctrl
    ours = sim.run(0.1)
    assert np.array_equal(ours.t, theirs.t) and np.array_equal(ours.qpos, theirs.qpos)
    said = json.loads(program("run", MODELS / "pup.xml", "--time", "0.1", "--json"))
    mine = ours.to_dict()
    for name in ("steps", "impacts", "energy", "qpos", "qvel", "events"):
        assert mine[name] == said[name]


def test_saved_and_pickled_simulations_go_on_with_the_same_bits(pup, falling):
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    sim.ctrl = pup.key("home").ctrl
    sim.step(20)
    saved, copy = sim.save(), pickle.loads(pickle.dumps(sim))
    sim.step(20)
    end = sim.qpos.copy()
    copy.step(20)
    assert np.array_equal(copy.qpos, end)
    sim.restore(saved)
    sim.step(20)
    assert np.array_equal(sim.qpos, end)


def test_overlaps_are_moved_apart_with_a_warning_or_refused(pup):
    q = pup.key("home").qpos.copy()
    q[2] -= 0.01
    with pytest.warns(cradle.StateMoved, match="overlap"):
        cradle.Sim(pup).reset(q)
    with pytest.raises(cradle.InputError, match="overlap"):
        cradle.Sim(pup, clear_start=False).reset(q)


def test_refusals_name_the_argument(pup):
    sim = cradle.Sim(pup)
    for options, kind, text in [({"integrator": "rk5"}, ValueError, "integrator: found 'rk5'"),
                                ({"timestep": 0}, ValueError, "timestep"), ({"law": "x"}, ValueError, "law"),
                                ({"colour": 1}, TypeError, "colour"), ({"e": 2}, ValueError, "e: found 2"),
                                ({"facets": 1}, ValueError, "facets"), ({"seed": -1}, ValueError, "seed")]:
        with pytest.raises(kind, match=text):
            cradle.Sim(pup, **options)
    with pytest.raises(TypeError, match="model: found str"):
        cradle.Sim("pup.xml")
    with pytest.raises(ValueError, match="qpos"):
        sim.reset([1, 2])
    sim.ctrl[3] = np.nan
    with pytest.raises(ValueError, match="ctrl: found nan at index 3"):
        sim.step()
    with pytest.raises(ValueError, match="ctrl: found nan at index 3"):
        sim.run(1.0)
    sim.ctrl[3], sim.tau[0] = 0, np.inf
    with pytest.raises(ValueError, match="tau: found inf"):
        sim.step()
    with pytest.raises(ValueError, match=r"ctrl: found shape \(2,\)"):
        sim.ctrl = [1, 2]
    with pytest.raises(KeyError, match="sensor: found 'eye', expected one of imu, gyro"):
        sim.sensor("eye")
    with pytest.raises(ValueError, match="duration"):
        sim.run(-1)
    with pytest.raises(ValueError, match="saved"):
        sim.restore(b"123")
    with pytest.raises(ValueError, match="saved"):
        sim.restore(sim.save()[:-9] + b"x")


def test_to_pandas_and_html(pup, falling):
    sim = cradle.Sim(pup)
    sim.reset(*falling)
    tr = sim.run(0.02)
    assert len(tr.events.to_pandas()) == len(tr.events) and len(tr.to_pandas()) == len(tr)
    assert set(tr.energy.to_pandas().columns) == set(tr.energy)
    assert "<iframe" in tr._repr_html_()


def test_pushes_act_for_one_step(ball):
    sim = cradle.Sim(ball)
    m = 4 / 3 * np.pi * 1e-3 * 1000
    sim.wrench("ball", force=[2, 0, 0])
    sim.wrench(1, force=[1, 0, 0], torque=[0, 0, 0.01])
    sim.step(3)
    assert sim.qvel[0] == pytest.approx(3 / m * 0.01, rel=1e-9)
    assert sim.qvel[5] == pytest.approx(0.01 / (0.4 * m * 0.01) * 0.01, rel=1e-9)
    assert sim.qacc[2] == pytest.approx(-9.81)
    with pytest.raises(KeyError, match="body: found 'cat'"):
        sim.wrench("cat")
    with pytest.raises(ValueError, match=r"force: found shape \(2,\)"):
        sim.wrench(1, force=[1, 2])
    with pytest.raises(ValueError, match="body: found 9"):
        sim.wrench(9)


def test_a_state_that_is_set_is_a_line_of_the_ledger(ball):
    sim = cradle.Sim(ball)
    sim.step(5)
    before = sim.energy
    q = sim.qpos.copy()
    q[2] += 1
    sim.set_state(q)
    m = 4 / 3 * np.pi * 1e-3 * 1000
    assert sim.energy["imposed"] == pytest.approx(m * 9.81, rel=1e-9) and sim.time == pytest.approx(0.05)
    assert sim.energy["start"] == before["start"]
