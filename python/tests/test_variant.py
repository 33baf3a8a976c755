"""Variants: models with other numbers; what depends on them by closed forms; nonsense refused by name."""
import pickle

import numpy as np
import pytest

import cradle
from conftest import BALL

CART = """<mujoco><option timestep="0.001" gravity="0 0 -10"/><worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.5"/>
<body name="cart" pos="0 0 1"><joint name="rail" type="slide" axis="1 0 0"/>
<geom name="hull" type="box" size=".1 .1 .1" mass="2" contype="0" conaffinity="0"/></body>
<body name="puck" pos="3 0 0.1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom name="puck" type="box" size=".1 .1 .1" mass="1" friction="0.5"/></body></worldbody>
<contact><pair name="both" geom1="hull" geom2="puck"/></contact>
<actuator><motor name="push" joint="rail" gear="1"/><position name="hold" joint="x" kp="3"/></actuator></mujoco>"""


@pytest.fixture
def cart():
    return cradle.Model.from_text(CART)


def velocity(model, ctrl, n=100):
    sim = cradle.Sim(model)
    sim.ctrl[0] = ctrl
    sim.step(n)
    return sim.qvel[0]


def test_mass_gain_and_damping_change_the_motion_by_newtons_law(cart):
    assert velocity(cart, 4) == pytest.approx(4 / 2 * 0.1, rel=1e-9)
    heavy = cart.variant(mass={"cart": 8})
    assert velocity(heavy, 4) == pytest.approx(4 / 8 * 0.1, rel=1e-9) and heavy.mass == pytest.approx(9)
    assert velocity(heavy.variant(gain={"push": 3}), 4) == pytest.approx(3 * 4 / 8 * 0.1, rel=1e-9)
    d = 5.0  # m v' = f - d v
    assert velocity(cart.variant(damping={"rail": d}), 4) == pytest.approx(4 / d * (1 - np.exp(-d / 2 * 0.1)), rel=1e-6)
    assert velocity(cart, 4) == pytest.approx(4 / 2 * 0.1, rel=1e-9)  # the base is as it was


def test_gravity_friction_and_restitution(cart):
    ball = cradle.Model.from_text(BALL)
    moon = cradle.Sim(ball.variant(gravity=[0, 0, -1.62]))
    moon.step(10)
    assert moon.qvel[2] == pytest.approx(-1.62 * 0.1, rel=1e-12) and ball.gravity[2] == -9.81
    bouncy = ball.variant(restitution={"ball": 0.5})
    p = bouncy.contact_problem([0, 0, .1, 1, 0, 0, 0], [0, 0, -2, 0, 0, 0])
    assert p.contacts[0].e == 0.5 and p.resolve("newton")[0].v_plus[2] == pytest.approx(1)

    def contact(model):
        return model.contact_problem(distance=1e-3).contacts[0]
    assert contact(cart).mu == 0.5
    assert contact(cart.variant(friction={"floor": 0.1, "puck": 0.1})).mu == 0.1
    assert contact(cart.variant(friction={"puck": [0.8, 0.01, 0.001]})).mu == 0.8  # the larger counts


def test_inertial_is_what_turns():
    top = cradle.Model.from_text("""<mujoco><worldbody><body name="top"><joint name="spin" axis="0 0 1"/>
        <geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>""")
    other = top.variant(inertial={"top": (2.0, [0.5, 0, 0], [1, 0, 0, 0], [0.1, 0.2, 0.25])})
    assert other.contact_problem().M[0, 0] == pytest.approx(0.25 + 2 * 0.5**2, rel=1e-12)
    assert top.contact_problem().M[0, 0] == pytest.approx(0.4 * 0.01, rel=1e-12)


def test_variants_of_variants_pickles_and_lives(cart):
    import gc
    two = cart.variant(mass={"cart": 8}).variant(mass={1: 4}, gravity=np.array([0, 0, -5.0]))
    expected = velocity(two, 4)
    del cart
    gc.collect()
    assert velocity(two, 4) == expected == pytest.approx(4 / 4 * 0.1, rel=1e-9)
    again = pickle.loads(pickle.dumps(two))
    assert velocity(again, 4) == expected and again.gravity[2] == -5 and again.names("body") == two.names("body")
    assert cradle.Batch(two, 3).sim(0).model is two


def test_a_trace_of_a_variant_knows_its_model_and_a_file_does_not_pretend(cart, tmp_path):
    heavy = cart.variant(mass={"cart": 8})
    tr = cradle.Sim(heavy).run(0.01)
    assert tr.model is heavy and pickle.loads(pickle.dumps(tr)).model.mass == heavy.mass
    assert "<iframe" in tr._repr_html_()
    tr.save(tmp_path / "x.h5")
    with pytest.raises(cradle.InputError, match="no model in the trace"):
        cradle.open(tmp_path / "x.h5").model
    assert cradle.Sim(cart).run(0.01).model is cart


@pytest.mark.parametrize("change, kind, text", [
    ({"mass": {"cat": 1}}, KeyError, "body: found 'cat', expected one of world, cart, puck"),
    ({"mass": {"cart": 0}}, cradle.InputError, 'body 1 "cart": mass is 0, expected a positive number'),
    ({"mass": {"cart": np.nan}}, ValueError, r"mass\['cart'\]: found nan"),
    ({"mass": {"cart": "heavy"}}, TypeError, r"mass\['cart'\]: found str"),
    ({"mass": {7: 1}}, ValueError, "mass: found 7, expected an integer in 0 .. 2"),
    ({"mass": 3}, TypeError, "mass: found int, expected a dict"),
    ({"mass": {0: 3}}, cradle.InputError, 'body 0 "world"'),
    ({"inertial": {"cart": 3}}, TypeError, r"inertial\['cart'\]: found int, expected a tuple"),
    ({"inertial": {"cart": (1, [0, 0, 0], [1, 0, 0, 0], [1, 1, 3])}}, cradle.InputError, "at most the sum of the other two"),
    ({"friction": {"floor": -1}}, cradle.InputError, 'geom 0 "floor": friction is -1'),
    ({"friction": {"floor": [1, 2]}}, ValueError, r"friction\['floor'\]: found shape \(2,\), expected \(3,\)"),
    ({"restitution": {"floor": 1.5}}, cradle.InputError, 'geom 0 "floor": restitution is 1.5'),
    ({"pair": {"both": (0.5, 2)}}, cradle.InputError, 'pair 0 "both": restitution is 2'),
    ({"pair": {"both": 0.5}}, TypeError, r"pair\['both'\]: found float, expected a tuple of friction, restitution"),
    ({"damping": {"rail": -1}}, cradle.InputError, 'joint 0 "rail": damping is -1'),
    ({"gain": {"push": [1] * 10}}, ValueError, r"gain\['push'\]: found shape \(10,\), expected up to 9 numbers"),
    ({"bias": {"push": np.inf}}, ValueError, r"bias\['push'\]: found inf"),
    ({"gravity": [0, 0]}, ValueError, r"gravity: found shape \(2,\)"),
    ({"colour": 1}, TypeError, "colour")])
def test_nonsense_is_refused_by_name(cart, change, kind, text):
    with pytest.raises(kind, match=text):
        cart.variant(**change)
