// ODE, maximal coordinates with hinge joints, double precision. Variants: step (Dantzig's LCP), quick (20 iterations).
#include <ode/ode.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "pendulum.h"

namespace {

struct World {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  std::vector<dBodyID> body;
  std::vector<dJointID> hinge;
  double mu, timestep;
  bool quick;
};

void near(void *opaque, dGeomID a, dGeomID b) {
  World *w = static_cast<World *>(opaque);
  dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
  if ((!x && !y) || (x && y && dAreConnectedExcluding(x, y, dJointTypeContact))) return;
  dContact contact[8];
  int count = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
  for (int i = 0; i < count; i++) {
    contact[i].surface.mode = dContactApprox1;  // friction pyramid of the normal force
    contact[i].surface.mu = w->mu;
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contact[i]), x, y);
  }
}

void add_slab(World *w, const double half[3], double x, double z) {
  dGeomSetPosition(dCreateBox(w->space, 2 * half[0], 2 * half[1], 2 * half[2]), x, 0, z);
}

void add_link(World *w, const pendulum_scene *s, int i) {
  const double middle = -(i + 0.5) * s->length;
  dMass mass;
  dMassSetSphereTotal(&mass, s->mass, s->radius);
  dBodyID body = dBodyCreate(w->world);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, middle, 0, s->base);
  dBodySetAngularVel(body, 0, -s->rate, 0);
  dBodySetLinearVel(body, 0, 0, s->rate * middle);
  if (s->collides) dGeomSetBody(dCreateSphere(w->space, s->radius), body);
  dJointID hinge = dJointCreateHinge(w->world, 0);
  dJointAttach(hinge, body, i ? w->body.back() : 0);
  dJointSetHingeAnchor(hinge, -i * s->length, 0, s->base);
  dJointSetHingeAxis(hinge, 0, 1, 0);
  w->body.push_back(body);
  w->hinge.push_back(hinge);
}

void *make(const pendulum_scene *s, const char *variant) {
  World *w = new World;
  w->world = dWorldCreate();
  w->space = dHashSpaceCreate(0);
  w->contacts = dJointGroupCreate(0);
  w->mu = s->mu;
  w->timestep = s->timestep;
  w->quick = std::strcmp(variant, "quick") == 0;
  dWorldSetGravity(w->world, 0, 0, -s->gravity);
  dWorldSetAutoDisableFlag(w->world, 0);
  add_slab(w, s->half_floor, 0, s->floor - s->half_floor[2]);
  add_slab(w, s->half_wall, s->wall + s->half_wall[0], 0);
  for (int i = 0; i < s->links; i++) add_link(w, s, i);
  return w;
}

void step(void *opaque) {
  World *w = static_cast<World *>(opaque);
  dSpaceCollide(w->space, w, near);
  if (w->quick) {
    dWorldQuickStep(w->world, w->timestep);
  } else {
    dWorldStep(w->world, w->timestep);
  }
  dJointGroupEmpty(w->contacts);
}

double read_balls(void *opaque, const pendulum_scene *s, double *centre, double *velocity, double *rotation) {
  World *w = static_cast<World *>(opaque);
  double widest = 0;
  for (int i = 0; i < s->links; i++) {
    for (int k = 0; k < 3; k++) {
      centre[3 * i + k] = dBodyGetPosition(w->body[i])[k];
      velocity[3 * i + k] = dBodyGetLinearVel(w->body[i])[k];
      rotation[3 * i + k] = dBodyGetAngularVel(w->body[i])[k];
    }
    dVector3 a, b;
    dJointGetHingeAnchor(w->hinge[i], a);
    dJointGetHingeAnchor2(w->hinge[i], b);
    widest = std::fmax(widest, std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                         (a[2] - b[2]) * (a[2] - b[2])));
  }
  return widest;
}

void destroy(void *opaque) {
  World *w = static_cast<World *>(opaque);
  dJointGroupDestroy(w->contacts);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  delete w;
}

}  // namespace

int main(int argc, char **argv) {
  dInitODE2(0);
  const pendulum_engine engine = {"ODE", make, step, read_balls, destroy};
  return pendulum_main(&engine, argc, argv);
}
