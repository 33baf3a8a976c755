/* The energy ledger, the impulses of a step, and messages. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "contact/problem.h"
#include "sim/told.h"

double crd_sim_mechanical(crd_sim *sim, const double *q, const double *v, double *kinetic, double *potential) {
  crd_tree_kinematics(sim->model, sim->stage.work, q);
  crd_tree_velocity(sim->model, sim->stage.work, v);
  *kinetic = crd_tree_kinetic_energy(sim->model, sim->stage.work, v);
  *potential = crd_tree_potential_energy(sim->model, sim->stage.work, q);
  return *kinetic + *potential;
}

double crd_sim_booked(const crd_sim_work *work) {
  return work->actuation + work->damping + work->impact + work->contact + work->loop + work->imposed;
}

crd_sim_energy crd_sim_energy_now(const crd_sim *sim) {
  const crd_sim_work *work = &sim->now.work;
  crd_sim_energy e = {.start = sim->ledger.energy_start,
                      .actuation = work->actuation,
                      .damping = work->damping,
                      .impact = work->impact,
                      .contact = work->contact,
                      .loop = work->loop,
                      .imposed = work->imposed,
                      .gain_max = sim->ledger.gain.most,
                      .gain_sum = sim->ledger.gain.sum,
                      .law_gain_max = sim->ledger.gain.by_law};
  const crd_model *model = sim->model;
  crd_tree_kinematics(model, sim->stage.work, sim->now.q);
  crd_tree_velocity(model, sim->stage.work, sim->now.v);
  e.kinetic = crd_tree_kinetic_energy(model, sim->stage.work, sim->now.v);
  e.potential = crd_tree_potential_energy(model, sim->stage.work, sim->now.q);
  e.integration = e.kinetic + e.potential - e.start - crd_sim_booked(work);
  return e;
}

void crd_sim_note_gain(crd_sim *sim, double work, double by_law) {
  sim->ledger.gain.most = fmax(sim->ledger.gain.most, work);
  sim->ledger.gain.sum += fmax(0, work);
  sim->ledger.gain.by_law = fmax(sim->ledger.gain.by_law, by_law);
}

void crd_sim_emit(const crd_sim *sim, const crd_sim_event *event) {
  const crd_sim_observer *observer = &sim->options.observer;
  if (!observer->event) return;
  if (sim->told.holds) {
    crd_told_keep(sim->self, event);
    return;
  }
  crd_sim_event told = *event;
  told.s = told.t + sim->ledger.counters.normal_impulse;
  observer->event(observer->context, sim, &told);
}

crd_status crd_sim_fail(crd_sim *sim, crd_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(sim->message, sizeof sim->message, format, args);
  va_end(args);
  return status;
}

crd_status crd_sim_fail_singular(crd_sim *sim, const crd_workspace *work, crd_status status) {
  int id = crd_model_workspace_singular_joint(work);
  const crd_joint *joint = id >= 0 && id < sim->model->njoint ? &sim->model->joint[id] : NULL;
  if (!joint) return crd_sim_fail(sim, status, "the mass matrix is singular");
  return crd_sim_fail(sim, status,
                      "joint %d \"%s\" has no inertia to move at this state, expected mass and inertia in body \"%s\"",
                      id, joint->name, sim->model->body[joint->body].name);
}

/* A new entry of the step's list; NULL: it is full. */
static crd_sim_contact *new_entry(crd_sim *sim, const crd_contact *contact) {
  if (sim->listed.ncontact == sim->touch_capacity) return NULL;
  char *name = sim->listed.name + (size_t)CRD_CONTACT_NAME * (size_t)sim->listed.ncontact;
  crd_sim_contact *entry = &sim->listed.contact[sim->listed.ncontact++];
  *entry = (crd_sim_contact){.contact = *contact};
  memcpy(name, contact->name, CRD_CONTACT_NAME); /* an assembled problem has room for that many */
  entry->contact.name = name;
  return entry;
}

void crd_sim_add_impulses(crd_sim *sim, const double *p, const double *u_plus, const crd_mode *mode,
                          const double *work) {
  crd_name_table_begin(&sim->listed.by_name,
                       sim->listed.ncontact + sim->rows.problem->nc); /* has had room since the list has */
  for (int i = 0; i < sim->listed.ncontact; i++)
    crd_name_table_at(&sim->listed.by_name, sim->listed.contact[i].contact.name, i);
  for (int c = 0; c < sim->rows.problem->nc; c++) {
    const crd_contact *contact = &sim->rows.problem->contact[c];
    const int *known = crd_name_table_find(&sim->listed.by_name, contact->name);
    crd_sim_contact *entry = known ? &sim->listed.contact[*known] : new_entry(sim, contact);
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

void crd_sim_note_impulse(crd_sim *sim, const double *p) {
  for (int c = 0; c < sim->rows.problem->nc; c++)
    sim->ledger.counters.normal_impulse += p[sim->rows.problem->contact[c].row];
}

double crd_sim_normal_acceleration(const crd_sim *sim, const crd_contact *contact, const double *qacc) {
  if (contact->joint >= 0) {
    const double *J = sim->rows.problem->J + (size_t)sim->model->nv * (size_t)contact->row;
    double sum = 0;
    CRD_EACH (&sim->part, v, k) sum += J[k] * qacc[k];
    return sum;
  }
  crd_node node = {.body = contact->body1};
  double a1[6], a2[6];
  crd_vec3_copy(node.point, contact->point);
  crd_tree_point_acceleration(sim->model, sim->stage.work, &node, qacc, a1);
  node.body = contact->body2;
  crd_tree_point_acceleration(sim->model, sim->stage.work, &node, qacc, a2);
  double d[3];
  crd_vec3_sub(d, a1 + 3, a2 + 3);
  return crd_vec3_dot(d, contact->normal);
}
