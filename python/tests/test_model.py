"""Models: reading, refusals with file and line, names, pickles, printing."""
import pickle

import numpy as np
import pytest

import cradle
from conftest import MODELS

BALL = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size=".1"/></body>
  </worldbody>
</mujoco>"""


def test_sizes_names_and_keys(pup):
    assert (pup.nq, pup.nv, pup.nu, pup.nsensordata) == (15, 14, 8, 6)
    assert pup.names("body")[:3] == ["world", "trunk", "FR_thigh"] or pup.names("body")[1] == "trunk"
    assert pup.find("sensor", "imu") == 0 and pup.find("geom", "FR") >= 0
    key = pup.key("home")
    assert key.qpos[3:7].tolist() == [1, 0, 0, 0] and key.ctrl.tolist() == [.8, -1.6] * 4 and not key.qvel.any()
    assert pup.key(0).name == "home" and len(pup.keys) == 1
    assert pup.gravity.tolist() == [0, 0, -9.81] and pup.timestep == 0.002 and pup.qpos0.shape == (15,)
    assert pup.nbody == 10 and pup.mass > 0
    with pytest.raises(KeyError, match="key: found 'hom', expected one of home"):
        pup.key("hom")
    with pytest.raises(ValueError, match="kind: found 'bodies'"):
        pup.names("bodies")
    with pytest.raises(AttributeError):
        pup.nothing


def test_ignored_lists_what_the_model_does_not_contain(pup):
    assert pup.ignored and all(i.kind == "no effect" and i.line > 0 for i in pup.ignored)
    assert any(i.element == "light" for i in pup.ignored)


def test_refusals_have_file_and_line(tmp_path):
    file = tmp_path / "bad.xml"
    file.write_text(BALL.replace('size=".1"', 'size="-.1"'))
    with pytest.raises(cradle.InputError) as caught:
        cradle.Model(file)
    assert caught.value.file == str(file) and caught.value.line == 4 and str(caught.value).startswith(f"{file}:4:")
    assert isinstance(caught.value, ValueError)
    with pytest.raises(cradle.FileError) as caught:
        cradle.Model(tmp_path / "absent.xml")
    assert isinstance(caught.value, OSError) and "absent.xml" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.file == caught.value.file


def test_text_examples_and_lenient():
    assert cradle.Model.from_text(BALL).nq == 7
    assert cradle.Model("@pendulum:4").nv == 4 and "pendulum" in cradle.examples()
    odd = BALL.replace("<freejoint/>", '<freejoint/><nonsense a="1"/>')
    with pytest.raises(cradle.InputError, match="nonsense"):
        cradle.Model.from_text(odd)
    assert any(i.kind == "unknown" for i in cradle.Model.from_text(odd, lenient=True).ignored)


@pytest.mark.parametrize("arguments", [(3,), (None,), (["a"],), ("a\0b",)])
def test_what_is_no_path(arguments):
    with pytest.raises((TypeError, ValueError), match="path"):
        cradle.Model(*arguments)


def test_a_pickle_carries_the_model(pup, falling, tmp_path):
    folder = tmp_path / "there"
    (folder / "parts").mkdir(parents=True)
    (folder / "pup.xml").write_bytes((MODELS / "pup.xml").read_bytes())
    (folder / "parts" / "scene.xml").write_bytes((MODELS / "parts" / "scene.xml").read_bytes())
    m = cradle.Model(folder / "pup.xml")
    data = pickle.dumps(m)
    for file in (folder / "pup.xml", folder / "parts" / "scene.xml"):
        file.unlink()
    again = pickle.loads(data)
    assert again.ignored == m.ignored and again.nq == m.nq
    assert np.array_equal(again.contact_problem(*falling).W, m.contact_problem(*falling).W)


@pytest.mark.parametrize("name", ["pup.xml", "arm.urdf", "crane.xml"])
@pytest.mark.parametrize("width", [40, 57, 100, 1000])
def test_printed_as_the_program_does(name, width, program, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    said = repr(cradle.Model(MODELS / name))
    assert said == program("info", MODELS / name).rstrip("\n")
    for line in said.splitlines():  # one that is too long has no space at which it could be broken
        assert len(line) <= width or " " not in line[:width + 1].strip()


def test_the_width_does_not_depend_on_the_path(tmp_path, program, monkeypatch):
    monkeypatch.setenv("COLUMNS", "57")
    for folder in (tmp_path, tmp_path / "a long path" / ("long" * 30)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "ball.xml").write_text(BALL)
        assert repr(cradle.Model(folder / "ball.xml")) == program("info", folder / "ball.xml").rstrip("\n")
