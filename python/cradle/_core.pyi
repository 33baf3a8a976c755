# Written by python/stubs from _core.py.
from __future__ import annotations
import os
from typing import Any
from numpy.typing import ArrayLike, NDArray
from typing import Union
class Error(Exception):
    status: str
    file: str
    line: int

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
Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
def __getattr__(name: str) -> Any: ...
