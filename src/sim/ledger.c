/* The energy ledger, the impulses of a step, and messages. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/print.h"
#include "contact/problem.h"
#include "sim/told.h"

double crd_sim_mechanical(crd_group *group, const double *q, const double *v, double *kinetic, double *potential) {
  crd_tree_kinematics(group->model, group->stage->work, q);
  crd_tree_velocity(group->model, group->stage->work, v);
  *kinetic = crd_tree_kinetic_energy(group->model, group->stage->work, v);
  *potential = crd_tree_potential_energy(group->model, group->stage->work, q);
  return *kinetic + *potential;
}

double crd_sim_booked(const crd_sim_work *work) {
  return work->actuation + work->damping + work->impact + work->contact + work->loop + work->imposed;
}

crd_sim_energy crd_sim_energy_now(const crd_sim *sim) {
  const crd_sim_moment *now = &sim->whole.now;
  const crd_sim_gain *gain = &sim->whole.ledger.gain;
  const crd_sim_work *work = &now->work;
  crd_sim_energy e = {.start = sim->energy_start,
                      .actuation = work->actuation,
                      .damping = work->damping,
                      .impact = work->impact,
                      .contact = work->contact,
                      .loop = work->loop,
                      .imposed = work->imposed,
                      .gain_max = gain->most,
                      .gain_sum = gain->sum,
                      .law_gain_max = gain->by_law};
  crd_sim_mechanical(&sim->self->whole, now->q, now->v, &e.kinetic, &e.potential);
  e.integration = e.kinetic + e.potential - e.start - crd_sim_booked(work);
  return e;
}

void crd_sim_note_gain(crd_group *group, double work, double by_law) {
  group->ledger.gain.most = fmax(group->ledger.gain.most, work);
  group->ledger.gain.sum += fmax(0, work);
  group->ledger.gain.by_law = fmax(group->ledger.gain.by_law, by_law);
}

void crd_sim_emit(crd_group *group, const crd_sim_event *event) {
  const crd_sim_observer *observer = &group->options->observer;
  if (!observer->event) return;
  if (group->number >= 0) {
    crd_told_keep(group, event);
    return;
  }
  crd_sim_event told = *event;
  told.s = told.t + group->ledger.counters.normal_impulse;
  observer->event(observer->context, group->sim, &told);
}

bool crd_sim_stopped(const crd_group *group) {
  return group->options->stop && group->options->stop(group->options->stop_context);
}

crd_status crd_sim_fail(crd_group *group, crd_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  crd_vprint(group->message, sizeof group->scratch->message, format, args);
  va_end(args);
  return status;
}

crd_status crd_sim_fail_singular(crd_group *group, const crd_workspace *work, crd_status status) {
  int id = crd_model_workspace_singular_joint(work);
  const crd_joint *joint = id >= 0 && id < group->model->njoint ? &group->model->joint[id] : NULL;
  if (!joint) return crd_sim_fail(group, status, "the mass matrix is singular");
  return crd_sim_fail(group, status,
                      "joint %d \"%s\" has no inertia to move at this state, expected mass and inertia in body \"%s\"",
                      id, joint->name, group->model->body[joint->body].name);
}

/* A new entry of the step's list; NULL: memory is out. Where the list has room nothing moves. */
static crd_sim_contact *new_entry(crd_group *group, const crd_contact *contact) {
  if (crd_group_reserve_listed(group, group->listed.ncontact + 1) != CRD_OK) return NULL;
  char *name = group->listed.name + (size_t)CRD_CONTACT_NAME * (size_t)group->listed.ncontact;
  crd_sim_contact *entry = &group->listed.contact[group->listed.ncontact++];
  *entry = (crd_sim_contact){.contact = *contact};
  memcpy(name, contact->name, CRD_CONTACT_NAME); /* an assembled problem has room for that many */
  entry->contact.name = name;
  return entry;
}

void crd_sim_add_impulses(crd_group *group, const double *p, const double *u_plus, const crd_mode *mode,
                          const double *work) {
  const int most = group->listed.ncontact + group->rows->problem->nc;
  /* the table keeps the names of the list, which therefore must not move while it is used */
  if (crd_group_reserve_listed(group, most) != CRD_OK) return;
  if (crd_name_table_begin(&group->scratch->by_name, most) != CRD_OK) return;
  for (int i = 0; i < group->listed.ncontact; i++)
    crd_name_table_at(&group->scratch->by_name, group->listed.contact[i].contact.name, i);
  for (int c = 0; c < group->rows->problem->nc; c++) {
    const crd_contact *contact = &group->rows->problem->contact[c];
    const int *known = crd_name_table_find(&group->scratch->by_name, contact->name);
    crd_sim_contact *entry = known ? &group->listed.contact[*known] : new_entry(group, contact);
    if (!entry) continue;
    const char *name = entry->contact.name;
    entry->contact = *contact, entry->contact.name = name;
    entry->mode = mode[c];
    entry->work += work ? work[c] : 0;
    entry->impulse_n += p[contact->row], entry->velocity_n = u_plus[contact->row];
    for (int t = 0; t < contact->ntangent; t++) {
      entry->impulse_t[t] += p[contact->row + 1 + t];
      entry->velocity_t[t] = u_plus[contact->row + 1 + t];
    }
    const double *spin = p + contact->row + 1 + contact->ntangent, *roll = spin + contact->nspin;
    for (int t = 0; t < contact->nspin; t++) entry->impulse_spin += spin[t];
    for (int t = 0; t < contact->nroll; t++) entry->impulse_roll[t] += roll[t];
  }
}

void crd_sim_note_impulse(crd_group *group, const double *p) {
  for (int c = 0; c < group->rows->problem->nc; c++)
    group->ledger.counters.normal_impulse += p[group->rows->problem->contact[c].row];
}

double crd_sim_normal_acceleration(const crd_group *group, const crd_contact *contact, const double *qacc) {
  if (contact->joint >= 0) {
    const double *J = group->rows->problem->J + (size_t)group->model->nv * (size_t)contact->row;
    double sum = 0;
    CRD_EACH (group->part, v, k) sum += J[k] * qacc[k];
    return sum;
  }
  crd_node node = {.body = contact->body1};
  double a1[6], a2[6];
  crd_vec3_copy(node.point, contact->point);
  crd_tree_point_acceleration(group->model, group->stage->work, &node, qacc, a1);
  node.body = contact->body2;
  crd_tree_point_acceleration(group->model, group->stage->work, &node, qacc, a2);
  double d[3];
  crd_vec3_sub(d, a1 + 3, a2 + 3);
  return crd_vec3_dot(d, contact->normal);
}
