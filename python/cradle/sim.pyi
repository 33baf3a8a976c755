# Written by python/stubs from sim.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import warnings
import numpy as np
from . import _core
from .impact import law_pointer
from .model import Model
from .trace import Trace, counters_dict
INTEGRATORS: Any

class StateMoved(UserWarning):
    ...

def sim_options(model: Any, timestep: Any, integrator: Any, law: Any, mu: Any, e: Any, seed: Any, options: Any) -> Any:
    ...

class Sim:
    model: Model

    def __init__(self, model: Model, *, timestep: float=..., integrator: str='rk4', law: str | None=None, mu: float=..., e: float=..., seed: int=0, **options: Any) -> None:
        ...

    def close(self) -> None:
        ...

    def __enter__(self) -> Sim:
        ...

    def __exit__(self, *_: Any) -> None:
        ...

    def reset(self, qpos: ArrayLike | None=None, qvel: ArrayLike | None=None, time: float=0.0) -> None:
        ...

    def set_state(self, qpos: ArrayLike | None=None, qvel: ArrayLike | None=None) -> None:
        ...

    def wrench(self, body: int | str, force: ArrayLike | None=None, torque: ArrayLike | None=None, point: ArrayLike | None=None) -> None:
        ...

    def set_act(self, act: ArrayLike) -> None:
        ...

    @property
    def time(self) -> float:
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
    def ctrl(self) -> NDArray[Any]:
        ...

    @ctrl.setter
    def ctrl(self, value: ArrayLike) -> None:
        ...

    @property
    def tau(self) -> NDArray[Any]:
        ...

    @tau.setter
    def tau(self, value: ArrayLike) -> None:
        ...

    @property
    def sensors(self) -> NDArray[Any]:
        ...

    def sensor(self, name: str) -> NDArray[Any]:
        ...

    @property
    def qacc(self) -> NDArray[Any]:
        ...

    @property
    def energy(self) -> dict[str, float]:
        ...

    @property
    def counters(self) -> dict[str, int | dict[str, int]]:
        ...

    @property
    def contacts(self) -> NDArray[Any]:
        ...

    @property
    def contact_names(self) -> list[str]:
        ...

    @property
    def message(self) -> str:
        ...

    def step(self, n: int=1) -> None:
        ...

    def run(self, duration: float, every: int=1) -> Trace:
        ...

    def save(self) -> bytes:
        ...

    def restore(self, saved: bytes | bytearray) -> None:
        ...

    def __reduce__(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...
