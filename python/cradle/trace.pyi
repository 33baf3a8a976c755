# Written by python/stubs from trace.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
import numpy as np
from . import _core
from ._core import Path as Path
from .model import Model
KINDS: Any

class Energy:
    parts: tuple[str, ...] = ...

    def __init__(self, rows: Any) -> None:
        ...

    def __getitem__(self, part: str) -> NDArray[Any]:
        ...

    def __iter__(self) -> Iterator[str]:
        ...

    def keys(self) -> tuple[str, ...]:
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
    def array(self) -> NDArray[Any]:
        ...

    @property
    def kinds(self) -> list[str]:
        ...

    @property
    def contacts(self) -> list[str]:
        ...

    @property
    def qpos(self) -> NDArray[Any]:
        ...

    @property
    def qvel(self) -> NDArray[Any]:
        ...

    @property
    def qvel_before(self) -> NDArray[Any] | None:
        ...

    def __getitem__(self, i: int) -> dict[str, Any]:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

class Trace:
    energy: Energy
    events: Events

    def __init__(self, pointer: Any, model: Model | None=None) -> None:
        ...

    @property
    def nq(self) -> int:
        ...

    @property
    def nv(self) -> int:
        ...

    @property
    def input(self) -> str:
        ...

    @property
    def version(self) -> str:
        ...

    @property
    def seed(self) -> int:
        ...

    @property
    def timestep(self) -> float:
        ...

    @property
    def truncated(self) -> bool:
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
    def t(self) -> NDArray[Any]:
        ...

    @property
    def s(self) -> NDArray[Any] | None:
        ...

    @property
    def qpos(self) -> NDArray[Any]:
        ...

    @property
    def qvel(self) -> NDArray[Any]:
        ...

    @property
    def penetration(self) -> NDArray[Any]:
        ...

    @property
    def residual(self) -> NDArray[Any]:
        ...

    @property
    def act(self) -> NDArray[Any]:
        ...

    @property
    def contacts(self) -> NDArray[Any]:
        ...

    @property
    def offset(self) -> NDArray[Any]:
        ...

    @property
    def contact_names(self) -> list[str]:
        ...

    @property
    def counters(self) -> dict[str, int | dict[str, int]]:
        ...

    @property
    def model(self) -> Model:
        ...

    def to_pandas(self) -> Any:
        ...

    def plot_energy(self, ax: Any=None) -> Any:
        ...

    def save(self, path: Path) -> None:
        ...

    def save_page(self, path: Path) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def to_dict(self) -> dict[str, Any]:
        ...

    def __repr__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

def counters_dict(c: Any) -> dict[str, int | dict[str, int]]:
    ...

def read(path: Path, model: Model | None=None) -> Trace:
    ...
