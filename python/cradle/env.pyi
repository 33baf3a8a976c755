# Written by python/stubs from env.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
from typing import Any, NamedTuple
import numpy as np
from . import _core
from .batch import Batch
from .model import Model
from .sim import Sim

class Task(NamedTuple):
    frame_skip: int
    hidden: int
    forward: float
    healthy: float
    control: float
    height: tuple[float, float] | None = ...
    height_at: int = ...
    pitch: tuple[float, float] | None = ...
    pitch_at: int = ...
    state: float = ...
    clip: float = ...
    noise: float = ...
    normal: bool = ...
TASKS: Any

class Box:
    shape: Any
    dtype: Any
    low: Any
    high: Any

    def __init__(self, low: Any, high: Any, shape: Any, dtype: Any, seed: Any=None) -> None:
        ...

    def seed(self, seed: Any=None) -> Any:
        ...

    def sample(self) -> NDArray[Any]:
        ...

    def contains(self, x: Any) -> bool:
        ...

    def __repr__(self) -> str:
        ...

class _Locomotion:
    model: Any
    task_name: Any
    task: Any
    max_steps: Any
    noise: Any
    dt: Any
    single_action_space: Any
    single_observation_space: Any
    metadata: Any
    render_mode: Any
    spec: Any

    def __init__(self, model: Any, task: Any, max_steps: Any, noise: Any) -> None:
        ...

    def render(self) -> Any:
        ...

    @property
    def unwrapped(self) -> Any:
        ...

class Env(_Locomotion):
    sim: Any
    action_space: Any
    observation_space: Any

    def __init__(self, model: Any, task: str | None=None, *, max_steps: int | None=1000, noise: float | None=None, **options: Any) -> None:
        ...

    def reset(self, *, seed: int | None=None, options: dict[str, Any] | None=None) -> Any:
        ...

    def step(self, action: Any) -> Any:
        ...

    def close(self) -> Any:
        ...

    def __enter__(self) -> Any:
        ...

    def __exit__(self, *_: Any) -> None:
        ...

class VectorEnv(_Locomotion):
    batch: Any
    num_envs: Any
    action_space: Any
    observation_space: Any

    def __init__(self, model: Any, num_envs: int, task: str | None=None, *, max_steps: int | None=1000, noise: float | None=None, threads: int=0, **options: Any) -> None:
        ...

    def reset(self, *, seed: int | None=None, options: dict[str, Any] | None=None) -> Any:
        ...

    def step(self, actions: Any) -> Any:
        ...

    def close(self) -> Any:
        ...

    def __enter__(self) -> Any:
        ...

    def __exit__(self, *_: Any) -> None:
        ...
