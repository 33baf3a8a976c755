# Written by python/stubs from batch.py.
from __future__ import annotations
from typing import Any
from typing import NamedTuple
import numpy as np
from . import _core
from .model import Model
from .sim import Sim, sim_options

class Rollout(NamedTuple):
    time: np.ndarray
    qpos: np.ndarray
    qvel: np.ndarray
    act: np.ndarray
    sensors: np.ndarray | None

class Batch:

    def __init__(self, model: Model, count: int, *, threads: int=0, sensors: bool=True, timestep: float=..., integrator: str='rk4', law: str | None=None, mu: float=..., e: float=..., seed: int=0, **options: Any) -> None:
        ...

    def close(self) -> None:
        ...

    def __enter__(self) -> Batch:
        ...

    def __exit__(self, *_: Any) -> None:
        ...

    @property
    def seeds(self) -> Any:
        ...

    @property
    def qpos(self) -> Any:
        ...

    @property
    def qvel(self) -> Any:
        ...

    @property
    def act(self) -> Any:
        ...

    @property
    def time(self) -> Any:
        ...

    @property
    def sensors(self) -> Any:
        ...

    @property
    def status(self) -> Any:
        ...

    @property
    def ctrl(self) -> np.ndarray:
        ...

    @ctrl.setter
    def ctrl(self, value: Any) -> Any:
        ...

    @property
    def threads(self) -> int:
        ...

    @property
    def failed(self) -> np.ndarray:
        ...

    def message(self, member: int) -> str:
        ...

    def reset(self, qpos: Any=None, qvel: Any=None, members: Any=None) -> None:
        ...

    def step(self, ctrl: Any=None, n: int=1) -> None:
        ...

    def rollout(self, ctrl: Any=None, length: int | None=None, n: int=1) -> Rollout:
        ...

    def sim(self, member: int) -> Sim:
        ...

    def put(self, member: int, sim: Sim) -> None:
        ...

    def __len__(self) -> int:
        ...

    def __reduce__(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...
