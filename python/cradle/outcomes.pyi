# Written by python/stubs from outcomes.py.
from __future__ import annotations
from typing import Any
import json
from typing import NamedTuple
import numpy as np
from . import _core
from .problem import ContactProblem
PATTERNS: Any
SELECTIONS: Any
ENDINGS: Any

class Hull(NamedTuple):
    axes: tuple[str, ...]
    points: np.ndarray
    faces: np.ndarray
    dim: int
    size: float
    measure: float

class Outcomes:

    def __init__(self, problem: ContactProblem, owner: Any, s: Any, options: dict | None) -> None:
        ...

    @property
    def samples(self) -> Any:
        ...

    @property
    def seed(self) -> Any:
        ...

    @property
    def claim(self) -> str:
        ...

    @property
    def at_rest(self) -> Any:
        ...

    @property
    def terminated(self) -> Any:
        ...

    @property
    def wall_s(self) -> Any:
        ...

    @property
    def energy_ratio(self) -> tuple[float, float]:
        ...

    @property
    def v_plus(self) -> np.ndarray:
        ...

    @property
    def ending(self) -> np.ndarray:
        ...

    @property
    def lcps(self) -> np.ndarray:
        ...

    @property
    def extent(self) -> np.ndarray:
        ...

    @property
    def rejected(self) -> dict[str, int]:
        ...

    def points(self, *names: str) -> np.ndarray:
        ...

    def __getitem__(self, name: str) -> np.ndarray:
        ...

    def default_axes(self) -> tuple[str, ...]:
        ...

    def hull(self, axes: Any=None) -> Hull:
        ...

    def plot(self, *axes: str, ax: Any=None, laws: bool=True) -> Any:
        ...

    def to_dict(self) -> dict:
        ...

    def __repr__(self) -> str:
        ...

    def save(self, path: Any) -> None:
        ...

    def save_page(self, path: Any) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __reduce__(self) -> Any:
        ...

def sample(problem: ContactProblem, samples: int=..., seed: int=1, *, threads: int=0, first: int=0, h: float=0.0, steps: int=0, facets: int=8, pattern: str='uniform', selection: str='auto', restitution: bool=False, epsilon: float=0.0, delta: float=0.01, box: dict | None=None) -> Outcomes:
    ...

class OutcomeFile:

    def __init__(self, pointer: Any) -> None:
        ...

    def __len__(self) -> int:
        ...

    def __getitem__(self, i: Any) -> Outcomes:
        ...

    def __repr__(self) -> str:
        ...
