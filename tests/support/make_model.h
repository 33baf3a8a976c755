/* Short ways to define mechanisms in tests. */
#ifndef TESTS_MAKE_MODEL_H
#define TESTS_MAKE_MODEL_H

#include <cradle/model.h>

/* A body of mass 1 with the inertia of a solid ball of radius 1, at (x, y, z) in its parent. */
int make_body(crd_builder *builder, const char *name, int parent, double x, double y, double z);
/* A body without an inertial of its own. */
int make_bare_body(crd_builder *builder, const char *name, int parent, double x, double y, double z);
/* A joint at the body's origin. */
int make_joint(crd_builder *builder, int body, crd_joint_type type, double x, double y, double z);
/* A geom at the body's origin. */
int make_geom(crd_builder *builder, int body, crd_geom_type type, double a, double b, double c);

/* The model (with the default options where options is NULL); the test fails with the message if there is none. */
crd_model *make_model(const crd_builder *builder, const crd_build_options *options);

/* A body whose geom is the hull of n points; a build without Qhull skips the test. */
crd_model *make_hull_model(const double *vert, int n);

/* The inertia tensor of a body about its centre of mass in body axes, [xx yy zz xy xz yz], from its principal moments.
 */
void body_inertia(double inertia[6], const crd_body *body);

/* Compares mass, centre of mass and inertia tensor with the ones given by principal moments in the axes iquat;
 * relative. */
void check_body_inertia(const crd_body *body, double mass, const double ipos[3], const double iquat[4],
                        const double moments[3], double tolerance);

/* Fails the test unless |found - expected| <= tolerance max(1, |expected|) for all n. */
void check_close(const double *found, const double *expected, int n, double tolerance);

#endif
