# Written by python/stubs from impact.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
import numpy as np
from . import _core
from ._core import Path as Path
from .problem import ContactProblem
MODES: Any

class Law(str):
    title: str  # type: ignore[assignment]
    source: str
    dissipative: bool
laws: tuple[Law, ...]

def law_pointer(law: Any) -> Any:
    ...

class Solution:
    law: Law

    def __init__(self, result: Result, s: Any) -> None:
        ...

    @property
    def p(self) -> NDArray[Any]:
        ...

    @property
    def v_plus(self) -> NDArray[Any]:
        ...

    @property
    def u_plus(self) -> NDArray[Any]:
        ...

    @property
    def work(self) -> NDArray[Any]:
        ...

    @property
    def modes(self) -> tuple[str, ...]:
        ...

    @property
    def after(self) -> tuple[str, ...]:
        ...

    @property
    def kinetic_before(self) -> float:
        ...

    @property
    def kinetic_after(self) -> float:
        ...

    @property
    def residual(self) -> float:
        ...

    @property
    def label(self) -> str:
        ...

    @property
    def energy_ratio(self) -> float:
        ...

    @property
    def check(self) -> dict[str, float | bool]:
        ...

    def __repr__(self) -> str:
        ...

class Result(Sequence['Solution']):
    problem: ContactProblem
    law: Law

    def __init__(self, problem: Any, law: Law, handle: Any, options: Any) -> None:
        ...

    @property
    def status(self) -> str:
        ...

    @property
    def applies(self) -> bool:
        ...

    @property
    def notes(self) -> list[str]:
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

class SideBySide(Sequence['Result']):
    problem: Any

    def __init__(self, problem: Any, results: Any) -> None:
        ...

    def __len__(self) -> int:
        ...

    def __contains__(self, which: object) -> bool:
        ...

    def __getitem__(self, which: Any) -> Any:
        ...

    def to_dict(self) -> dict[str, Any]:
        ...

    def save_page(self, path: Path) -> None:
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
