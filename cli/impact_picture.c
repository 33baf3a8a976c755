/* The laws side by side as a picture (`cradle impact --svg FILE`, `--png FILE`): the energy that each answer leaves as
 * a bar, and the velocity that it leaves at every contact as a point of the plane of slip and separation. Answers with
 * the same contact velocities share a number. */
#include <math.h>
#include <stdlib.h>

#include "draw/plot.h"
#include "impact_print.h"
#include "picture_files.h"

enum { MOST_ROWS = 24, MOST_CONTACTS = 4, LABEL_WIDTH = 204, BAR_WIDTH = 110, ROW = 20, HEAD = 28 };

typedef struct answer_row {
  char label[96];
  const crd_impact_solution *solution;
  int number; /* of its outcome, from 1 */
} answer_row;

/* ------------------------------------------------------------------------------------------------ answers */

/* The largest contact velocity, before or after: the scale on which answers are equal. */
static double largest_velocity(const crd_contact_problem *problem, const answer_row *row, int count) {
  double most = 1e-12;
  for (int i = 0; i < problem->nrow; i++) {
    most = fmax(most, fabs(problem->u[i]));
    for (int k = 0; k < count; k++) most = fmax(most, fabs(row[k].solution->u_plus[i]));
  }
  return most;
}

static bool same_outcome(const crd_contact_problem *problem, const answer_row *a, const answer_row *b, double scale) {
  for (int i = 0; i < problem->nrow; i++)
    if (fabs(a->solution->u_plus[i] - b->solution->u_plus[i]) > 1e-6 * scale) return false;
  return true;
}

static int collect(const impact_view *view, answer_row *row) {
  const crd_contact_problem *problem = view->input->problem;
  int count = 0, outcomes = 0;
  for (int i = 0; i < view->count; i++)
    for (int k = 0; k < view->result[i].count && count < MOST_ROWS; k++) {
      const crd_impact_solution *s = &view->result[i].solution[k];
      const bool labelled = s->label && s->label[0];
      row[count].solution = s;
      snprintf(row[count++].label, sizeof row->label, "%s%s%s%s", view->law[i]->name, labelled ? " (" : "",
               labelled ? s->label : "", labelled ? ")" : "");
    }
  const double scale = largest_velocity(problem, row, count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i && row[i].number == 0; k++)
      if (same_outcome(problem, &row[i], &row[k], scale)) row[i].number = row[k].number;
    if (row[i].number == 0) row[i].number = ++outcomes;
  }
  return count;
}

/* ------------------------------------------------------------------------------------------------ energy */

/* One bar an answer, on the scale of the energy before the impact, whose end is marked; a gain is red. */
static void draw_bars(picture *to, const crd_contact_problem *problem, const answer_row *row, int count) {
  double most = 1;
  picture_font title = plot_font(PICTURE_START, PLOT_INK), label = title, value = plot_font(PICTURE_START, PLOT_QUIET);
  title.bold = true;
  picture_text(to, 12, 18, &title, problem->kinetic > 0 ? "energy left, K+/K-" : "answers");
  for (int i = 0; i < count; i++) most = fmax(most, row[i].solution->kinetic_after / problem->kinetic);
  for (int i = 0; i < count; i++) {
    const double y = HEAD + ROW * i, ratio = fmax(0, row[i].solution->kinetic_after / problem->kinetic);
    char text[96];
    snprintf(text, sizeof text, "%d", row[i].number);
    picture_text(to, 12, y + 14, &label, text);
    snprintf(text, sizeof text, "%.40s", row[i].label);
    picture_text(to, 30, y + 14, &label, text);
    if (!isfinite(ratio)) continue;
    const double whole = BAR_WIDTH / most;
    picture_rect(to, LABEL_WIDTH, y + 4, whole, ROW - 8, picture_filled(PLOT_PLAIN, 1));
    picture_rect(to, LABEL_WIDTH, y + 4, whole * ratio, ROW - 8,
                 picture_filled(ratio > 1 + 1e-9 ? PLOT_RED : PLOT_BLUE, 1));
    snprintf(text, sizeof text, "%.4f", ratio);
    picture_text(to, LABEL_WIDTH + BAR_WIDTH + 8, y + 14, &value, text);
  }
}

/* ------------------------------------------------------------------------------------------------ contacts */

/* Slip across, separation up: signed where the contact is planar, the speed of slip where it is spatial. */
static void velocity_at(const crd_contact *contact, const double *u, double xy[2]) {
  const double *row = u + contact->row;
  xy[0] = contact->ntangent == 0 ? 0 : contact->ntangent == 1 ? row[1] : hypot(row[1], row[2]);
  xy[1] = row[0];
}

/* Answers on the same spot share their dot; beside it stand their numbers, each once. */
static void draw_answers(const plot_panel *panel, const crd_contact *contact, const answer_row *row, int count) {
  const double close_x = 0.03 * (panel->x.max - panel->x.min), close_y = 0.05 * (panel->y.max - panel->y.min);
  bool named[MOST_ROWS] = {0};
  for (int i = 0; i < count; i++) {
    double at[2], other[2];
    char text[128] = "";
    size_t length = 0;
    bool used[MOST_ROWS + 1] = {0};
    velocity_at(contact, row[i].solution->u_plus, at);
    plot_dot(panel, at[0], at[1], 4, (picture_style){PLOT_BLUE, 0xffffff, 1, 1, 0});
    for (int k = i; k < count; k++) {
      velocity_at(contact, row[k].solution->u_plus, other);
      if (named[k] || fabs(other[0] - at[0]) > close_x || fabs(other[1] - at[1]) > close_y) continue;
      named[k] = true;
      if (used[row[k].number]) continue;
      used[row[k].number] = true;
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", length ? ", " : "", row[k].number);
      if (length + 8 > sizeof text) break;
    }
    const bool right = at[0] > 0.5 * (panel->x.min + panel->x.max); /* its words go to the other side */
    const picture_font font = plot_font(right ? PICTURE_END : PICTURE_START, PLOT_INK);
    if (length) picture_text(panel->to, plot_x(panel, at[0]) + (right ? -7 : 7), plot_y(panel, at[1]) - 6, &font, text);
  }
}

static void draw_contact(picture *to, int column, const crd_contact_problem *problem, int c, const answer_row *row,
                         int count) {
  const crd_contact *contact = &problem->contact[c];
  double before[2], at[2], low[2] = {0, 0}, high[2] = {0, 0};
  velocity_at(contact, problem->u, before);
  for (int i = -1; i < count; i++) {
    velocity_at(contact, i < 0 ? problem->u : row[i].solution->u_plus, at);
    for (int k = 0; k < 2; k++) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
  }
  const char *across = contact->ntangent == 2 ? "speed of slip (m/s)" : "tangential velocity (m/s)";
  const plot_axis x = plot_range(across, low[0], high[0]), y = plot_range("normal velocity (m/s)", low[1], high[1]);
  const plot_panel panel = plot_panel_begin(to, column, contact->name, x, y);
  const double whole_x[2] = {x.min, x.max}, whole_y[2] = {y.min, y.max}, zero[2] = {0, 0};
  plot_rect(&panel, x.min, y.min, x.max, 0, picture_filled(0xd9d9d3, 1)); /* still approaching */
  plot_line(&panel, 2, whole_x, zero, picture_stroked(0x999999, 1));
  plot_line(&panel, 2, zero, whole_y, picture_stroked(0x999999, 1));
  plot_dot(&panel, before[0], before[1], 5, picture_stroked(PLOT_INK, 1.5));
  draw_answers(&panel, contact, row, count);
  plot_panel_end(&panel);
}

int impact_picture_write(const picture_files *files, const impact_view *view) {
  const crd_contact_problem *problem = view->input->problem;
  answer_row row[MOST_ROWS] = {0};
  const int count = collect(view, row), contacts = problem->nc < MOST_CONTACTS ? problem->nc : MOST_CONTACTS;
  if (count == 0) return cli_complain("impact", "--svg, --png: found no answer of any law, expected one to draw");
  picture p = plot_begin(1 + contacts, HEAD + ROW * count + 12);
  draw_bars(&p, problem, row, count);
  for (int c = 0; c < contacts; c++) draw_contact(&p, c + 1, problem, c, row, count);
  return picture_write(&p, files);
}
