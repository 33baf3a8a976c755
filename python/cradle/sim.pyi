# Written by python/stubs from sim.py.
from __future__ import annotations
from typing import Any
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

    def __init__(self, model: Model, *, timestep: float=..., integrator: str='rk4', law: str | None=None, mu: float=..., e: float=..., seed: int=0, **options: Any) -> None:
        ...

    def close(self) -> None:
        ...

    def __enter__(self) -> Sim:
        ...

    def __exit__(self, *_: Any) -> None:
        ...

    def reset(self, qpos: Any=None, qvel: Any=None, time: float=0.0) -> None:
        ...

    def set_state(self, qpos: Any=None, qvel: Any=None) -> None:
        ...

    def wrench(self, body: int | str, force: Any=None, torque: Any=None, point: Any=None) -> None:
        ...

    def set_act(self, act: Any) -> None:
        ...

    @property
    def time(self) -> Any:
        ...

    @property
    def qpos(self) -> np.ndarray:
        ...

    @property
    def qvel(self) -> np.ndarray:
        ...

    @property
    def act(self) -> np.ndarray:
        ...

    @property
    def ctrl(self) -> np.ndarray:
        ...

    @ctrl.setter
    def ctrl(self, value: Any) -> Any:
        ...

    @property
    def tau(self) -> np.ndarray:
        ...

    @tau.setter
    def tau(self, value: Any) -> Any:
        ...

    @property
    def sensors(self) -> np.ndarray:
        ...

    def sensor(self, name: str) -> np.ndarray:
        ...

    @property
    def qacc(self) -> np.ndarray:
        ...

    @property
    def energy(self) -> dict:
        ...

    @property
    def counters(self) -> dict:
        ...

    @property
    def contacts(self) -> np.ndarray:
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

    def restore(self, saved: bytes) -> None:
        ...

    def __reduce__(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...
