# Written by python/stubs from impact.py.
from __future__ import annotations
from typing import Any
import json
from collections.abc import Sequence
import numpy as np
from . import _core
MODES: Any

class Law(str):
    title: str
    source: str
    dissipative: bool
laws: tuple[Law, ...] = ...

def law_pointer(law: Any) -> Any:
    ...

class Solution:

    def __init__(self, result: Result, s: Any) -> None:
        ...

    @property
    def p(self) -> np.ndarray:
        ...

    @property
    def v_plus(self) -> np.ndarray:
        ...

    @property
    def u_plus(self) -> np.ndarray:
        ...

    @property
    def work(self) -> np.ndarray:
        ...

    @property
    def modes(self) -> tuple[str, ...]:
        ...

    @property
    def after(self) -> tuple[str, ...]:
        ...

    @property
    def kinetic_before(self) -> Any:
        ...

    @property
    def kinetic_after(self) -> Any:
        ...

    @property
    def residual(self) -> Any:
        ...

    @property
    def label(self) -> str:
        ...

    @property
    def energy_ratio(self) -> float:
        ...

    @property
    def check(self) -> dict:
        ...

    def __repr__(self) -> str:
        ...

class Result(Sequence):

    def __init__(self, problem: Any, law: Law, handle: Any, options: Any) -> None:
        ...

    @property
    def status(self) -> Any:
        ...

    @property
    def applies(self) -> Any:
        ...

    @property
    def notes(self) -> str:
        ...

    def __len__(self) -> int:
        ...

    def __getitem__(self, which: Any) -> Any:
        ...

    def __repr__(self) -> str:
        ...

    def _repr_html_(self) -> Any:
        ...

    def __reduce__(self) -> Any:
        ...

class SideBySide(Sequence):

    def __init__(self, problem: Any, results: Any) -> None:
        ...

    def __len__(self) -> int:
        ...

    def __getitem__(self, which: Any) -> Any:
        ...

    def to_dict(self) -> dict:
        ...

    def save_page(self, path: Any) -> None:
        ...

    def to_pandas(self) -> Any:
        ...

    def __repr__(self) -> str:
        ...

    def _repr_html_(self) -> Any:
        ...

def resolve(problem: Any, law: Any='poisson', **options: Any) -> Result:
    ...

def resolve_all(problem: Any, **options: Any) -> SideBySide:
    ...
