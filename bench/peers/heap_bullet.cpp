// Heaps in Bullet: sequential impulses with its 10 iterations, double precision, two directions of friction, nothing
// falls asleep.
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "heap.h"

namespace {

double friction = 0;
btScalar combined(const btCollisionObject *, const btCollisionObject *) { return friction; }

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<btRigidBody *> body;
  heap_scene scene;
};

btRigidBody *add(World *w, btCollisionShape *shape, double mass, double inertia, const btVector3 &position) {
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, btVector3(inertia, inertia, inertia));
  info.m_startWorldTransform.setOrigin(position);
  info.m_friction = friction, info.m_restitution = 0;
  btRigidBody *body = new btRigidBody(info);
  body->setActivationState(DISABLE_DEACTIVATION);
  body->setUserIndex(-1);
  w->world.addRigidBody(body);
  return body;
}

void *make(const heap_scene *s) {
  World *w = new World;
  w->scene = *s;
  friction = s->mu;
  gCalculateCombinedFrictionCallback = combined;
  w->world.setGravity(btVector3(0, 0, -s->gravity));
  w->world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  add(w, new btBoxShape(btVector3(5, 5, 0.1)), 0, 0, btVector3(0, 0, -0.1));
  for (int side = -1; side <= 1; side += 2) {
    add(w, new btBoxShape(btVector3(0.1, 5, 5)), 0, 0, btVector3(side * (s->half + 0.1), 0, 0));
    add(w, new btBoxShape(btVector3(5, 0.1, 5)), 0, 0, btVector3(0, side * (s->half + 0.1), 0));
  }
  btCollisionShape *shape = new btSphereShape(s->size);
  if (s->boxes) shape = new btBoxShape(btVector3(s->size, s->size, s->size));
  for (int i = 0; i < s->n; i++) {
    double p[3];
    heap_start(s, i, p);
    btRigidBody *body = add(w, shape, s->mass, s->inertia, btVector3(p[0], p[1], p[2]));
    body->setDamping(0, 0);
    body->setUserIndex(i);
    w->body.push_back(body);
  }
  return w;
}

void step(void *opaque) {
  World *w = static_cast<World *>(opaque);
  w->world.stepSimulation(w->scene.timestep, 0);
}

void bodies(void *opaque, heap_body *body) {
  World *w = static_cast<World *>(opaque);
  for (int i = 0; i < w->scene.n; i++)
    for (int k = 0; k < 3; k++) {
      body[i].position[k] = w->body[i]->getCenterOfMassPosition()[k];
      body[i].velocity[k] = w->body[i]->getLinearVelocity()[k];
      body[i].spin[k] = w->body[i]->getAngularVelocity()[k];
    }
}

int contacts(void *opaque, heap_contact *contact, int capacity) {
  World *w = static_cast<World *>(opaque);
  int count = 0;
  for (int m = 0; m < w->dispatcher.getNumManifolds(); m++) {
    const btPersistentManifold *manifold = w->dispatcher.getManifoldByIndexInternal(m);
    for (int i = 0; i < manifold->getNumContacts() && count < capacity; i++) {
      const btManifoldPoint &p = manifold->getContactPoint(i);
      if (p.getDistance() > 0 && p.m_appliedImpulse == 0) continue;
      btVector3 impulse = p.m_normalWorldOnB * p.m_appliedImpulse +
                          p.m_lateralFrictionDir1 * p.m_appliedImpulseLateral1 +
                          p.m_lateralFrictionDir2 * p.m_appliedImpulseLateral2;
      heap_contact *c = &contact[count++];
      c->body[0] = manifold->getBody0()->getUserIndex(), c->body[1] = manifold->getBody1()->getUserIndex();
      c->gap = p.getDistance();
      for (int k = 0; k < 3; k++) {
        c->point[k] = 0.5 * (p.m_positionWorldOnA[k] + p.m_positionWorldOnB[k]);
        c->normal[k] = p.m_normalWorldOnB[k], c->impulse[k] = impulse[k];
      }
    }
  }
  return count;
}

}  // namespace

int main(int argc, char **argv) {
  const heap_engine engine = {"Bullet", make, step, bodies, contacts};
  return heap_main(argc, argv, &engine);
}
