import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cradle

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    """Texts are broken into lines of this width, whatever terminal the tests run in."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture(scope="session")
def program():
    """Runs the program and gives what it prints."""
    path = os.environ.get("CRADLE_PROGRAM")
    if not path:
        pytest.skip("CRADLE_PROGRAM is not set")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=300)
        assert done.returncode in (0, 2), done.stderr
        return done.stdout
    return run


@pytest.fixture(scope="session")
def pup():
    return cradle.Model(MODELS / "pup.xml")


@pytest.fixture(scope="session")
def falling(pup):
    """The pup's feet on the floor, moving down."""
    v = np.zeros(pup.nv)
    v[2] = -1
    return pup.key("home").qpos, v


BALL = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size=".1"/></body></worldbody>
<sensor><framepos name="where" objtype="xbody" objname="ball"/><clock name="clock"/></sensor></mujoco>"""


@pytest.fixture(scope="session")
def ball_text():
    """A ball 0.9 m over a floor, as MJCF."""
    return BALL


@pytest.fixture
def two_balls():
    """Two balls of 2 kg and 3 kg on a line over a floor: contacts 'low' (with the floor) and 'high' (between them)."""
    return cradle.ContactProblem({
        "M": np.diag([2.0, 3.0]), "v": [-1.0, -2.0],
        "contacts": [{"name": "low", "n": [1, 0], "mu": 0, "e": 0.5}, {"name": "high", "n": [-1, 1], "mu": 0, "e": 0.5}]})
