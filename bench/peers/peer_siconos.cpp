// Siconos, minimal coordinates: the planar chain as one Lagrangian system in the absolute angles of its links, mass
// matrix and Coriolis terms written by hand; planar frictional contacts linked and unlinked by proximity; Moreau-Jean
// time stepping, implicit (theta = 1). What is measured is Siconos' kernel, its dense algebra and its contact solver.
//
//   centre of link i: x = -sum_{k<i} L cos a_k - r cos a_i,  z = base - sum_{k<i} L sin a_k - r sin a_i
//   M_ij = c_ij cos(a_i - a_j),  Coriolis_i = sum_j c_ij sin(a_i - a_j) a_j'^2
#include <SolverOptions.h>

#include <InteractionManager.hpp>
#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "pendulum.h"

namespace {

struct Chain : public LagrangianDS {
  const pendulum_scene *s;
  std::vector<double> sine, cosine, x, z, last;

  Chain(const pendulum_scene *scene, SP::SiconosVector q0, SP::SiconosVector v0)
      : LagrangianDS(q0, v0),
        s(scene),
        sine(s->links),
        cosine(s->links),
        x(s->links),
        z(s->links),
        last(s->links, NAN) {
    _mass.reset(new SimpleMatrix(s->links, s->links));
    _hasConstantMass = false;
    _fGyr.reset(new SiconosVector(s->links));
    _forces.reset(new SiconosVector(s->links));
  }

  double middle() const { return s->length / 2; }

  double coefficient(int i, int j) const {
    const int below = s->links - 1 - (i > j ? i : j);
    const double own = i == j ? s->mass * middle() * middle() + s->inertia : s->mass * s->length * middle();
    return s->mass * s->length * s->length * below + own;
  }

  void place(const SiconosVector &q) {
    bool same = true;
    for (int i = 0; i < s->links && same; i++) same = last[i] == q(i);
    if (same) return;
    double at_x = 0, at_z = s->base;
    for (int i = 0; i < s->links; i++) {
      last[i] = q(i);
      sine[i] = std::sin(q(i));
      cosine[i] = std::cos(q(i));
      x[i] = at_x - middle() * cosine[i];
      z[i] = at_z - middle() * sine[i];
      at_x -= s->length * cosine[i];
      at_z -= s->length * sine[i];
    }
  }

  void computeMass() override { computeMass(_q[0]); }
  void computeMass(SP::SiconosVector q) override {
    place(*q);
    double *m = _mass->getArray();
    for (int i = 0; i < s->links; i++)
      for (int j = 0; j <= i; j++)
        m[i + j * s->links] = m[j + i * s->links] = coefficient(i, j) * (cosine[i] * cosine[j] + sine[i] * sine[j]);
  }

  void computeFGyr() override { computeFGyr(_q[0], _q[1]); }
  void computeFGyr(SP::SiconosVector q, SP::SiconosVector v) override {
    place(*q);
    for (int i = 0; i < s->links; i++) {
      double f = -s->mass * s->gravity * (s->length * (s->links - 1 - i) + middle()) * cosine[i];
      for (int j = 0; j < s->links; j++)
        if (j != i) f += coefficient(i, j) * (sine[i] * cosine[j] - cosine[i] * sine[j]) * (*v)(j) * (*v)(j);
      _fGyr->setValue(i, f);
    }
  }
  void computeForces(double, SP::SiconosVector q, SP::SiconosVector v) override {
    computeFGyr(q, v);
    for (int i = 0; i < s->links; i++) _forces->setValue(i, -(*_fGyr)(i));
  }
};

enum { FLOOR = -1, WALL = -2 };

struct Touch : public LagrangianScleronomousR {
  Chain *chain;
  int i, j;  // j: FLOOR, WALL or another ball

  Touch(Chain *owner, int first, int second) : chain(owner), i(first), j(second) {
    _jachq.reset(new SimpleMatrix(2, chain->s->links));
    _jachq->zero();
  }

  static double gap(const Chain *chain, int i, int j) {
    const pendulum_scene *s = chain->s;
    if (j == FLOOR) return chain->z[i] - s->radius - s->floor;
    if (j == WALL) return s->wall - chain->x[i] - s->radius;
    return std::hypot(chain->x[i] - chain->x[j], chain->z[i] - chain->z[j]) - 2 * s->radius;
  }

  void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override {
    chain->place(*q.vector(0));
    y.setValue(0, gap(chain, i, j));
  }

  // row += sign * d(dx x_k + dz z_k)/dq, and the ball's turning at the point of contact
  void add(int row, int k, double dx, double dz, double sign) {
    for (int m = 0; m <= k; m++) {
      const double arm = sign * (m < k ? chain->s->length : chain->middle());
      _jachq->setValue(row, m, _jachq->getValue(row, m) + arm * (dx * chain->sine[m] - dz * chain->cosine[m]));
    }
    if (row == 1) _jachq->setValue(1, k, _jachq->getValue(1, k) + chain->s->radius);
  }

  void computeJachq(const BlockVector &q, BlockVector &) override {
    chain->place(*q.vector(0));
    _jachq->zero();
    double nx = j == WALL ? -1 : 0, nz = j == FLOOR ? 1 : 0;
    if (j >= 0) {
      nx = chain->x[i] - chain->x[j], nz = chain->z[i] - chain->z[j];
      const double length = std::hypot(nx, nz);
      nx /= length, nz /= length;
    }
    add(0, i, nx, nz, 1);
    add(1, i, nz, -nx, 1);
    if (j >= 0) add(0, j, nx, nz, -1), add(1, j, nz, -nx, -1);
  }
};

struct Proximity : public InteractionManager {
  std::map<std::pair<int, int>, SP::Interaction> linked;
  SP::NonSmoothLaw law;
  std::shared_ptr<Chain> chain;
  const double near = 0.02, far = 0.05;

  void update(SP::Simulation simulation, int i, int j) {
    const auto key = std::make_pair(i, j);
    const auto found = linked.find(key);
    const double gap = Touch::gap(chain.get(), i, j);
    if (found == linked.end() && gap < near) {
      SP::Interaction made(new Interaction(law, std::make_shared<Touch>(chain.get(), i, j)));
      linked[key] = made;
      simulation->link(made, chain, SP::DynamicalSystem());
    } else if (found != linked.end() && gap > far) {
      simulation->unlink(found->second);
      linked.erase(found);
    }
  }

  void updateInteractions(SP::Simulation simulation) override {
    chain->place(*chain->q());
    for (int i = 0; i < chain->s->links; i++) {
      update(simulation, i, FLOOR);
      update(simulation, i, WALL);
      for (int j = i + 2; j < chain->s->links; j++) update(simulation, i, j);
    }
  }
};

struct World {
  pendulum_scene scene;
  std::shared_ptr<Chain> chain;
  SP::TimeStepping simulation;
  std::vector<double> q, qd;
};

void *make(const pendulum_scene *s, const char *) {
  World *w = new World;
  w->scene = *s;
  SP::SiconosVector q0(new SiconosVector(s->links)), v0(new SiconosVector(s->links));
  for (int i = 0; i < s->links; i++) q0->setValue(i, 0), v0->setValue(i, s->rate);
  w->chain.reset(new Chain(&w->scene, q0, v0));
  SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0, (s->steps + 10) * s->timestep));
  system->insertDynamicalSystem(w->chain);
  w->simulation.reset(new TimeStepping(system, SP::TimeDiscretisation(new TimeDiscretisation(0, s->timestep))));
  w->simulation->insertIntegrator(SP::MoreauJeanOSI(new MoreauJeanOSI(1.0)));
  SP::FrictionContact problem(new FrictionContact(2));
  problem->setNumericsVerboseMode(0);
  problem->setKeepLambdaAndYState(true);
  w->simulation->insertNonSmoothProblem(problem);
  if (s->collides) {
    std::shared_ptr<Proximity> manager(new Proximity);
    manager->law.reset(new NewtonImpactFrictionNSL(0., 0., s->mu, 2));
    manager->chain = w->chain;
    w->simulation->insertInteractionManager(manager);
  }
  w->simulation->setNewtonOptions(SICONOS_TS_NONLINEAR);
  w->simulation->setNewtonMaxIteration(20);
  w->simulation->setNewtonTolerance(1e-6);
  w->simulation->setCheckSolverFunction([](int, Simulation *) {});
  w->simulation->initialize();
  w->q.resize(s->links);
  w->qd.resize(s->links);
  return w;
}

void step(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->simulation->computeOneStep();
  w->simulation->nextStep();
}

double read_balls(void *opaque, const pendulum_scene *s, double *centre, double *velocity, double *rotation) {
  World *w = static_cast<World *>(opaque);
  const SiconosVector &q = *w->chain->q(), &v = *w->chain->velocity();
  for (int i = 0; i < s->links; i++) {
    w->q[i] = q(i) - (i ? q(i - 1) : 0);
    w->qd[i] = v(i) - (i ? v(i - 1) : 0);
  }
  pendulum_from_joints(s, w->q.data(), w->qd.data(), centre, velocity, rotation);
  return 0;
}

void destroy(void *opaque) { delete static_cast<World *>(opaque); }

}  // namespace

int main(int argc, char **argv) try {
  const pendulum_engine engine = {"Siconos", make, step, read_balls, destroy};
  return pendulum_main(&engine, argc, argv);
} catch (const std::exception &error) {
  std::fprintf(stderr, "Siconos: %s\n", error.what());
  return 3;
}
