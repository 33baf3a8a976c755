# Written by python/stubs from trace.py.
from __future__ import annotations
from typing import Any
import json
import numpy as np
from . import _core
KINDS: Any

class Energy:
    parts: Any

    def __init__(self, rows: Any) -> None:
        ...

    def __getitem__(self, part: str) -> np.ndarray:
        ...

    def __iter__(self) -> Any:
        ...

    def keys(self) -> Any:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class Events:

    def __init__(self, handle: Any, t: Any) -> None:
        ...

    def __len__(self) -> int:
        ...

    @property
    def array(self) -> np.ndarray:
        ...

    @property
    def kinds(self) -> list[str]:
        ...

    @property
    def contacts(self) -> list[str]:
        ...

    @property
    def qpos(self) -> np.ndarray:
        ...

    @property
    def qvel(self) -> np.ndarray:
        ...

    @property
    def qvel_before(self) -> np.ndarray:
        ...

    def __getitem__(self, i: Any) -> dict:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class Trace:

    def __init__(self, pointer: Any) -> None:
        ...

    @property
    def nq(self) -> Any:
        ...

    @property
    def nv(self) -> Any:
        ...

    @property
    def input(self) -> str:
        ...

    @property
    def version(self) -> str:
        ...

    @property
    def seed(self) -> Any:
        ...

    @property
    def timestep(self) -> Any:
        ...

    @property
    def truncated(self) -> Any:
        ...

    @property
    def status(self) -> str:
        ...

    @property
    def law(self) -> str:
        ...

    def __len__(self) -> int:
        ...

    @property
    def t(self) -> Any:
        ...

    @property
    def s(self) -> Any:
        ...

    @property
    def qpos(self) -> Any:
        ...

    @property
    def qvel(self) -> Any:
        ...

    @property
    def penetration(self) -> Any:
        ...

    @property
    def residual(self) -> Any:
        ...

    @property
    def act(self) -> Any:
        ...

    @property
    def contacts(self) -> np.ndarray:
        ...

    @property
    def offset(self) -> np.ndarray:
        ...

    @property
    def contact_names(self) -> list[str]:
        ...

    @property
    def counters(self) -> dict:
        ...

    @property
    def model(self) -> Any:
        ...

    def to_pandas(self) -> Any:
        ...

    def plot_energy(self, ax: Any=None) -> Any:
        ...

    def save(self, path: Any) -> None:
        ...

    def save_page(self, path: Any) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def to_dict(self) -> dict:
        ...

    def __repr__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

def counters_dict(c: Any) -> dict:
    ...

def read(path: Any) -> Trace:
    ...
