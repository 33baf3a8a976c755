"""Batches and environments: the same bits as single simulations, failures, rollouts, Gymnasium's manner."""
import pickle

import numpy as np
import pytest

import cradle
from conftest import MODELS


@pytest.fixture(scope="module")
def hopper():
    return cradle.Model(MODELS / "hopper.xml")


def controls(n, nu, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (n, nu))


@pytest.mark.parametrize("threads", [1, 2])
def test_members_move_like_single_simulations(hopper, threads):
    n, u = 5, controls(5, 3)
    batch = cradle.Batch(hopper, n, threads=threads)
    assert batch.qpos.shape == (n, 6) and batch.ctrl.shape == (n, 3) and not batch.failed.size
    for _ in range(40):
        batch.step(u)
    for i in range(n):
        sim = cradle.Sim(hopper, seed=i)
        sim.ctrl = u[i]
        sim.step(40)
        assert np.array_equal(batch.qpos[i], sim.qpos) and np.array_equal(batch.qvel[i], sim.qvel)
        assert batch.time[i] == sim.time


def test_rollouts_are_steps(hopper):
    n, length = 4, 6
    u = np.random.default_rng(1).uniform(-1, 1, (length, n, 3))
    one, two = cradle.Batch(hopper, n), cradle.Batch(hopper, n)
    roll = one.rollout(u, n=5)
    for t in range(length):
        two.step(u[t], n=5)
        assert np.array_equal(roll.qpos[t], two.qpos) and np.array_equal(roll.qvel[t], two.qvel)
    assert roll.time.shape == (length, n) and roll.time[-1, 0] == pytest.approx(0.075)
    assert one.rollout(length=2).qpos.shape == (2, n, 6)


def test_resets_of_some_and_of_all(hopper):
    batch = cradle.Batch(hopper, 4)
    batch.step(controls(4, 3), n=20)
    q = hopper.qpos0.copy()
    q[1] += 0.5
    before = batch.qpos.copy()
    batch.reset(q, members=[1, 3])
    assert np.array_equal(batch.qpos[[1, 3]], [q, q]) and np.array_equal(batch.qpos[[0, 2]], before[[0, 2]])
    assert np.allclose(batch.time, [0.05, 0, 0.05, 0], rtol=1e-12) and not batch.ctrl[1].any()
    batch.reset()
    assert np.array_equal(batch.qpos, np.tile(hopper.qpos0, (4, 1)))
    batch.reset(members=[])


def test_a_failed_member_stands_still_and_says_why(pup):
    batch = cradle.Batch(pup, 3, clear_start=False)
    sunk = pup.key("home").qpos.copy()
    sunk[2] -= 0.05
    batch.reset(np.stack([pup.key("home").qpos, sunk, pup.key("home").qpos]))
    assert batch.failed.tolist() == [1] and "overlap" in batch.message(1) and batch.message(0) == ""
    batch.step(n=3)
    assert batch.time[0] == pytest.approx(0.006) and batch.time[1] == 0


def test_members_as_simulations_and_back(hopper):
    u = controls(2, 3)
    batch = cradle.Batch(hopper, 2)
    batch.step(u, n=30)
    sim = batch.sim(1)
    assert np.array_equal(sim.qpos, batch.qpos[1]) and np.array_equal(sim.ctrl, u[1])
    sim.step(10)
    batch.step(n=10)
    assert np.array_equal(sim.qpos, batch.qpos[1])
    batch.put(0, sim)
    assert np.array_equal(batch.qpos[0], sim.qpos)
    again = pickle.loads(pickle.dumps(batch))
    again.step(n=5)
    batch.step(n=5)
    assert np.array_equal(again.qpos, batch.qpos)


def test_refusals_name_the_argument(hopper):
    batch = cradle.Batch(hopper, 2)
    for call, text in [(lambda: batch.step(np.zeros((3, 3))), r"ctrl: found shape \(3, 3\), expected \(2, 3\)"),
                       (lambda: batch.step([[0, 0, np.nan]] * 2), r"ctrl: found nan at \[0, 2\]"),
                       (lambda: batch.step(n=0), "n: found 0"), (lambda: cradle.Batch(hopper, 0), "count: found 0"),
                       (lambda: batch.reset(members=[2]), "members"), (lambda: batch.reset(members=[0, 0]), "members"),
                       (lambda: batch.reset(np.zeros(3)), r"qpos: found shape \(3,\)"),
                       (lambda: batch.rollout(np.zeros((2, 2))), "ctrl: found shape"), (lambda: batch.sim(5), "member"),
                       (lambda: batch.rollout(length=0), "length")]:
        with pytest.raises(ValueError, match=text):
            call()
    batch.ctrl[1, 1] = np.inf
    with pytest.raises(ValueError, match="ctrl: found inf"):
        batch.step()


def test_an_environment_in_gymnasiums_manner(hopper):
    env = cradle.env.Env(hopper, max_steps=7)
    obs, info = env.reset(seed=3)
    assert obs.shape == env.observation_space.shape == (11,) and info == {} and env.task_name == "hopper"
    assert env.action_space.contains(env.action_space.sample()) and env.dt == pytest.approx(0.01)
    x, ended = env.sim.qpos[0], False
    for k in range(7):
        action = env.action_space.sample()
        obs, reward, terminated, truncated, info = env.step(action)
        speed = (env.sim.qpos[0] - x) / 0.01
        x = env.sim.qpos[0]
        healthy = not terminated
        assert info["x_velocity"] == pytest.approx(speed)
        assert reward == pytest.approx(speed + healthy - 1e-3 * np.square(action.astype(float)).sum())
        assert np.array_equal(obs[:5], env.sim.qpos[1:]) and truncated == (k == 6)
    one, two = cradle.env.Env(hopper), cradle.env.Env(hopper)
    assert np.array_equal(one.reset(seed=5)[0], two.reset(seed=5)[0])
    assert not np.array_equal(one.reset()[0], two.reset(seed=6)[0])
    with pytest.raises(ValueError, match="task: found"):
        cradle.env.Env(cradle.Model("@four-bar"))
    with pytest.raises(ValueError, match=r"action: found shape \(2,\), expected \(3,\)"):
        env.step([0, 0])


def test_a_fall_terminates(hopper):
    env = cradle.env.Env(hopper)
    env.reset(seed=0)
    turning = np.zeros(6)
    turning[2] = 2.0  # rad/s: pitch passes 0.2 rad
    env.sim.set_state(qvel=turning)
    for _ in range(200):
        *_, terminated, truncated, _ = env.step([0, 0, 0])
        if terminated:
            break
    assert terminated and not truncated and not env._healthy(env.sim.qpos, env.sim.qvel)


def test_many_environments(hopper):
    envs = cradle.env.VectorEnv(hopper, 6, max_steps=30)
    obs, _ = envs.reset(seed=1)
    assert obs.shape == (6, 11) and envs.action_space.shape == (6, 3)
    ends = 0
    for k in range(40):
        obs, rewards, terminated, truncated, info = envs.step(envs.action_space.sample())
        ended = terminated | truncated
        ends += ended.sum()
        assert rewards.shape == (6,) and np.isfinite(obs).all()
        if ended.any():
            assert np.array_equal(info["_final_obs"], ended) and (envs.batch.time[ended] == 0).all()
            assert not np.array_equal(info["final_obs"][ended], obs[ended])
    assert ends >= 6
