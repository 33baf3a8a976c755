/* Pages and pictures of traces and mechanisms, for `view` and for the verbs that make them. */
#ifndef CRADLE_CLI_VIEW_H
#define CRADLE_CLI_VIEW_H

#include "page.h"
#include "picture_files.h"

/* Pictures that an option asks for. */
typedef struct view_picture {
  const char *verb; /* whose options these are, for messages */
  picture_files files;
  const char *at;   /* times of the scenes, NULL: energies over time */
  const char *look; /* oblique, front, side or top */
} view_picture;

enum { VIEW_PICTURE_OPTIONS = PICTURE_OPTIONS + 2 };
/* --svg, --png, --at and --look into a verb's table. */
void view_picture_options(view_picture *wanted, cli_option *option);
/* false after a message: PNG is not to be had, there is no such view, or --at without a picture. */
bool view_picture_possible(const view_picture *wanted);
enum { VIEW_MOST_TIMES = 8 };
/* --at "0 0.5,1" as times from begin to end; their number, or -1 after a message. */
int view_times(const view_picture *wanted, double begin, double end, double t[VIEW_MOST_TIMES]);

/* Page and pictures of a trace. html NULL: no page. fresh: this command ran it, and the page can run it again. The exit
 * code, after a message on stderr where it is not CLI_DONE. */
int view_trace(const crd_trace *trace, const char *html, const view_picture *wanted, bool fresh);

/* The contacts that there are at the first row, which belongs to no step; NULL: not known. The caller frees it. */
crd_contact_problem *view_first_contacts(const crd_trace *trace, const crd_model *model);
/* Energies over time, or the scene at some times; the exit code. */
int view_trace_picture(const crd_trace *trace, const view_picture *wanted);
int view_trace_scenes(const crd_trace *trace, const view_picture *wanted);
/* The mechanism at its state, with the contacts of the problem; the exit code. */
int view_mechanism_picture(const cli_mechanism *mechanism, const crd_contact_problem *problem,
                           const view_picture *wanted);
/* The sets of a file of outcomes; the exit code. */
int view_outcomes_picture(const crd_outcome_file *file, const view_picture *wanted);

#endif
