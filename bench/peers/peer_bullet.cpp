// Bullet, Featherstone multibody in double precision. Variants: si (sequential impulses, 10 iterations), dantzig.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cstring>
#include <memory>
#include <vector>

#include "pendulum.h"

namespace {

struct World {  // members are destroyed in reverse order
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  std::unique_ptr<btMLCPSolverInterface> lcp;
  std::unique_ptr<btMultiBodyConstraintSolver> solver;
  std::vector<std::unique_ptr<btCollisionShape>> shape;
  std::vector<std::unique_ptr<btCollisionObject>> object;
  std::unique_ptr<btMultiBody> chain;
  std::unique_ptr<btMultiBodyDynamicsWorld> world;
  double timestep;
  std::vector<double> q, qd;
};

double scene_mu;  // Bullet multiplies the coefficients of two bodies unless told otherwise by a function

void add_slab(World *w, const double half[3], double x, double z) {
  w->shape.emplace_back(new btBoxShape(btVector3(half[0], half[1], half[2])));
  btRigidBody *body = new btRigidBody(0, nullptr, w->shape.back().get());
  w->object.emplace_back(body);
  btTransform pose;
  pose.setIdentity();
  pose.setOrigin(btVector3(x, 0, z));
  body->setWorldTransform(pose);
  body->setRestitution(0);
  w->world->addRigidBody(body, btBroadphaseProxy::StaticFilter,
                         btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
}

// Links along -x at angle 0; the axis -y turns them downwards.
void add_chain(World *w, const pendulum_scene *s) {
  w->shape.emplace_back(new btSphereShape(s->radius));
  btCollisionShape *ball = w->shape.back().get();
  const btVector3 inertia(s->inertia, s->inertia, s->inertia), middle(-s->length / 2, 0, 0);
  w->chain.reset(new btMultiBody(s->links, 0, btVector3(0, 0, 0), true, false));
  btMultiBody *chain = w->chain.get();
  chain->setBasePos(btVector3(0, 0, s->base));
  for (int i = 0; i < s->links; i++)
    chain->setupRevolute(i, s->mass, inertia, i - 1, btQuaternion(0, 0, 0, 1), btVector3(0, -1, 0),
                         i == 0 ? btVector3(0, 0, 0) : middle, middle, true);
  chain->finalizeMultiDof();
  chain->setLinearDamping(0);
  chain->setAngularDamping(0);
  chain->setMaxCoordinateVelocity(1e10);
  chain->setCanSleep(false);
  chain->setHasSelfCollision(true);
  chain->setJointVel(0, s->rate);
  w->world->addMultiBody(chain);
  for (int i = 0; s->collides && i < s->links; i++) {
    btMultiBodyLinkCollider *collider = new btMultiBodyLinkCollider(chain, i);
    w->object.emplace_back(collider);
    collider->setCollisionShape(ball);
    collider->setRestitution(0);
    w->world->addCollisionObject(collider, btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter);
    chain->getLink(i).m_collider = collider;
  }
  btAlignedObjectArray<btQuaternion> turned;
  btAlignedObjectArray<btVector3> placed;
  chain->forwardKinematics(turned, placed);
  chain->updateCollisionObjectWorldTransforms(turned, placed);
}

void *make(const pendulum_scene *s, const char *variant) {
  World *w = new World;
  if (std::strcmp(variant, "dantzig") == 0) {
    w->lcp.reset(new btDantzigSolver);
    w->solver.reset(new btMultiBodyMLCPConstraintSolver(w->lcp.get()));
  } else {
    w->solver.reset(new btMultiBodyConstraintSolver);
  }
  w->world.reset(new btMultiBodyDynamicsWorld(&w->dispatcher, &w->broadphase, w->solver.get(), &w->configuration));
  w->world->setGravity(btVector3(0, 0, -s->gravity));
  w->timestep = s->timestep;
  scene_mu = s->mu;
  gCalculateCombinedFrictionCallback = [](const btCollisionObject *, const btCollisionObject *) -> btScalar {
    return scene_mu;
  };
  add_slab(w, s->half_floor, 0, s->floor - s->half_floor[2]);
  add_slab(w, s->half_wall, s->wall + s->half_wall[0], 0);
  add_chain(w, s);
  w->q.resize(s->links);
  w->qd.resize(s->links);
  return w;
}

void step(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->world->stepSimulation(w->timestep, 0);
}

double read_balls(void *opaque, const pendulum_scene *s, double *centre, double *velocity, double *rotation) {
  World *w = static_cast<World *>(opaque);
  for (int i = 0; i < s->links; i++) w->q[i] = w->chain->getJointPos(i), w->qd[i] = w->chain->getJointVel(i);
  pendulum_from_joints(s, w->q.data(), w->qd.data(), centre, velocity, rotation);
  return 0;
}

void destroy(void *opaque) {
  World *w = static_cast<World *>(opaque);
  for (auto &object : w->object) w->world->removeCollisionObject(object.get());
  w->world->removeMultiBody(w->chain.get());
  delete w;
}

}  // namespace

int main(int argc, char **argv) {
  const pendulum_engine engine = {"Bullet", make, step, read_balls, destroy};
  return pendulum_main(&engine, argc, argv);
}
