"""Contact problems: numbers from their definition, names, files."""
import json
import pickle

import numpy as np
import pytest

import cradle


def test_W_is_J_Minv_Jt_and_u_is_J_v(pup, falling):
    p = pup.contact_problem(*falling, mu=0.8, e=0.0)
    assert p.M.shape == (pup.nv, pup.nv) and p.J.shape == (12, pup.nv)
    W = p.J @ np.linalg.solve(p.M, p.J.T)
    assert np.allclose(p.W, W, rtol=1e-9, atol=1e-12)
    assert np.allclose(p.u, p.J @ falling[1], atol=1e-13)
    assert p.kinetic == pytest.approx(0.5 * falling[1] @ p.M @ falling[1], rel=1e-12)
    assert p.delassus is p.W and p.v_minus is p.v


def test_contacts_by_name_and_number(pup, falling):
    p = pup.contact_problem(*falling, mu=0.8, e=0.25)
    assert p.contacts.names == ["FR", "FL", "RR", "RL"]
    assert np.allclose(p.contacts["FR"].normal, [0, 0, 1])
    assert p.contacts["FL"].mu == 0.8 and p.contacts[1].e == 0.25 and p.contacts[-1].name == "RL"
    for c in p.contacts:  # row of the normal: n . velocity of the point, here the fall
        assert p.u[c.row] == pytest.approx(-1)
    table = p.contacts.to_pandas()
    assert list(table["name"]) == p.contacts.names and np.allclose(table["normal_z"], 1)
    assert np.array_equal(p.contacts.array["row"], [0, 3, 6, 9])
    with pytest.raises(KeyError, match="'XX'.*FR, FL, RR, RL"):
        p.contacts["XX"]
    with pytest.raises(IndexError):
        p.contacts[4]


def test_a_problem_from_numbers(two_balls):
    assert np.array_equal(two_balls.M, np.diag([2.0, 3.0]))
    assert np.array_equal(two_balls.u, [-1.0, -1.0])
    assert np.allclose(two_balls.W, [[0.5, -0.5], [-0.5, 0.5 + 1 / 3]])


def test_files_and_pickles_give_the_same_problem(two_balls, pup, falling, tmp_path):
    two_balls.save(tmp_path / "p.json")
    for again in (cradle.open(tmp_path / "p.json"), pickle.loads(pickle.dumps(two_balls))):
        assert again.to_json() == two_balls.to_json() and np.array_equal(again.W, two_balls.W)
    p = pup.contact_problem(*falling, mu=0.3)
    again = pickle.loads(pickle.dumps(p))
    assert np.array_equal(again.W, p.W) and again.contacts["FR"].mu == 0.3 and again.model.nq == pup.nq
    assert json.loads(p.to_json())["cradle"] == "impact-problem/1"


def test_refusals_name_the_argument(pup, falling):
    q, v = falling
    for arguments, kind, text in [((q[:-1], v), ValueError, r"qpos: found shape \(14,\), expected \(15,\)"),
                                  ((q, v[None]), ValueError, r"qvel: found shape \(1, 14\)"),
                                  ((q, v * np.nan), ValueError, "qvel: found nan at index 0"),
                                  ((q + 1j, v), TypeError, "qpos: found dtype complex128"),
                                  (("home", v), TypeError, "qpos"), (([[1], [2, 3]], v), ValueError, "qpos"),
                                  ((q, np.array(["1"] * 14)), TypeError, "qvel: found dtype <U1")]:
        with pytest.raises(kind, match=text):
            pup.contact_problem(*arguments)
    for options, text in [({"mu": -1}, "mu: found -1"), ({"e": 1.5}, "e: found 1.5"), ({"mu": np.inf}, "mu"),
                          ({"distance": -1}, "distance"), ({"distance": np.nan}, "distance")]:
        with pytest.raises(ValueError, match=text):
            pup.contact_problem(q, v, **options)
    with pytest.raises(TypeError, match="mu: found str"):
        pup.contact_problem(q, v, mu="0.8")


def test_integers_lists_and_strides_are_taken(pup, falling):
    q, v = falling
    wide = np.zeros((pup.nv, 2))
    wide[:, 1] = v
    p = pup.contact_problem(q, v)
    for other in (v.tolist(), v.astype(int), v.astype(np.float32), wide[:, 1], np.asfortranarray(v)):
        assert np.array_equal(pup.contact_problem(list(q), other).u, p.u)


def test_bad_problems_are_refused_with_the_place(tmp_path):
    with pytest.raises(cradle.InputError, match=r"M"):
        cradle.ContactProblem({"M": [[-1.0]], "v": [0.0], "contacts": []})
    with pytest.raises(TypeError, match="source: found object"):
        cradle.ContactProblem({"M": [[1.0]], "v": object(), "contacts": []})
    with pytest.raises(TypeError, match="source"):
        cradle.ContactProblem(3)
    bad = tmp_path / "bad.json"
    bad.write_text('{"cradle": "impact-problem/1",\n "M": [[1]], "v": [1, 2], "contacts": []}')
    with pytest.raises(cradle.InputError) as caught:
        cradle.open(bad)
    assert caught.value.file == str(bad)
