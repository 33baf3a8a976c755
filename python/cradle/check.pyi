# Written by python/stubs from check.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
from typing import Any, NamedTuple
import numpy as np
from . import _core
from ._core import Path as Path

class Region(NamedTuple):
    contact: str
    mu: NDArray[Any]
    e: NDArray[Any]
    admissible: NDArray[Any]

class Pair(NamedTuple):
    contacts: tuple[str, str]
    first: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]

class Check:
    problem: Any

    def __init__(self, problem: Any, handle: Any, asked: Any) -> None:
        ...

    def to_dict(self) -> dict[str, Any]:
        ...

    def __getitem__(self, key: str) -> Any:
        ...

    @property
    def verdicts(self) -> list[dict[str, str]]:
        ...

    def region(self, contact: int | str=0, mu_max: float | None=None, n: int=61) -> Region:
        ...

    def pair(self, first: int | str=0, second: int | str=1, n: int=61) -> Pair:
        ...

    def plot_region(self, contact: Any=None, ax: Any=None) -> Any:
        ...

    def save_page(self, path: Path) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

def check(problem: Any, *, use_matrix: bool=True, max_modes: int=4096) -> Check:
    ...
