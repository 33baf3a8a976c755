"""The process around the module: forks, locales, terminals, threads of BLAS, another Python first in PATH."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cradle
from conftest import MODELS

PACKAGE = Path(cradle.__file__).resolve().parents[1]


def run(script, *arguments, **environment):
    """What a fresh Python prints that runs the script."""
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, encoding="utf-8",
                          timeout=300, env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


FORK = """
import multiprocessing, sys
import cradle
m = cradle.Model(sys.argv[1])

def work(threads):
    batch = cradle.Batch(m, 6, threads=threads)
    batch.step(n=3)
    o = m.contact_problem(m.key("home").qpos).outcomes(samples=64, threads=threads)
    return batch.qpos.tobytes() + o.v_plus.tobytes() + cradle.Sim(m).run(0.01).qpos.tobytes()

if __name__ == "__main__":
    expected = work(2)          # the parent has had a team of threads
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map_async(work, [1, 2, 2, 0]).get(timeout=120) == [expected] * 4)
    print(work(2) == expected)  # and has it again
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_children_of_a_fork_compute_the_same():
    assert run(FORK, MODELS / "pup.xml") == "True\nTrue\n"


LOCALE = r"""
import locale, pickle, re, sys
import cradle
pup = cradle.Model(sys.argv[1])
p = pup.contact_problem(pup.key("home").qpos, [0, 0, -1] + [0] * 11, mu=0.85)
q = cradle.ContactProblem({"M": [[2.5]], "v": [-3.5], "contacts": [{"name": "floor", "n": [1], "e": 0.5}]})

def said():
    sim = cradle.Sim(cradle.Model.from_text(sys.argv[2]))
    tr = sim.run(0.05)
    shown = [re.sub("\n.*in all", "", repr(x)) for x in (pup, p, p.resolve_all(), q, q.check(), q.outcomes(samples=16))]
    shown += [cradle.Model(f"@{name}").qpos0.tolist() for name in cradle.examples()]
    pages = [re.sub('"wall_s":[^,]*', "", x._repr_html_()) for x in (p.resolve_all(), q.check(), tr)]
    tr.save("run.csv"), pickle.loads(pickle.dumps(tr)), pickle.loads(pickle.dumps(q))
    return [shown, pages, open("run.csv").read(), q.to_json(), tr.to_dict()["qpos"], tr.to_dict()["energy"]]
before = said()
found = locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.str(0.5) == "0,5"
print(before == said(), locale.localeconv()["decimal_point"])
"""


def test_a_decimal_comma_changes_nothing(tmp_path, ball_text):
    """The locale of the program around it is neither used nor changed."""
    if not shutil.which("localedef") or subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
                                                       capture_output=True).returncode not in (0, 1):
        pytest.skip("localedef makes no German locale here")
    if not (tmp_path / "de_DE.UTF-8").exists():
        pytest.skip("localedef makes no German locale here")
    script = f"import os; os.chdir({str(tmp_path)!r})\n" + LOCALE
    assert run(script, MODELS / "pup.xml", ball_text, LOCPATH=str(tmp_path)) == "True ,\n"


STEPS = """
import sys, cradle
m = cradle.Model(sys.argv[1])
p = m.contact_problem(m.key("home").qpos, [0, 0, -1] + [0] * 11)
sim = cradle.Sim(m)
sim.step(100)
print(sim.qpos.tobytes().hex(), sim.energy, p.check().to_dict(), [s.p.tobytes().hex() for law in cradle.laws for s in p.resolve(law)])
"""


def test_threads_of_blas_change_no_digit():
    one = run(STEPS, MODELS / "pup.xml", OPENBLAS_NUM_THREADS="1")
    assert len(one) > 1000
    assert all(run(STEPS, MODELS / "pup.xml", OPENBLAS_NUM_THREADS=n) == one for n in ("2", "5", ""))


TERMINAL = """
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.environ.pop("COLUMNS", None)
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 57, 0, 0))
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    text += data
os.waitpid(pid, 0)
sys.stdout.write(text.decode().replace("\\r\\n", "\\n"))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="opens a pseudo terminal")
def test_lines_are_as_wide_as_the_terminal(program):
    """Python's own standard output counts, as the program's does."""
    show = f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); import cradle; print(cradle.Model(sys.argv[1]))"
    said = run(TERMINAL, sys.executable, "-c", show, MODELS / "pup.xml")
    assert said == run(TERMINAL, os.environ["CRADLE_PROGRAM"], "info", MODELS / "pup.xml") and max(map(len, said.splitlines())) > 40


def test_another_python_first_in_path(tmp_path):
    """Nothing looks for a python by its name."""
    for name in ("python3", "python", "cc"):
        (tmp_path / name).write_text("#!/bin/sh\necho wrong one >&2; exit 1\n")
        (tmp_path / name).chmod(0o755)
    assert run("import cradle; print(cradle.Sim(cradle.Model('@pendulum:2')).run(0.01).t[-1] > 0)",
               PATH=f"{tmp_path}:{os.environ['PATH']}") == "True\n"
