"""Environments in the manner of Gymnasium for locomotion: ant, hopper, half-cheetah, walker and humanoid, from model files
given by path (those of Gymnasium and dm_control-like ones with the same joints). gymnasium itself need not be installed.

    env = cradle.env.Env("hopper.xml")
    obs, info = env.reset(seed=0)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())

    envs = cradle.env.VectorEnv("hopper.xml", 1000)      # the same on a Batch

Observations are qpos without the position along the ground, then qvel. The reward is forward velocity, plus a bonus while
healthy, less the cost of control; terminated where the body is no longer healthy (TASKS has the numbers).
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from .batch import Batch
from .model import Model
from .sim import Sim


class Task(NamedTuple):
    """What a locomotion task asks for."""
    frame_skip: int  #: steps of the model in a step of the environment
    hidden: int  #: first entries of qpos that are not observed (place along the ground)
    forward: float  #: reward for 1 m/s along x
    healthy: float  #: reward while healthy
    control: float  #: cost of the sum of squares of ctrl
    height: tuple[float, float] | None = None  #: healthy heights (entry of qpos), m; None: always healthy
    height_at: int = 2
    pitch: tuple[float, float] | None = None  #: healthy angles, rad
    pitch_at: int = 2
    state: float = np.inf  #: healthy: all entries but the hidden ones are smaller
    clip: float = np.inf  #: observed velocities are clipped to it
    noise: float = 0.1  #: of the first state
    normal: bool = False  #: noise of velocities is normal, else uniform


TASKS = {
    "ant": Task(5, 2, 1.0, 1.0, 0.5, height=(0.2, 1.0), normal=True),
    "half_cheetah": Task(5, 1, 1.0, 0.0, 0.1, normal=True),
    "hopper": Task(4, 1, 1.0, 1.0, 1e-3, height=(0.7, np.inf), height_at=1, pitch=(-0.2, 0.2), state=100.0, clip=10.0,
                   noise=5e-3),
    "walker2d": Task(4, 1, 1.0, 1.0, 1e-3, height=(0.8, 2.0), height_at=1, pitch=(-1.0, 1.0), clip=10.0, noise=5e-3),
    "humanoid": Task(5, 2, 1.25, 5.0, 0.1, height=(1.0, 2.0), noise=1e-2),
}
_WORDS = {"ant": "ant", "cheetah": "half_cheetah", "hopper": "hopper", "walker": "walker2d", "humanoid": "humanoid"}


class Box:
    """A box of numbers, where gymnasium is not installed."""

    def __init__(self, low, high, shape, dtype, seed=None):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.low, self.high = (np.broadcast_to(np.asarray(x, dtype), shape) for x in (low, high))
        self._random = np.random.default_rng(seed)

    def seed(self, seed=None):
        """Begins the random numbers anew."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        """A random point of the box (shape): uniform where it has bounds, else normal."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 1)
        return np.where(bounded, self._random.uniform(low, high), self._random.normal(size=self.shape)).astype(self.dtype)

    def contains(self, x) -> bool:
        """Whether it has the shape and lies within the bounds."""
        x = np.asarray(x)
        return x.shape == self.shape and bool(((x >= self.low) & (x <= self.high)).all())

    __contains__ = contains

    def __repr__(self):
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


def _box(low, high, shape, dtype):
    try:
        from gymnasium.spaces import Box as Theirs
    except ImportError:
        return Box(low, high, shape, dtype)
    return Theirs(np.broadcast_to(low, shape).astype(dtype), np.broadcast_to(high, shape).astype(dtype), dtype=dtype)


class _Locomotion:
    """What single and vectorised environments share: spaces, observations, rewards, first states."""

    metadata = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, model, task, max_steps, noise):
        self.model = model if isinstance(model, Model) else Model(model)
        name = task if task is not None else self._guess()
        if name not in TASKS:
            raise ValueError(f"task: found {name!r}, expected one of {', '.join(TASKS)}")
        self.task_name, self.task = name, TASKS[name]
        if self.model.nu == 0 or self.model.nq <= self.task.hidden:
            raise ValueError(f"model: found {self.model.nu} actuators, expected a walking mechanism with some")
        self.max_steps = None if max_steps is None else _core.count("max_steps", max_steps, 1)
        self.noise = self.task.noise if noise is None else _core.number("noise", noise, 0)
        self.dt = self.model.timestep * self.task.frame_skip
        m = self.model._m
        limited = [bool(m.actuator[i].ctrl_limited) for i in range(self.model.nu)]
        ranges = np.array([list(m.actuator[i].ctrl_range) if limited[i] else [-np.inf, np.inf]
                           for i in range(self.model.nu)])
        self._low, self._high = ranges.T
        self._first = self.model.key(0).qpos if m.nkey else self.model.qpos0
        self.single_action_space = _box(self._low, self._high, (self.model.nu,), np.float32)
        self.single_observation_space = _box(-np.inf, np.inf, (self.model.nq - self.task.hidden + self.model.nv,),
                                             np.float64)
        self._random = np.random.default_rng()

    def _guess(self):
        for text in (self.model.name, self.model.input.rsplit("/", 1)[-1]):
            for word, name in _WORDS.items():
                if word in text.lower():
                    return name
        return f"of {self.model.input}"

    def _first_states(self, n):
        m = self.model
        q = self._first + self._random.uniform(-self.noise, self.noise, (n, m.nq))
        v = (self.noise * self._random.standard_normal((n, m.nv)) if self.task.normal
             else self._random.uniform(-self.noise, self.noise, (n, m.nv)))
        for i in range(m._m.njoint):  # turned bodies stay turned by a unit quaternion
            joint = m._m.joint[i]
            at = {0: joint.q + 3, 1: joint.q}.get(joint.type)
            if at is not None:
                q[:, at:at + 4] /= np.linalg.norm(q[:, at:at + 4], axis=1, keepdims=True)
        return q, v

    def _observe(self, q, v):
        return np.concatenate([q[..., self.task.hidden:], np.clip(v, -self.task.clip, self.task.clip)], axis=-1)

    def _healthy(self, q, v):
        t = self.task
        good = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
        if t.height is not None:
            good &= (q[..., t.height_at] > t.height[0]) & (q[..., t.height_at] < t.height[1])
        if t.pitch is not None:
            good &= (q[..., t.pitch_at] > t.pitch[0]) & (q[..., t.pitch_at] < t.pitch[1])
        if np.isfinite(t.state):
            good &= (np.abs(q[..., 2:]) < t.state).all(axis=-1) & (np.abs(v) < t.state).all(axis=-1)
        return good

    def _reward(self, before, q, v, ctrl):
        """Reward, its parts, and whether still healthy."""
        t = self.task
        speed = (q[..., 0] - before) / self.dt
        healthy = self._healthy(q, v)
        parts = {"reward_forward": t.forward * speed, "reward_survive": t.healthy * healthy,
                 "reward_ctrl": -t.control * np.square(ctrl).sum(axis=-1), "x_velocity": speed,
                 "x_position": q[..., 0].copy() if q.ndim > 1 else float(q[0])}
        return (parts["reward_forward"] + parts["reward_survive"] + parts["reward_ctrl"], parts,
                healthy if t.height is not None else np.ones_like(healthy))

    def _action(self, action, shape):
        a = np.asarray(action)
        if a.dtype.kind not in "fiu":
            raise TypeError(f"action: found dtype {a.dtype}, expected numbers")
        if a.shape != shape:
            raise ValueError(f"action: found shape {a.shape}, expected {shape}")
        if not np.isfinite(a).all():
            raise ValueError("action: found a number that is not finite, expected finite numbers")
        return np.clip(a.astype(np.float64), self._low, self._high)

    def render(self):
        """None: there are no pictures; Sim.run records what the page shows."""
        return None

    @property
    def unwrapped(self):
        """Itself."""
        return self


class Env(_Locomotion):
    """One environment. model: a path or a Model; task: one of TASKS, None: by the name of the model or file.

    max_steps: after which it is truncated, None: never. noise: of the first state, None: the task's. Other options as of
    Sim.
    """

    def __init__(self, model, task: str | None = None, *, max_steps: int | None = 1000, noise: float | None = None,
                 **options):
        super().__init__(model, task, max_steps, noise)
        self.sim = Sim(self.model, **{"ignore_overlaps": True, **options})
        self.action_space, self.observation_space = self.single_action_space, self.single_observation_space
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """The first observation and {}. seed: of what is random from now on."""
        import warnings
        if seed is not None:
            self._random = np.random.default_rng(seed)
            self.action_space.seed(seed)
        q, v = self._first_states(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # noise may sink feet into the floor
            self.sim.reset(q[0], v[0])
        self._steps = 0
        return self._observe(self.sim.qpos, self.sim.qvel), {}

    def step(self, action):
        """Observation, reward, terminated, truncated, info. A step that the contact problem has no answer to
        terminates, and info["failed"] says why."""
        ctrl = self._action(action, self.action_space.shape)
        before, failed = self.sim.qpos[0], None
        self.sim.ctrl[:] = ctrl
        try:
            self.sim.step(self.task.frame_skip)
        except _core.Verdict as verdict:
            failed = str(verdict)
        self._steps += 1
        reward, info, healthy = self._reward(before, self.sim.qpos, self.sim.qvel, ctrl)
        info = {name: float(value) for name, value in info.items()}
        if failed:
            info["failed"] = failed
        truncated = self.max_steps is not None and self._steps >= self.max_steps
        return (self._observe(self.sim.qpos, self.sim.qvel), float(reward), bool(not healthy) or failed is not None,
                truncated, info)

    def close(self):
        """Ends it; what it showed stays valid."""
        self.sim.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class VectorEnv(_Locomotion):
    """num_envs environments on a Batch. Observations (num_envs, n), rewards, terminated and truncated (num_envs).

    An environment that ends is reset in the same step: its observation is the first one of the next episode,
    info["final_obs"] has the last of this one, and info["_final_obs"] says where (Gymnasium's same-step autoreset).
    """

    def __init__(self, model, num_envs: int, task: str | None = None, *, max_steps: int | None = 1000,
                 noise: float | None = None, threads: int = 0, **options):
        super().__init__(model, task, max_steps, noise)
        self.batch = Batch(self.model, num_envs, threads=threads, sensors=False, **{"ignore_overlaps": True, **options})
        self.num_envs = self.batch.count
        n = self.num_envs
        self.action_space = _box(self._low, self._high, (n, self.model.nu), np.float32)
        self.observation_space = _box(-np.inf, np.inf, (n, *self.single_observation_space.shape), np.float64)
        self._steps = np.zeros(n, int)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """The first observations (num_envs, n) and {}."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
            self.action_space.seed(seed)
        self.batch.reset(*self._first_states(self.num_envs))
        self._steps[:] = 0
        return self._observe(self.batch.qpos, self.batch.qvel), {}

    def step(self, actions):
        """Observations, rewards, terminated, truncated, info; info["failed"]: numbers of those whose step failed."""
        ctrl = self._action(actions, self.action_space.shape)
        before = self.batch.qpos[:, 0].copy()
        self.batch.step(ctrl, self.task.frame_skip)
        self._steps += 1
        failed = self.batch.status != 0
        q, v = self.batch.qpos, self.batch.qvel
        rewards, info, healthy = self._reward(before, q, v, ctrl)
        terminated = ~healthy | failed
        truncated = np.zeros_like(terminated) if self.max_steps is None else self._steps >= self.max_steps
        info["failed"] = np.flatnonzero(failed)
        obs, ended = self._observe(q, v), terminated | truncated
        if ended.any():
            which = np.flatnonzero(ended)
            info["final_obs"], info["_final_obs"] = obs.copy(), ended
            self.batch.reset(*self._first_states(len(which)), members=which)
            self._steps[which] = 0
            obs[which] = self._observe(self.batch.qpos[which], self.batch.qvel[which])
        return obs, rewards, terminated, truncated, info

    def close(self):
        """Ends it; what it showed stays valid."""
        self.batch.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
