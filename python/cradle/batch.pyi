# Written by python/stubs from batch.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
from typing import NamedTuple
import numpy as np
from . import _core
from .model import Model
from .sim import Sim, sim_options

class Rollout(NamedTuple):
    time: NDArray[Any]
    qpos: NDArray[Any]
    qvel: NDArray[Any]
    act: NDArray[Any]
    sensors: NDArray[Any] | None

class Batch:
    model: Model
    count: int

    def __init__(self, model: Model, count: int, *, threads: int=0, sensors: bool=True, timestep: float=..., integrator: str='rk4', law: str | None=None, mu: float=..., e: float=..., seed: int=0, **options: Any) -> None:
        ...

    def close(self) -> None:
        ...

    def __enter__(self) -> Batch:
        ...

    def __exit__(self, *_: Any) -> None:
        ...

    @property
    def seeds(self) -> NDArray[Any]:
        ...

    @property
    def qpos(self) -> NDArray[Any]:
        ...

    @property
    def qvel(self) -> NDArray[Any]:
        ...

    @property
    def act(self) -> NDArray[Any]:
        ...

    @property
    def time(self) -> NDArray[Any]:
        ...

    @property
    def sensors(self) -> NDArray[Any]:
        ...

    @property
    def status(self) -> NDArray[Any]:
        ...

    @property
    def ctrl(self) -> NDArray[Any]:
        ...

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        ...

    @property
    def threads(self) -> int:
        ...

    @property
    def failed(self) -> NDArray[Any]:
        ...

    def message(self, member: int) -> str:
        ...

    def reset(self, qpos: ArrayLike | None=None, qvel: ArrayLike | None=None, members: ArrayLike | None=None) -> None:
        ...

    def step(self, ctrl: ArrayLike | None=None, n: int=1) -> None:
        ...

    def rollout(self, ctrl: ArrayLike | None=None, length: int | None=None, n: int=1) -> Rollout:
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
