/* The pieces of MJCF that the built-in examples share. */
#include "io/example/example.h"

void crd_mjcf_numbers(crd_text *text, const char *name, int count, const double *value) {
  crd_text_add(text, " %s=\"", name);
  crd_text_add_numbers(text, count, value);
  crd_text_add(text, "\"");
}

void crd_mjcf_begin(crd_text *text, const crd_mjcf_head *head) {
  double gravity[3] = {0, 0, -head->gravity};
  crd_text_add(text, "<mujoco model=\"%s\">\n  <!-- %s -->\n", head->model, head->about);
  crd_text_add(text, "  <compiler angle=\"radian\"/>\n  <option timestep=\"0.001\"");
  crd_mjcf_numbers(text, "gravity", 3, gravity);
  crd_text_add(text, "/>\n  <custom>\n    <numeric name=\"cradle_restitution\"");
  crd_mjcf_numbers(text, "data", 1, &head->e);
  crd_text_add(text, "/>\n  </custom>\n  <default>\n    <geom contype=\"0\" conaffinity=\"0\"/>\n  </default>\n");
  crd_text_add(text, "  <worldbody>\n");
}

void crd_mjcf_world_end(crd_text *text) { crd_text_add(text, "  </worldbody>\n"); }

void crd_mjcf_end(crd_text *text) { crd_text_add(text, "</mujoco>\n"); }

void crd_mjcf_floor(crd_text *text) {
  crd_text_add(text, "    <geom name=\"floor\" type=\"plane\" size=\"10 1 0.1\"/>\n");
}

void crd_mjcf_wall(crd_text *text, double x, double sign) {
  double pos[3] = {x, 0, 1}, normal[3] = {sign, 0, 0};
  crd_text_add(text, "    <geom name=\"wall\" type=\"plane\" size=\"1 1 0.1\"");
  crd_mjcf_numbers(text, "pos", 3, pos);
  crd_mjcf_numbers(text, "zaxis", 3, normal);
  crd_text_add(text, "/>\n");
}

void crd_mjcf_planar_joints(crd_text *text, int indent, const char *x, const char *z, const char *angle) {
  crd_text_add(text, "%*s<joint name=\"%s\" type=\"slide\" axis=\"1 0 0\"/>\n", indent, "", x);
  crd_text_add(text, "%*s<joint name=\"%s\" type=\"slide\" axis=\"0 0 1\"/>\n", indent, "", z);
  if (angle) crd_text_add(text, "%*s<joint name=\"%s\" type=\"hinge\" axis=\"0 -1 0\"/>\n", indent, "", angle);
}

void crd_mjcf_point(crd_text *text, int indent, const char *name, double x, double z) {
  double pos[3] = {x, 0, z}, radius = CRD_EXAMPLE_POINT;
  crd_text_add(text, "%*s<geom name=\"%s\" type=\"sphere\"", indent, "", name);
  crd_mjcf_numbers(text, "size", 1, &radius);
  crd_mjcf_numbers(text, "pos", 3, pos);
  crd_text_add(text, " mass=\"0\"/>\n");
}

void crd_mjcf_inertial(crd_text *text, int indent, double x, double z, double mass, double j) {
  double pos[3] = {x, 0, z}, inertia[3] = {j, j, j};
  crd_text_add(text, "%*s<inertial", indent, "");
  crd_mjcf_numbers(text, "pos", 3, pos);
  crd_mjcf_numbers(text, "mass", 1, &mass);
  crd_mjcf_numbers(text, "diaginertia", 3, inertia);
  crd_text_add(text, "/>\n");
}

void crd_mjcf_pairs(crd_text *text, int count, const crd_mjcf_pair *pair) {
  crd_text_add(text, "  <contact>\n");
  for (int i = 0; i < count; i++) {
    const double friction[5] = {pair[i].mu, pair[i].mu, 0.005, 0.0001, 0.0001};
    crd_text_add(text, "    <pair name=\"%s\" geom1=\"%s\" geom2=\"%s\"", pair[i].name, pair[i].geom1, pair[i].geom2);
    if (pair[i].mu > 0) {
      crd_text_add(text, " condim=\"3\"");
      crd_mjcf_numbers(text, "friction", 5, friction);
    } else {
      crd_text_add(text, " condim=\"1\"");
    }
    crd_text_add(text, "/>\n");
  }
  crd_text_add(text, "  </contact>\n");
}

void crd_mjcf_keys(crd_text *text, int nq, int nv, int count, const crd_mjcf_key *key) {
  crd_text_add(text, "  <keyframe>\n");
  for (int i = 0; i < count; i++) {
    crd_text_add(text, "    <key name=\"%s\"", key[i].name);
    crd_mjcf_numbers(text, "qpos", nq, key[i].qpos);
    crd_mjcf_numbers(text, "qvel", nv, key[i].qvel);
    crd_text_add(text, "/>\n");
  }
  crd_text_add(text, "  </keyframe>\n");
}
