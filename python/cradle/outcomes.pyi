# Written by python/stubs from outcomes.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
from typing import Any, NamedTuple
import numpy as np
from . import _core
from ._core import Path as Path
from .problem import ContactProblem
PATTERNS: Any
SELECTIONS: Any
ENDINGS: Any

class Hull(NamedTuple):
    axes: tuple[str, ...]
    points: NDArray[Any]
    faces: NDArray[Any]
    dim: int
    size: float
    measure: float

class Outcomes:
    problem: ContactProblem

    def __init__(self, problem: ContactProblem, owner: Any, s: Any, options: dict[str, Any] | None) -> None:
        ...

    @property
    def samples(self) -> int:
        ...

    @property
    def seed(self) -> int:
        ...

    @property
    def claim(self) -> str:
        ...

    @property
    def at_rest(self) -> int:
        ...

    @property
    def terminated(self) -> int:
        ...

    @property
    def wall_s(self) -> float:
        ...

    @property
    def energy_ratio(self) -> tuple[float, float]:
        ...

    @property
    def v_plus(self) -> NDArray[Any]:
        ...

    @property
    def ending(self) -> NDArray[Any]:
        ...

    @property
    def lcps(self) -> NDArray[Any]:
        ...

    @property
    def extent(self) -> NDArray[Any]:
        ...

    @property
    def rejected(self) -> dict[str, int]:
        ...

    def points(self, *names: str) -> NDArray[Any]:
        ...

    def __getitem__(self, name: str) -> NDArray[Any]:
        ...

    def default_axes(self) -> tuple[str, ...]:
        ...

    def hull(self, axes: list[str] | tuple[str, ...] | None=None) -> Hull:
        ...

    def plot(self, *axes: str, ax: Any=None, laws: bool=True) -> Any:
        ...

    def to_dict(self) -> dict[str, Any]:
        ...

    def __repr__(self) -> str:
        ...

    def save(self, path: Path) -> None:
        ...

    def save_page(self, path: Path) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __reduce__(self) -> Any:
        ...

def box_of(argument: str, widths: Any) -> Any:
    ...

def sample(problem: ContactProblem, samples: int=..., seed: int=0, *, threads: int=0, first: int=0, h: float=0.0, steps: int=0, facets: int=8, pattern: str='uniform', selection: str='auto', restitution: bool=False, epsilon: float=0.0, delta: float=0.01, box: dict[str, float] | None=None) -> Outcomes:
    ...

class OutcomeFile:
    input: Any
    version: Any
    parameter: Any
    values: Any
    sets: Any

    def __init__(self, pointer: Any) -> None:
        ...

    def __len__(self) -> int:
        ...

    def __getitem__(self, i: Any) -> Outcomes:
        ...

    def __repr__(self) -> str:
        ...
