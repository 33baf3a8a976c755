# Written by python/stubs from _core.py.
from __future__ import annotations
from typing import Any
import sys
import threading
import numpy as np
F8: Any
NULL: Any
LARGE: Any

class Error(Exception):

    def __init__(self, text: str, status: str='', file: str='', line: int=0) -> None:
        ...

    def __reduce__(self) -> Any:
        ...

class InputError(Error, ValueError):
    ...

class FileError(Error, OSError):

    def __str__(self) -> str:
        ...

class Verdict(Error, ArithmeticError):
    ...

def status_text(status: int) -> str:
    ...

def new_error() -> Any:
    ...

def failure(status: int, err: Any=..., what: str='') -> BaseException:
    ...

@ffi.def_extern(error=True, onerror=_keep)
def crdpy_signalled() -> Any:
    ...

def raised_by_signal() -> Any:
    ...

def decode(text: Any) -> str:
    ...

def encode(name: str, text: Any, path: bool=False) -> bytes:
    ...

def vector(name: str, value: Any, count: int, what: str='') -> np.ndarray:
    ...

def finite(name: str, a: np.ndarray) -> np.ndarray:
    ...

def unchecked(name: str, value: Any, count: int, what: str='') -> np.ndarray:
    ...

def number(name: str, value: Any, low: float=..., high: float=...) -> float:
    ...

def count(name: str, value: Any, low: int=0, high: int=...) -> int:
    ...

def flag(name: str, value: Any) -> bool:
    ...

def doubles(a: np.ndarray) -> Any:
    ...

class _Memory:
    ...

def view(owner: Any, pointer: Any, shape: Any, dtype: str='<f8', write: bool=False) -> np.ndarray:
    ...

def structs(owner: Any, pointer: Any, n: int, ctype: str) -> np.ndarray:
    ...

def struct_dtype(ctype: str) -> np.dtype:
    ...

def taken_text(pointer: Any) -> str:
    ...

def in_page(write: Any) -> str:
    ...

def table(columns: dict) -> Any:
    ...
