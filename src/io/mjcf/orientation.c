/* Rotations as MJCF states them: quat, axisangle, xyaxes, zaxis, euler; and the frame of a segment (fromto).
 *
 * Euler angles are applied in the order of `eulerseq`: a lower-case letter turns about the axis of the frame as turned
 * so far (its rotation is multiplied from the right), an upper-case letter about the axis of the parent (from the
 * left).
 */
#include <cradle/linalg.h>
#include <string.h>

#include "base/angle.h"
#include "io/mjcf/reader.h"

static const char *const form_name[MJCF_ROTATION_FORMS] = {"axisangle", "xyaxes", "zaxis", "euler"};
static const int form_size[MJCF_ROTATION_FORMS] = {4, 6, 3, 3};

/* Shortest vector that counts as a direction, the bound of MuJoCo's compiler. */
static const double direction_min = 1e-14;

mjcf_orientation mjcf_orientation_default(void) { return (mjcf_orientation){.quat = {1, 0, 0, 0}}; }

double mjcf_angle(const mjcf_reader *reader, double angle) { return reader->set.degrees ? angle * CRD_DEGREE : angle; }

void mjcf_read_orientation(mjcf_reader *reader, crd_xml_node *node, mjcf_orientation *orientation) {
  int stated = crd_xml_numbers(reader->doc, node, "quat", orientation->quat, 4, 4) > 0;
  for (int form = 0; form < MJCF_ROTATION_FORMS; form++) {
    int size = form_size[form];
    if (crd_xml_numbers(reader->doc, node, form_name[form], orientation->value[form], size, size)) {
      orientation->has[form] = true;
      stated++;
    }
  }
  if (stated > 1)
    crd_xml_fail(reader->doc, node, CRD_ERR_FORMAT,
                 "<%s>: found %d orientations, expected one of quat, axisangle, xyaxes, zaxis, euler", node->name,
                 stated);
}

static void fail_short(mjcf_reader *reader, const crd_xml_node *node, const char *what) {
  crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> %s: found a vector of length 0, expected a direction",
               node->name, what);
}

/* The frame whose x axis is along x, and whose y axis is the part of y across it. */
static void from_xyaxes(mjcf_reader *reader, const crd_xml_node *node, const double xy[6], double quat[4]) {
  double x[3] = {xy[0], xy[1], xy[2]}, y[3] = {xy[3], xy[4], xy[5]}, z[3];
  if (crd_vec3_normalize(x) < direction_min) {
    fail_short(reader, node, "xyaxes");
    return;
  }
  crd_vec3_axpy(y, -crd_vec3_dot(x, y), x);
  if (crd_vec3_normalize(y) < direction_min) {
    fail_short(reader, node, "xyaxes");
    return;
  }
  crd_vec3_cross(z, x, y);
  double R[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
  crd_quat_from_mat3(quat, R);
}

void mjcf_euler_quat(const mjcf_reader *reader, const double angles[3], double quat[4]) {
  quat[0] = 1, quat[1] = quat[2] = quat[3] = 0;
  for (int i = 0; i < 3; i++) {
    char letter = reader->set.eulerseq[i];
    bool fixed = strchr("XYZ", letter) != NULL;
    int which = (fixed ? letter - 'X' : letter - 'x');
    double axis[3] = {which == 0, which == 1, which == 2}, turn[4];
    crd_quat_from_axis_angle(turn, axis, mjcf_angle(reader, angles[i]));
    if (fixed) {
      crd_quat_mul(quat, turn, quat);
    } else {
      crd_quat_mul(quat, quat, turn);
    }
  }
  crd_quat_normalize(quat);
}

void mjcf_resolve_orientation(mjcf_reader *reader, const crd_xml_node *node, const mjcf_orientation *orientation,
                              double quat[4]) {
  memcpy(quat, orientation->quat, 4 * sizeof *quat);
  if (crd_quat_normalize(quat) < direction_min)
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> quat: found 0 0 0 0, expected a rotation", node->name);
  if (orientation->has[MJCF_AXISANGLE]) {
    const double *value = orientation->value[MJCF_AXISANGLE];
    double axis[3] = {value[0], value[1], value[2]};
    if (crd_vec3_normalize(axis) < direction_min) fail_short(reader, node, "axisangle");
    crd_quat_from_axis_angle(quat, axis, mjcf_angle(reader, value[3]));
  }
  if (orientation->has[MJCF_XYAXES]) from_xyaxes(reader, node, orientation->value[MJCF_XYAXES], quat);
  if (orientation->has[MJCF_ZAXIS]) {
    const double *axis = orientation->value[MJCF_ZAXIS];
    if (crd_vec3_norm(axis) < direction_min) {
      fail_short(reader, node, "zaxis");
    } else {
      crd_quat_from_z_to(quat, axis);
    }
  }
  if (orientation->has[MJCF_EULER]) mjcf_euler_quat(reader, orientation->value[MJCF_EULER], quat);
}

void mjcf_resolve_fromto(mjcf_reader *reader, const crd_xml_node *node, const double fromto[6], double pos[3],
                         double quat[4], double *half_length) {
  double along[3];
  for (int i = 0; i < 3; i++) {
    along[i] = fromto[i] - fromto[3 + i];
    pos[i] = 0.5 * (fromto[i] + fromto[3 + i]);
  }
  *half_length = 0.5 * crd_vec3_norm(along);
  if (*half_length < direction_min) {
    crd_xml_fail(reader->doc, node, CRD_ERR_NUMBER, "<%s> fromto: found two equal points, expected a segment",
                 node->name);
  } else {
    crd_quat_from_z_to(quat, along);
  }
}

void mjcf_compose(const mjcf_frame *outer, mjcf_frame *frame) {
  double moved[3];
  crd_quat_rotate(moved, outer->quat, frame->pos);
  crd_vec3_add(frame->pos, outer->pos, moved);
  crd_quat_mul(frame->quat, outer->quat, frame->quat);
}
