// Heaps in ODE: quickstep with its 20 sweeps, double precision, nothing falls asleep.
#include <ode/ode.h>

#include <vector>

#include "heap.h"

namespace {

struct World {
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  std::vector<dBodyID> body;
  std::vector<dContactGeom> geom;
  std::vector<dJointFeedback> feedback;
  std::vector<int> first, second;
  heap_scene scene;
};

int index_of(dBodyID body) { return body ? static_cast<int>(reinterpret_cast<size_t>(dBodyGetData(body))) : -1; }

void near(void *opaque, dGeomID a, dGeomID b) {
  World *w = static_cast<World *>(opaque);
  if (!dGeomGetBody(a)) std::swap(a, b);
  dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
  if (!x) return;
  dContact contact[8];
  int count = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
  for (int i = 0; i < count; i++) {
    contact[i].surface.mode = dContactApprox1;
    contact[i].surface.mu = w->scene.mu;
    if (w->geom.size() == w->feedback.size()) return;
    dJointID joint = dJointCreateContact(w->world, w->group, &contact[i]);
    dJointAttach(joint, x, y);
    dJointSetFeedback(joint, &w->feedback[w->geom.size()]);
    w->geom.push_back(contact[i].geom);
    w->first.push_back(index_of(x)), w->second.push_back(index_of(y));
  }
}

void slab(World *w, double x, double y, double z, double px, double py, double pz) {
  dGeomSetPosition(dCreateBox(w->space, x, y, z), px, py, pz);
}

void *make(const heap_scene *s) {
  dInitODE2(0);
  World *w = new World;
  w->scene = *s;
  w->world = dWorldCreate(), w->space = dHashSpaceCreate(0), w->group = dJointGroupCreate(0);
  w->feedback.resize(40 * s->n + 100);
  dWorldSetGravity(w->world, 0, 0, -s->gravity);
  dWorldSetAutoDisableFlag(w->world, 0);
  slab(w, 10, 10, 0.2, 0, 0, -0.1);
  for (int side = -1; side <= 1; side += 2) {
    slab(w, 0.2, 10, 10, side * (s->half + 0.1), 0, 0);
    slab(w, 10, 0.2, 10, 0, side * (s->half + 0.1), 0);
  }
  for (int i = 0; i < s->n; i++) {
    double p[3];
    dMass mass;
    heap_start(s, i, p);
    dMassSetParameters(&mass, s->mass, 0, 0, 0, s->inertia, s->inertia, s->inertia, 0, 0, 0);
    dBodyID body = dBodyCreate(w->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, p[0], p[1], p[2]);
    dBodySetData(body, reinterpret_cast<void *>(static_cast<size_t>(i)));
    dGeomID geom =
        s->boxes ? dCreateBox(w->space, 2 * s->size, 2 * s->size, 2 * s->size) : dCreateSphere(w->space, s->size);
    dGeomSetBody(geom, body);
    w->body.push_back(body);
  }
  return w;
}

void step(void *opaque) {
  World *w = static_cast<World *>(opaque);
  dJointGroupEmpty(w->group);
  w->geom.clear(), w->first.clear(), w->second.clear();
  dSpaceCollide(w->space, w, near);
  dWorldQuickStep(w->world, w->scene.timestep);
}

void bodies(void *opaque, heap_body *body) {
  World *w = static_cast<World *>(opaque);
  for (int i = 0; i < w->scene.n; i++)
    for (int k = 0; k < 3; k++) {
      body[i].position[k] = dBodyGetPosition(w->body[i])[k];
      body[i].velocity[k] = dBodyGetLinearVel(w->body[i])[k];
      body[i].spin[k] = dBodyGetAngularVel(w->body[i])[k];
    }
}

int contacts(void *opaque, heap_contact *contact, int capacity) {
  World *w = static_cast<World *>(opaque);
  int count = 0;
  for (size_t i = 0; i < w->geom.size() && count < capacity; i++) {
    heap_contact *c = &contact[count++];
    c->body[0] = w->first[i], c->body[1] = w->second[i], c->gap = -w->geom[i].depth;
    for (int k = 0; k < 3; k++) {
      c->point[k] = w->geom[i].pos[k], c->normal[k] = w->geom[i].normal[k];
      c->impulse[k] = w->feedback[i].f1[k] * w->scene.timestep;
    }
  }
  return count;
}

}  // namespace

int main(int argc, char **argv) {
  const heap_engine engine = {"ODE", make, step, bodies, contacts};
  return heap_main(argc, argv, &engine);
}
