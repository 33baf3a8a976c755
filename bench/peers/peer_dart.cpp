// DART, generalised coordinates, boxed LCP by Dantzig's method. Variants: dart, bullet (the collision detector).
#include <cstring>
#include <dart/collision/bullet/bullet.hpp>
#include <dart/dart.hpp>
#include <memory>
#include <vector>

#include "pendulum.h"

namespace {

using namespace dart::dynamics;

struct World {
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  SkeletonPtr chain = Skeleton::create("chain");
  std::vector<double> q, qd;
};

void set_surface(ShapeNode *shape, double mu) {
  shape->createDynamicsAspect();
  shape->getDynamicsAspect()->setFrictionCoeff(mu);
  shape->getDynamicsAspect()->setRestitutionCoeff(0);
}

void add_slab(World *w, const char *name, const double half[3], double x, double z, double mu) {
  SkeletonPtr slab = Skeleton::create(name);
  auto pair = slab->createJointAndBodyNodePair<WeldJoint>();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = Eigen::Vector3d(x, 0, z);
  pair.first->setTransformFromParentBodyNode(pose);
  auto shape = std::make_shared<BoxShape>(2 * Eigen::Vector3d(half[0], half[1], half[2]));
  set_surface(pair.second->createShapeNodeWith<CollisionAspect>(shape), mu);
  slab->setMobile(false);
  w->world->addSkeleton(slab);
}

// Links along -x at angle 0; the axis -y turns them downwards.
BodyNode *add_link(World *w, const pendulum_scene *s, int i, BodyNode *parent) {
  RevoluteJoint::Properties joint;
  joint.mName = "hinge" + std::to_string(i);
  joint.mAxis = -Eigen::Vector3d::UnitY();
  joint.mT_ParentBodyToJoint.translation() = i ? Eigen::Vector3d(-s->length, 0, 0) : Eigen::Vector3d(0, 0, s->base);
  BodyNode *body = w->chain
                       ->createJointAndBodyNodePair<RevoluteJoint>(
                           parent, joint, BodyNode::AspectProperties("link" + std::to_string(i)))
                       .second;
  const Eigen::Vector3d middle(-s->length / 2, 0, 0);
  body->setInertia(Inertia(s->mass, middle, Eigen::Matrix3d::Identity() * s->inertia));
  if (s->collides) {
    auto shape = body->createShapeNodeWith<CollisionAspect>(std::make_shared<SphereShape>(s->radius));
    shape->setRelativeTranslation(middle);
    set_surface(shape, s->mu);
  }
  return body;
}

void *make(const pendulum_scene *s, const char *variant) {
  World *w = new World;
  w->world->setGravity(Eigen::Vector3d(0, 0, -s->gravity));
  w->world->setTimeStep(s->timestep);
  if (std::strcmp(variant, "bullet") == 0)
    w->world->getConstraintSolver()->setCollisionDetector(dart::collision::BulletCollisionDetector::create());
  else
    w->world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
  add_slab(w, "floor", s->half_floor, 0, s->floor - s->half_floor[2], s->mu);
  add_slab(w, "wall", s->half_wall, s->wall + s->half_wall[0], 0, s->mu);
  BodyNode *last = nullptr;
  for (int i = 0; i < s->links; i++) last = add_link(w, s, i, last);
  w->chain->enableSelfCollisionCheck();
  w->chain->disableAdjacentBodyCheck();
  w->chain->setVelocity(0, s->rate);
  w->world->addSkeleton(w->chain);
  w->q.resize(s->links);
  w->qd.resize(s->links);
  return w;
}

void step(void *opaque) { static_cast<World *>(opaque)->world->step(); }

double read_balls(void *opaque, const pendulum_scene *s, double *centre, double *velocity, double *rotation) {
  World *w = static_cast<World *>(opaque);
  for (int i = 0; i < s->links; i++) w->q[i] = w->chain->getPosition(i), w->qd[i] = w->chain->getVelocity(i);
  pendulum_from_joints(s, w->q.data(), w->qd.data(), centre, velocity, rotation);
  return 0;
}

void destroy(void *opaque) { delete static_cast<World *>(opaque); }

}  // namespace

int main(int argc, char **argv) {
  const pendulum_engine engine = {"DART", make, step, read_balls, destroy};
  return pendulum_main(&engine, argc, argv);
}
