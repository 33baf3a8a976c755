/* Checks of single numbers and references, each with a message that names element, attribute, value and rule. */
#ifndef CRADLE_MODEL_CHECK_H
#define CRADLE_MODEL_CHECK_H

#include "model/build.h"

/* n numbers, all finite (CRD_ERR_NUMBER). */
crd_status crd_check_finite(const crd_build *b, const crd_element *element, const char *what, const double *x, int n);
/* Finite and >= 0. */
crd_status crd_check_not_negative(const crd_build *b, const crd_element *element, const char *what, const double *x,
                                  int n);
/* Finite and > 0. */
crd_status crd_check_positive(const crd_build *b, const crd_element *element, const char *what, const double *x, int n);
/* A vector of n numbers that can be scaled to length 1. */
crd_status crd_check_direction(const crd_build *b, const crd_element *element, const char *what, const double *x,
                               int n);
/* Finite and range[0] < range[1]. */
crd_status crd_check_range(const crd_build *b, const crd_element *element, const char *what, const double range[2]);
/* 0 <= id < count: the element refers to an existing thing of that kind (CRD_ERR_ARGUMENT). */
crd_status crd_check_reference(const crd_build *b, const crd_element *element, const char *kind, int id, int count);
/* A reference to a hinge or slide joint. */
crd_status crd_check_scalar_joint(const crd_build *b, const crd_element *element, int id);
crd_status crd_check_condim(const crd_build *b, const crd_element *element, int condim);
/* In [0, 1], or NaN for "not given". */
crd_status crd_check_restitution(const crd_build *b, const crd_element *element, double e);
/* The name is the first of its kind. */
crd_status crd_check_name(const crd_build *b, const crd_element *element, const crd_names *names);

/* All definitions of one sort (check_tree.c, check_contact.c, check_loops.c, check_control.c, sites.c). */
crd_status crd_check_bodies(const crd_build *b);
crd_status crd_check_joints(crd_build *b);
crd_status crd_check_geoms(const crd_build *b);
crd_status crd_check_sites(const crd_build *b);
crd_status crd_check_meshes(const crd_build *b);
crd_status crd_check_pairs(const crd_build *b);
crd_status crd_check_loops(const crd_build *b);
crd_status crd_check_actuators(const crd_build *b);
/* (check_tendons.c) */
crd_status crd_check_tendons(const crd_build *b);
crd_status crd_check_sensors(const crd_build *b);
crd_status crd_check_keys(const crd_build *b);

#endif
