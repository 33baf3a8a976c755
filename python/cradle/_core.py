"""What all modules share: errors, arguments, views of memory that the library owns."""
from __future__ import annotations

import os
import threading
from typing import Union

import numpy as np
from numpy.typing import ArrayLike

from ._cradle import ffi, lib

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
F8 = np.dtype(np.float64)
NULL = ffi.NULL
nan = float("nan")
LARGE = 1e300  # above which a number is taken for infinite


# ------------------------------------------------------------------------------------------------ errors

class Error(Exception):
    """Base of cradle's exceptions. `status`: the library's word for it ("bad file format", "no solution", ...)."""

    status: str
    file: str
    line: int

    def __init__(self, text: str, status: str = "", file: str = "", line: int = 0):
        super().__init__(text)
        self.status, self.file, self.line = status, file, line

    def __reduce__(self):
        return type(self), (self.args[0], self.status, self.file, self.line)


class InputError(Error, ValueError):
    """A file, a model or a number that is refused: `file` and `line` (0: none) say where."""


class FileError(Error, OSError):
    """A file that cannot be opened, read or written."""

    def __str__(self):
        return self.args[0]


class Verdict(Error, ArithmeticError):
    """A numerical verdict, an answer about the problem: no solution, a limit reached, a singular matrix."""


_OF_STATUS = {lib.CRD_ERR_MEMORY: MemoryError, lib.CRD_ERR_FILE: FileError}


def status_text(status: int) -> str:
    return ffi.string(lib.crd_status_text(status)).decode()


def new_error():
    return ffi.new("crd_error *")


def failure(status: int, err=NULL, what: str = "") -> BaseException:
    """The exception for a status that is not CRD_OK; `what` is put before the text."""
    if status == lib.CRD_STOPPED:
        return raised_by_signal() or KeyboardInterrupt()
    if status == lib.CRDPY_BUSY:
        return RuntimeError("found a simulation in use by another thread or by the call that called back, "
                            "expected one at rest")
    if status == lib.CRDPY_CLOSED:
        return ValueError("found a closed object, expected an open one")
    text, file, line = "", "", 0
    if err != NULL and err.text[0] != b"\0":
        buffer = ffi.new("char[1024]")
        lib.crd_error_format(err, buffer, 1024)
        text, file, line = decode(buffer), decode(err.file), err.line
    if not text:
        text = status_text(status)
    if what:
        text = f"{what}: {text}"
    if status == lib.CRD_ERR_MEMORY:
        return MemoryError(text)
    kind = Verdict if status > 0 else FileError if status == lib.CRD_ERR_FILE else InputError
    return kind(text, status_text(status), file, line)


# ------------------------------------------------------------------------------------------------ Ctrl-C

_signalled = threading.local()


def _keep(kind, value, traceback):
    _signalled.value = value
    return True


@ffi.def_extern(error=True, onerror=_keep)
def crdpy_signalled():
    """Python's own signal handlers run on entry, in the main thread; what they raise ends the computation."""
    return False


def raised_by_signal():
    value = getattr(_signalled, "value", None)
    _signalled.value = None
    return value


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lib.crdpy_fork_before, after_in_parent=lib.crdpy_fork_parent,
                        after_in_child=lib.crdpy_fork_child)


# ------------------------------------------------------------------------------------------------ arguments

def decode(text) -> str:
    """A C string; bytes that are not UTF-8 come through as surrogates."""
    return "" if text == NULL else ffi.string(text).decode("utf-8", "surrogateescape")


def encode(name: str, text, path: bool = False) -> bytes:
    if path and hasattr(text, "__fspath__"):
        text = text.__fspath__()
    if path and isinstance(text, (str, bytes)):
        text = os.fsencode(text)
    elif isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    else:
        raise TypeError(f"{name}: found {type(text).__name__}, expected {'a path' if path else 'str'}")
    if b"\0" in text:
        raise ValueError(f"{name}: found a zero byte, expected text")
    return text


def vector(name: str, value, count: int, what: str = "") -> np.ndarray:
    """A contiguous array of `count` finite doubles, the caller's own where it is one."""
    return finite(name, unchecked(name, value, count, what))


def finite(name: str, a: np.ndarray) -> np.ndarray:
    bad = np.flatnonzero(~np.isfinite(a))
    if bad.size:
        raise ValueError(f"{name}: found {a.flat[bad[0]]} at index {bad[0]}, expected finite numbers")
    return a


def unchecked(name: str, value, count: int, what: str = "") -> np.ndarray:
    """The same, of numbers that the library looks at itself."""
    a = value
    if type(a) is not np.ndarray or a.dtype is not F8 or not a.flags.c_contiguous:
        try:
            b = np.asarray(value)
        except ValueError as e:
            raise ValueError(f"{name}: {e}") from None
        if b.dtype.kind not in "fiu":
            raise TypeError(f"{name}: found dtype {b.dtype}, expected float64")
        a = np.ascontiguousarray(b, dtype=np.float64)
        if b.ndim == 0:
            a = a.reshape(())
    if a.shape != (count,):
        raise ValueError(f"{name}: found shape {a.shape}, expected ({count},){' (' + what + ')' if what else ''}")
    return a


def finite_rows(name: str, a: np.ndarray) -> np.ndarray:
    bad = np.argwhere(~np.isfinite(a))
    if bad.size:
        raise ValueError(f"{name}: found {a[tuple(bad[0])]} at {bad[0].tolist()}, expected finite numbers")
    return a


def rows(name: str, value, shape: tuple[int, ...]) -> np.ndarray:
    """A contiguous float64 array of finite numbers of this shape; one row stands for all."""
    try:
        a = np.asarray(value)
    except ValueError as e:
        raise ValueError(f"{name}: {e}") from None
    if a.dtype.kind not in "fiu":
        raise TypeError(f"{name}: found dtype {a.dtype}, expected float64")
    if a.shape != shape and not (a.shape == shape[1:] and len(shape) == 2):
        raise ValueError(f"{name}: found shape {a.shape}, expected {shape}")
    return np.ascontiguousarray(np.broadcast_to(finite_rows(name, a), shape), dtype=np.float64)


def number(name: str, value, low: float = -float("inf"), high: float = float("inf")) -> float:
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise TypeError(f"{name}: found {type(value).__name__}, expected a number")
    try:
        x = float(value) if np.ndim(value) == 0 else None
    except OverflowError:
        x = float("inf")
    except (TypeError, ValueError):
        x = None
    if x is None:
        raise TypeError(f"{name}: found {type(value).__name__}, expected a number")
    if not (low <= x <= high) or x in (float("inf"), -float("inf")):
        bound = (f" of at least {low:g}" if high == float("inf") else f" in {low:g} .. {high:g}"
                 ) if low != -float("inf") else ""
        raise ValueError(f"{name}: found {x:g}, expected a finite number{bound}")
    return x


def count(name: str, value, low: int = 0, high: int = 2**31 - 1) -> int:
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: found {type(value).__name__}, expected an integer")
    n = value.__index__()
    if not low <= n <= high:
        raise ValueError(f"{name}: found {n}, expected an integer in {low} .. {high}")
    return n


def is_nan(value) -> bool:
    """Whether it is the number NaN, which stands for `as the model has it`."""
    return isinstance(value, (float, np.floating)) and value != value


def index(name: str, value, n: int, kind: str) -> int:
    """A place 0 .. n-1 in a sequence of n; negative values count from its end."""
    at = count(name, value, -2**63, 2**63 - 1)
    if not -n <= at < n:
        raise IndexError(f"{name}: found {at}, expected fewer than the {n} {kind}")
    return at % n


def text(name: str, value) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: found {type(value).__name__}, expected str")
    return value


def axes(name: str, value, *needed: str):
    """matplotlib's axes, or what draws like them."""
    if not all(hasattr(value, one) for one in needed):
        raise TypeError(f"{name}: found {type(value).__name__}, expected axes of matplotlib")
    return value


def flag(name: str, value) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: found {type(value).__name__}, expected True or False")
    return bool(value)


def doubles(a: np.ndarray):
    """The memory of a contiguous float64 array; it keeps the array alive."""
    return ffi.from_buffer("double[]", a)


# ------------------------------------------------------------------------------------------------ views

class _Memory:
    """Stands between an array and whoever owns its memory: numpy keeps it, it keeps the owner."""
    __slots__ = ("__array_interface__", "owner")


def view(owner, pointer, shape, dtype: str = "<f8", write: bool = False) -> np.ndarray:
    """An array on memory that `owner` (a handle with a destructor) holds; None where the pointer is NULL.

    The owner lives as long as the array and everything made from it by slicing.
    """
    if pointer == NULL:
        return None
    if 0 in shape:
        return np.zeros(shape, dtype)
    memory = _Memory()
    memory.owner = owner
    memory.__array_interface__ = {"version": 3, "shape": tuple(shape), "typestr": dtype,
                                  "data": (int(ffi.cast("uintptr_t", pointer)), not write)}
    return np.asarray(memory)


def structs(owner, pointer, n: int, ctype: str) -> np.ndarray:
    """A structured array on n C structs: numbers and enums as they lie in memory, without pointers and names."""
    return view(owner, pointer, (n,), "|V%d" % ffi.sizeof(ctype)).view(struct_dtype(ctype)) if n else \
        np.zeros(0, struct_dtype(ctype))


_NUMPY = {"double": "f8", "float": "f4", "int": "i4", "long": "i8", "_Bool": "?", "int64_t": "i8", "uint64_t": "u8",
          "uint32_t": "u4", "unsigned char": "u1"}
_dtypes: dict = {}


def struct_dtype(ctype: str) -> np.dtype:
    """The numpy dtype of a C struct; pointers are left out."""
    if ctype not in _dtypes:
        _dtypes[ctype] = _dtype_of(ffi.typeof(ctype))
    return _dtypes[ctype]


def _dtype_of(t):
    if t.kind == "primitive":
        return np.dtype(_NUMPY[t.cname])
    if t.kind == "enum":
        return np.dtype("i4")
    if t.kind == "array":
        inner = _dtype_of(t.item)
        return inner and np.dtype((inner, (t.length,)))
    if t.kind == "struct":
        fields = [(name, _dtype_of(f.type), f.offset) for name, f in t.fields]
        fields = [f for f in fields if f[1] is not None]
        return np.dtype({"names": [f[0] for f in fields], "formats": [f[1] for f in fields],
                         "offsets": [f[2] for f in fields], "itemsize": ffi.sizeof(t)})
    return None


def taken_text(pointer) -> str:
    """A text that the library allocated; it is freed."""
    if pointer == NULL:
        raise MemoryError("no memory for the text")
    try:
        return ffi.string(pointer).decode("utf-8", "replace")
    finally:
        lib.crdpy_free(pointer)


def in_page(write) -> str:
    """The page that write(path) writes, as a frame for a notebook."""
    import html
    import os
    import tempfile

    if not lib.crd_io_has_page():
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        write(path)
        with open(path, encoding="utf-8") as file:
            page = file.read()
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="640" '
            'style="border:0" sandbox="allow-scripts allow-downloads"></iframe>')


def table(columns: dict):
    """A pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas needs pandas (Debian: python3-pandas)") from None
    return pandas.DataFrame(columns)
