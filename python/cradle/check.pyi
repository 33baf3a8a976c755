# Written by python/stubs from check.py.
from __future__ import annotations
from typing import Any
import json
from typing import NamedTuple
import numpy as np
from . import _core

class Region(NamedTuple):
    contact: str
    mu: np.ndarray
    e: np.ndarray
    admissible: np.ndarray

class Pair(NamedTuple):
    contacts: tuple[str, str]
    first: np.ndarray
    low: np.ndarray
    high: np.ndarray

class Check:

    def __init__(self, problem: Any, handle: Any, asked: Any) -> None:
        ...

    def to_dict(self) -> dict:
        ...

    def __getitem__(self, key: str) -> Any:
        ...

    @property
    def verdicts(self) -> list[dict]:
        ...

    def region(self, contact: Any=0, mu_max: float | None=None, n: int=61) -> Region:
        ...

    def pair(self, first: Any=0, second: Any=1, n: int=61) -> Pair:
        ...

    def plot_region(self, contact: Any=None, ax: Any=None) -> Any:
        ...

    def save_page(self, path: Any) -> None:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

    def __reduce__(self) -> Any:
        ...

def check(problem: Any, *, use_matrix: bool=True, max_modes: int=4096) -> Check:
    ...
