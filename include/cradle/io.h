/* io: mechanisms from files, MJCF (root element <mujoco>) and URDF (root element <robot>), and data kept in files.
 *
 * A reader either understands an element, lists it in the report as ignored (it has no influence on the motion), or
 * refuses the file: because leaving it out would change the physics, or because the format has no such name. With
 * `lenient` the last are listed too, as warnings. Files are read without network access and without entity expansion. Includes and meshes are found relative to
 * the model's file and have to lie in its folder, links and ".." resolved, unless `allow_outside` is set.
 */
#ifndef CRADLE_IO_H
#define CRADLE_IO_H

#include <cradle/contact.h>
#include <cradle/coulomb.h>
#include <cradle/lcp.h>
#include <cradle/model.h>
#include <cradle/outcome.h>
#include <cradle/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_read_options {
  bool lenient; /* list and leave out unsupported elements that affect the physics, instead of refusing the file */
  bool allow_outside;              /* includes and meshes may lie outside the folder of the model's file */
  const char *const *package_path; /* folders searched for package://NAME/... (URDF), in order; may be NULL */
  int npackage_path;
  const char *root; /* folder that includes and meshes have to lie in; NULL: that of the model's file */
} crd_read_options;

CRD_API crd_read_options crd_io_read_default(void);

typedef enum crd_ignored_kind {
  CRD_IGNORED_NO_EFFECT, /* on the motion */
  CRD_IGNORED_LEFT_OUT,  /* would change the motion and cannot be represented (with `lenient` only) */
  CRD_IGNORED_UNKNOWN    /* a name that the format does not have (with `lenient` only) */
} crd_ignored_kind;

/* One thing in the file that the model does not contain. */
typedef struct crd_ignored {
  crd_ignored_kind kind;
  const char *element;   /* name of the element, "geom" */
  const char *attribute; /* name of the attribute, NULL: the whole element with all it contains */
  const char *name;      /* the element's own name attribute, "" where it has none */
  const char *file;      /* as named in messages */
  int line;
  const char *reason;
} crd_ignored;

/* Elements left out: first `nwarning` that may change the motion, then those without effect, each in the order of the
 * files' text. Zero it before the first use ({0}); free it after every use. */
typedef struct crd_read_report {
  int count;
  int nwarning; /* of them left out or unknown */
  const crd_ignored *item;
  int nfile;
  const char *const *file; /* the files that were read, main file first: the model's, includes, meshes */
  crd_arena arena;         /* holds the items and their texts */
} crd_read_report;

CRD_API void crd_io_read_report_free(crd_read_report *report);

/* Reads the mechanism in the file; the root element decides the format, the file's ending does not matter. options and
 * report may be NULL. On failure *model is NULL and *err (may be NULL) says where, what was found and what was
 * expected: CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_NUMBER, CRD_ERR_ARGUMENT (a name that is not defined), CRD_ERR_MODEL,
 * CRD_ERR_MEMORY. The report is then left as it was. The caller frees *model with crd_model_free. */
CRD_API crd_status crd_io_read_model(const char *path, const crd_read_options *options, crd_model **model,
                                     crd_read_report *report, crd_error *err);

/* The same from size bytes of text. name stands for the file in messages, and its folder is where includes and meshes
 * are looked for ("" or a bare name: the current folder). */
CRD_API crd_status crd_io_read_model_text(const char *text, size_t size, const char *name,
                                          const crd_read_options *options, crd_model **model, crd_read_report *report,
                                          crd_error *err);

/* Treatment of each element and attribute by the reader of a format ("MJCF" or "URDF"), as a table in Markdown in the
 * arena; NULL: another name, or no memory. */
CRD_API const char *crd_io_format_text(const char *format, crd_arena *arena);

/* ------------------------------------------------------------------------------------------------ visuals */

/* A shape that a page or a picture shows, with its colour: a geom of the model, or one that neither collides nor weighs
 * and is in no model. */
typedef struct crd_visual {
  const char *name; /* "": none */
  int body;         /* of the model */
  int geom;         /* of the model, -1: only for show */
  crd_geom_type type;
  double size[3];         /* m, as crd_geom has it */
  double pos[3], quat[4]; /* in the body, m */
  int mesh;               /* of crd_visuals, of a mesh that is only for show; otherwise -1 */
  double rgba[4];         /* 0..1 */
  int group;
} crd_visual;

/* A triangle mesh for show, as its file has it. */
typedef struct crd_visual_mesh {
  const char *name;
  int model_mesh; /* id of the same mesh in the model, which then has the numbers (nvert, nface 0); -1: it has none */
  int nvert, nface;
  const double *vert; /* nvert x 3, m */
  const int *face;    /* nface x 3 */
} crd_visual_mesh;

/* Zero it before the first use ({0}); free it after every use. */
typedef struct crd_visuals {
  int count;
  const crd_visual *item;
  int nmesh;
  const crd_visual_mesh *mesh;
  int nnote; /* visuals that cannot be shown, each with file and line */
  const char *const *note;
  crd_arena arena; /* holds all of it */
} crd_visuals;

CRD_API void crd_io_visuals_free(crd_visuals *visuals);

/* Reads the visuals of the model file: the geoms' colours (rgba, material, a texture's mean colour), and the meshes and
 * shapes without influence on the motion, which crd_io_read_model does not read. Arguments and failures as for
 * crd_io_read_model; *visuals is empty after a failure. A missing or broken visual is a note, not a failure. */
CRD_API crd_status crd_io_read_visuals(const char *path, const crd_read_options *options, crd_visuals *visuals,
                                       crd_error *err);
/* The same from size bytes of text. */
CRD_API crd_status crd_io_read_visuals_text(const char *text, size_t size, const char *name,
                                            const crd_read_options *options, crd_visuals *visuals, crd_error *err);

/* ------------------------------------------------------------------------------------------------ impact problems */

typedef struct crd_problem_read_options {
  bool any_restitution; /* accept coefficients of restitution outside 0..1 */
} crd_problem_read_options;

/* Reads an impact problem (JSON, "impact-problem/1") and completes it. options may be NULL. On failure *problem is NULL
 * and *err names the place in the file, contacts[1].n[2], with what was found there and what was expected:
 * CRD_ERR_FILE, CRD_ERR_FORMAT (not JSON, wrong type or size, unknown member), CRD_ERR_NUMBER (a number out of its
 * range), CRD_ERR_MODEL (M is not a mass matrix, a row is zero), CRD_ERR_MEMORY. The caller frees *problem with
 * crd_contact_problem_free. */
CRD_API crd_status crd_io_read_problem(const char *path, const crd_problem_read_options *options,
                                       crd_contact_problem **problem, crd_error *err);
/* The same from size bytes of text; name stands for the file in messages. */
CRD_API crd_status crd_io_read_problem_text(const char *text, size_t size, const char *name,
                                            const crd_problem_read_options *options, crd_contact_problem **problem,
                                            crd_error *err);

/* The problem as such a file, every number exact: reading it gives the same problem. It needs M (CRD_ERR_ARGUMENT). */
CRD_API crd_status crd_io_write_problem(const char *path, const crd_contact_problem *problem, crd_error *err);
/* The same as text in the arena. */
CRD_API crd_status crd_io_problem_text(const crd_contact_problem *problem, crd_arena *arena, const char **text,
                                       crd_error *err);

/* Many impact problems: a list in JSON, a file with one JSON object a line, or HDF5 (docs/problem-file.md). Rows are read
 * when they are asked for, so that a bad one spoils no other. */
typedef struct crd_problem_rows crd_problem_rows;

/* The measured values of a row. */
typedef struct crd_measured {
  int nv;
  const double *v_plus; /* nv: velocity after the impact; NULL: not stated */
  const double *sigma;  /* nv: standard deviation of each of its entries; NULL: not stated */
  const char *group;    /* "": none */
  crd_arena arena;      /* holds them */
} crd_measured;
CRD_API void crd_io_measured_free(crd_measured *measured);

/* Is the file many problems: HDF5 that holds them, or text that begins with [ or has an object on each line? */
CRD_API bool crd_io_is_problem_rows(const char *path);
/* Opens the file. options may be NULL. On failure *rows is NULL: CRD_ERR_FILE, CRD_ERR_FORMAT (neither; HDF5 whose sizes do
 * not fit each other), CRD_ERR_MEMORY. A file with a single problem is one row. */
CRD_API crd_status crd_io_open_problem_rows(const char *path, const crd_problem_read_options *options,
                                            crd_problem_rows **rows, crd_error *err);
/* The same from size bytes of text, which is copied; name stands for the file in messages. */
CRD_API crd_status crd_io_open_problem_rows_text(const char *text, size_t size, const char *name,
                                                 const crd_problem_read_options *options, crd_problem_rows **rows,
                                                 crd_error *err);
CRD_API size_t crd_io_problem_rows_count(const crd_problem_rows *rows);
/* Reads the problem of the row (from 0) into `problem`, completed, and its measured values into measured (may be NULL;
 * zero it before the first use). Several threads may read rows at once, with a problem each. The statuses of
 * crd_io_read_problem; *err names line or row and place. */
CRD_API crd_status crd_io_take_problem_row(const crd_problem_rows *rows, size_t row, crd_contact_problem *problem,
                                           crd_measured *measured, crd_error *err);
CRD_API void crd_io_close_problem_rows(crd_problem_rows *rows);

/* States of a mechanism before impacts, and the velocities measured after them; all arrays lie in the arena. Zero it before the
 * first use ({0}); free it after every use. */
typedef struct crd_measured_states {
  size_t rows;
  int nq, nv;
  double *qpos, *qvel, *qvel_plus; /* rows x nq, rows x nv: before, after */
  const char **group;              /* rows; NULL, or NULL entries: none */
  const char **fault;              /* rows: the fault of the row, by column; NULL: none */
  int *line;                       /* rows: of a text; 0 in HDF5 */
  crd_arena arena;
} crd_measured_states;
/* Reads CSV or HDF5, by ending (docs/verb-fit.md). A bad row has a fault and leaves the others alone. On failure nothing is
 * kept: CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_measured_states(const char *path, int nq, int nv, crd_measured_states *states,
                                               crd_error *err);
CRD_API void crd_io_measured_states_free(crd_measured_states *states);

/* Motions of a mechanism, one after the other; all arrays lie in the arena. Zero it before the first use ({0}); free it after every
 * use. */
typedef struct crd_measured_tosses {
  size_t samples, count; /* of all motions; motions */
  int nq, nv;
  double *t, *qpos, *qvel; /* samples, samples x nq, samples x nv; qvel NULL: not measured */
  const char **name;       /* samples; NULL, or NULL entries: none */
  size_t *first;           /* count + 1: samples first[k] .. first[k + 1] - 1 belong to motion k */
  const char **fault;      /* count: the fault of the motion, by column; NULL: none */
  int *line;               /* count: of that in a text */
  crd_arena arena;
} crd_measured_tosses;
/* Reads CSV or HDF5, by ending (docs/verb-fit.md). A bad motion has a fault and leaves the others alone. On failure nothing is kept:
 * CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_measured_tosses(const char *path, int nq, int nv, crd_measured_tosses *tosses,
                                               crd_error *err);
CRD_API void crd_io_measured_tosses_free(crd_measured_tosses *tosses);

/* Answers of several laws to many problems, as arrays: row-major, rows x nlaw [x nv]. */
typedef struct crd_impact_columns {
  size_t rows;
  int nlaw, nv;
  const char *const *law;      /* nlaw: names */
  const int32_t *status;       /* crd_status of the law; CRD_ERR_FORMAT: the row is bad */
  const int32_t *solutions;    /* how many the law has */
  const double *v_plus;        /* of the first; NaN where there is none */
  const double *kinetic_after; /* J */
} crd_impact_columns;
/* Writes them as HDF5, whole or not at all (docs/problem-file.md). CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_write_impacts(const char *path, const crd_impact_columns *columns, crd_error *err);

/* A column of a table with a name, the path of its dataset ("/contacts/0/mu"). */
typedef struct crd_column {
  const char *name;
  int width;               /* numbers of a row */
  const double *value;     /* rows x width, row-major */
  const char *const *text; /* rows; NULL: numbers. NULL entries: none */
} crd_column;
/* Writes them as HDF5, whole or not at all; kind: the attribute "cradle" of the file. CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_write_columns(const char *path, const char *kind, size_t rows, int count,
                                        const crd_column *column, crd_error *err);

/* ------------------------------------------------------------------------------------------------ LCP files */

/* A bare complementarity problem; its arrays lie in the arena. Zero it before the first use ({0}); free it after every
 * use. */
typedef struct crd_lcp_file {
  crd_lcp_problem problem;
  const char *format;  /* "lcp/1" (JSON), "siconos lcp" or "siconos mlcp" */
  const char *comment; /* text behind the numbers of a plain file, or the member "comment"; never NULL after reading */
  crd_arena arena;
} crd_lcp_file;

CRD_API void crd_io_lcp_file_free(crd_lcp_file *file);

/* Reads a complementarity problem: JSON, { "cradle": "lcp/1", "W": [[..]], "w": [..], "free": [row, ..], "J": [[..]],
 * "M": [[..]] } where W, or J with M (identity where absent), may be missing and the matrix is W + J M^-1 J'; or the
 * plain text of the Siconos collection, LCP or MLCP in any storage. On failure *file is empty and *err names file, line
 * and what was expected: CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_NUMBER, CRD_ERR_MODEL (M is not a mass matrix),
 * CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_lcp(const char *path, crd_lcp_file *file, crd_error *err);
/* The same from size bytes of text; name stands for the file in messages. */
CRD_API crd_status crd_io_read_lcp_text(const char *text, size_t size, const char *name, crd_lcp_file *file,
                                        crd_error *err);

/* ------------------------------------------------------------------------------------------------ friction problems
 * Coulomb problems (cradle/coulomb.h) as files; docs/coulomb-file.md has the formats. */

/* A friction problem as read; its arrays lie in the arena. Zero it before the first use ({0}); free it after every use.
 */
typedef struct crd_coulomb_file {
  crd_coulomb_problem problem;
  const char *format;   /* "coulomb-problem/1", "siconos friction", "siconos global friction", "siconos relay",
                         * "fclib local", "fclib global", "fclib global rolling" or "island" */
  const char *name;     /* member "name", "id" of an island, otherwise "" */
  const char *comment;  /* text behind the numbers of a plain file, or the member "comment"; never NULL after reading */
  const double *p;      /* n: guess of the impulses; NULL: none */
  const crd_mode *mode; /* ncontact: guess of the modes; NULL: none */
  crd_arena arena;
} crd_coulomb_file;

CRD_API void crd_io_coulomb_file_free(crd_coulomb_file *file);

/* Reads a friction problem; the content decides the format. line: of a file with one JSON object a line, the object
 * on this line (from 1); 0: the whole file is the problem. On failure *file is empty and *err names file, line, what
 * was found and what was expected: CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_NUMBER (NaN, a negative coefficient of
 * friction), CRD_ERR_MODEL (M is not a mass matrix, a row that belongs to nothing or to two), CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_coulomb(const char *path, int line, crd_coulomb_file *file, crd_error *err);
/* The same from size bytes of text (not HDF5); name stands for the file in messages. */
CRD_API crd_status crd_io_read_coulomb_text(const char *text, size_t size, const char *name, int line,
                                            crd_coulomb_file *file, crd_error *err);
/* Whichever of the two the file holds: the other one stays empty (problem.n is 0). */
CRD_API crd_status crd_io_read_lcp_or_coulomb(const char *path, int line, crd_lcp_file *lcp, crd_coulomb_file *coulomb,
                                              crd_error *err);

/* The problem as a "coulomb-problem/1" file, every number exact: reading it gives the same problem. p (n) and mode
 * (ncontact) are written as its guess unless NULL; name and comment too. CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_write_coulomb(const char *path, const crd_coulomb_file *file, crd_error *err);
/* The same as text in the arena. */
CRD_API crd_status crd_io_coulomb_text(const crd_coulomb_file *file, crd_arena *arena, const char **text,
                                       crd_error *err);

/* Layouts of a sparse matrix of `count` entries. */
typedef enum crd_sparse_layout {
  CRD_SPARSE_ENTRIES, /* row[count], col[count]; entries at the same place add up */
  CRD_SPARSE_ROWS,    /* compressed rows: row[n + 1] points to the first entry of each, col[count] */
  CRD_SPARSE_COLUMNS  /* compressed columns: col[n + 1] points to the first entry of each, row[count] */
} crd_sparse_layout;

/* Sets problem->blocks from a sparse n x n matrix, in the arena: one block row for each contact, and for each row that
 * is bilateral or bounded. n and the contacts of the problem are set before. CRD_ERR_ARGUMENT: an index out of range,
 * or pointers that do not ascend to count; CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_coulomb_blocks(crd_arena *arena, crd_sparse_layout layout, size_t count, const int *row,
                                         const int *col, const double *value, crd_coulomb_problem *problem);

/* ------------------------------------------------------------------------------------------------ traces
 * A run as a file: HDF5 (.h5) with everything that is needed to repeat it, or CSV (.csv) with the motion alone. The
 * layout stands in docs/trace.md. */

/* A file of the model as bytes. */
typedef struct crd_source_file {
  const char *name; /* relative, so that the files together can be put into any folder */
  const char *data;
  size_t size;
} crd_source_file;

/* The definition of a run. */
typedef struct crd_trace_header {
  const char *input; /* the model as the user named it: "ant.xml", "@pendulum:3" */
  int nfile;         /* the model's files, main file first */
  const crd_source_file *file;
  bool lenient;             /* was read with crd_read_options.lenient */
  const char *formulation;  /* "tree", or "full": every body free and its joints loops (crd_model_maximal) */
  crd_sim_options options;  /* all but control and observer */
  double time;              /* s, asked for */
  int64_t every;            /* a row every so many steps */
  int nact;                 /* activations of the model */
  int nsensordata;          /* numbers of its sensors, 0: they are not kept */
  const char *sensors;      /* their names, as crd_io_sensor_columns has them; NULL: none */
  int nctrl;                /* constant controls, 0: zero */
  const double *ctrl;       /* nctrl */
  const char *torque;       /* text of the torque file, NULL: none */
  const char *torque_input; /* its name */
  const char *torque_hold;  /* between its rows: "zero" (a row holds until the next) or "linear" */
} crd_trace_header;

/* The state after a step. */
typedef struct crd_trace_row {
  double t, s;                     /* s: as crd_sim_event has it */
  const double *qpos, *qvel, *act; /* nq, nv, nact */
  const double *sensor;            /* nsensordata, as crd_sim_sensors has them: NaN is a reading that is not known */
  crd_sim_energy energy;
  double penetration, residual; /* largest so far */
  int ncontact;
  const crd_sim_contact *contact;
} crd_trace_row;
CRD_API crd_trace_row crd_io_trace_row(const crd_sim *sim);
/* Names of the numbers of all sensors of the model in the arena, separated by blanks: "force[0] force[1] force[2] touch";
 * "#2" is an unnamed sensor, blanks, commas and quotation marks of names are "_". "": there are none; NULL: no memory. */
CRD_API const char *crd_io_sensor_columns(const crd_model *model, crd_arena *arena);

/* How the run ended. */
typedef struct crd_trace_end {
  bool truncated;     /* it did not reach its time */
  const char *status; /* "ok", or why it ended */
  crd_sim_counters counters;
} crd_trace_end;

/* Reads the files (a crd_read_report lists them) into the arena, named relative to the folder they have in common.
 * CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_source_files(int count, const char *const *path, crd_arena *arena,
                                       const crd_source_file **file, crd_error *err);

typedef struct crd_trace_writer crd_trace_writer;

/* A trace for a model of these sizes, in the format that the ending of path says. Nothing appears at path before the
 * commit. CRD_ERR_ARGUMENT: another ending; CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_trace_create(const char *path, const crd_trace_header *header, int nq, int nv,
                                       crd_trace_writer **writer, crd_error *err);
/* Rows and events in the order of time. Memory is bounded. A failure is kept and reported by the commit. */
CRD_API void crd_io_trace_add(crd_trace_writer *writer, const crd_trace_row *row);
/* qpos and qvel: the state at the event, after it. CSV files have no events. */
CRD_API void crd_io_trace_event(crd_trace_writer *writer, const crd_sim_event *event, const double *qpos,
                                const double *qvel);
/* Has anything failed so far? */
CRD_API bool crd_io_trace_failed(const crd_trace_writer *writer);
/* Completes the file, gives it its name and frees the writer. On failure (CRD_ERR_FILE, CRD_ERR_MEMORY) nothing is left
 * and a file that was there is untouched. */
CRD_API crd_status crd_io_trace_commit(crd_trace_writer *writer, const crd_trace_end *end, crd_error *err);
/* Gives the trace up. NULL is allowed. */
CRD_API void crd_io_trace_discard(crd_trace_writer *writer);

/* A trace as read; all arrays lie in the arena. Zero it before the first use ({0}); free it after every use. */
typedef struct crd_trace {
  crd_trace_header header; /* without control and observer */
  crd_trace_end end;
  const char *version; /* of the cradle that wrote it */
  int nq, nv;
  size_t nrow;
  const double *t, *qpos, *qvel; /* nrow, nrow x nq, nrow x nv */
  const double *act;             /* nrow x header.nact; NULL: none */
  const double *sensor;          /* nrow x header.nsensordata, NaN: not known; NULL: none */
  const double *s;               /* nrow; NULL: a trace of an older version */
  const crd_sim_energy *energy;  /* nrow */
  const double *penetration, *residual;
  const int64_t *offset;          /* nrow + 1: contacts of row i are contact[offset[i]] .. contact[offset[i + 1] - 1] */
  const crd_sim_contact *contact; /* names, bodies, axes, gap, mu and e of crd_contact are set */
  size_t nevent;
  const crd_sim_event *event;
  const double *event_qpos, *event_qvel; /* nevent x nq, nevent x nv: the state after the event */
  const double
      *event_qvel_before; /* nevent x nv: the velocities before it, NaN where they are not known; NULL: a trace of
                                    * an older version */
  crd_arena arena;
} crd_trace;

CRD_API void crd_io_trace_free(crd_trace *trace);

/* A writer that collects the trace in memory instead of a file, for a model of these sizes. The caller owns the data
 * that header points to, which must outlive the trace. CRD_ERR_MEMORY: *writer is NULL. */
CRD_API crd_status crd_io_trace_collect(const crd_trace_header *header, int nq, int nv, crd_trace_writer **writer,
                                        crd_error *err);
/* Gives the trace collected by a writer of crd_io_trace_collect, as crd_io_read_trace would read it from a file, and
 * frees the writer. The caller frees *trace. CRD_ERR_MEMORY, CRD_ERR_ARGUMENT (a writer of a file): *trace is empty. */
CRD_API crd_status crd_io_trace_take(crd_trace_writer *writer, const crd_trace_end *end, crd_trace *trace,
                                     crd_error *err);

/* Reads an HDF5 trace. On failure *trace is empty and *err names the dataset or attribute, what was found and what was
 * expected: CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_NUMBER, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_trace(const char *path, crd_trace *trace, crd_error *err);
/* Where there is no file at path, but a program that was killed while it wrote that trace left its log beside it
 * (docs/reliability.md): writes the rows and events of the log to path, marked as truncated, and removes the remains.
 * *recovered: there was a log. CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_trace_recover(const char *path, bool *recovered, crd_error *err);
/* The mechanism of the trace as it was simulated, from the files the trace holds: in maximal coordinates where the
 * formulation was full. The caller frees it. */
CRD_API crd_status crd_io_trace_model(const crd_trace *trace, crd_model **model, crd_error *err);
/* What is for show of that mechanism: a trace holds no files that are only for show, so these are read where the
 * model's file still stands unchanged; otherwise each is a note. The caller frees it. */
CRD_API crd_status crd_io_trace_visuals(const crd_trace *trace, crd_visuals *visuals, crd_error *err);

/* ------------------------------------------------------------------------------------------------ sets of outcomes
 * Sampled outcomes of an impact (cradle/outcome.h) as an HDF5 file with everything needed to repeat them. The layout
 * stands in docs/outcomes.md. */

/* Where the impact comes from. */
typedef struct crd_outcome_source {
  const char *input; /* as the user named it */
  int nfile;         /* the model's files, main file first; none for an impact problem */
  const crd_source_file *file;
  bool lenient;          /* was read with crd_read_options.lenient */
  int nq, nv;            /* of the state; 0 without a model */
  const double *qpos;    /* nq */
  const double *qvel;    /* nv */
  const char *parameter; /* swept parameter ("mu"), NULL: a single set */
} crd_outcome_source;

/* An outcome to be marked in a picture of the set, in addition to the outcomes of the impact laws. */
typedef struct crd_outcome_mark {
  const char *law, *label; /* "compliant", "k A / k B = 10" */
  const double *v_plus;    /* nv */
} crd_outcome_mark;

/* One set and the problem it belongs to. */
typedef struct crd_outcome_record {
  double value; /* of the parameter */
  const crd_contact_problem *problem;
  const crd_outcome_set *set;
  const crd_outcome_box *box;   /* the problem is the middle of this box; NULL: it is known exactly */
  int nmark;                    /* for pages; files do not keep them */
  const crd_outcome_mark *mark; /* nmark */
} crd_outcome_record;

typedef struct crd_outcome_writer crd_outcome_writer;

/* A new file; nothing appears at path before the commit. CRD_ERR_FILE, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_outcomes_create(const char *path, const crd_outcome_source *source,
                                          crd_outcome_writer **writer, crd_error *err);
/* Adds a set; without a parameter there is exactly one. The problem needs M and J. A failure is kept and reported by
 * the commit. Neither threads nor times are stored: the same samples give the same bytes. */
CRD_API void crd_io_outcomes_add(crd_outcome_writer *writer, const crd_outcome_record *record);
/* Keeps marks beside the sets (nv velocities each); once in a file. */
CRD_API void crd_io_outcomes_mark(crd_outcome_writer *writer, int nmark, const crd_outcome_mark *mark, int nv);
/* Completes the file, gives it its name and frees the writer. On failure (CRD_ERR_FILE, CRD_ERR_MEMORY,
 * CRD_ERR_ARGUMENT) nothing is left and a file that was there is untouched. */
CRD_API crd_status crd_io_outcomes_commit(crd_outcome_writer *writer, crd_error *err);
/* Gives the file up. NULL is allowed. */
CRD_API void crd_io_outcomes_discard(crd_outcome_writer *writer);

/* All three in one for a single set. */
CRD_API crd_status crd_io_write_outcomes(const char *path, const crd_outcome_source *source,
                                         const crd_contact_problem *problem, const crd_outcome_set *set,
                                         crd_error *err);

/* A file as read. Zero it before the first use ({0}); free it after every use. */
typedef struct crd_outcome_file {
  crd_outcome_source source; /* parameter NULL: one set */
  const char *version;       /* of the cradle that wrote it */
  int count;
  double *value;                 /* count: of the parameter */
  crd_contact_problem **problem; /* count, completed; model points, normals and tangents included */
  crd_outcome_set *set;          /* count; wall_s, modes, slow_lcps and threads are not stored and 0 */
  crd_outcome_box *box;          /* count; draws 0: the problem was known exactly */
  int nmark;
  crd_outcome_mark *mark; /* nmark: marks of the file beside the sets */
  crd_arena arena;
} crd_outcome_file;

/* On failure *file is empty and *err names the dataset or attribute, what was found and what was expected:
 * CRD_ERR_FILE, CRD_ERR_FORMAT, CRD_ERR_NUMBER, CRD_ERR_MODEL (M is not a mass matrix), CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_read_outcomes(const char *path, crd_outcome_file *file, crd_error *err);
CRD_API void crd_io_outcome_file_free(crd_outcome_file *file);

/* What an HDF5 file holds, "trace/2" or "outcomes/2", as text in the arena. CRD_ERR_FILE, CRD_ERR_FORMAT (not HDF5, or
 * not cradle's), CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_file_kind(const char *path, crd_arena *arena, const char **kind, crd_error *err);

/* ------------------------------------------------------------------------------------------------ writing */

/* Writes size bytes to the file so that it appears whole or not at all: into a new file beside it, which then takes its
 * name. A file that was there keeps its permissions; on failure it is untouched. CRD_ERR_FILE with the system's reason.
 */
CRD_API crd_status crd_io_write_file(const char *path, const char *data, size_t size, crd_error *err);

/* Removes the new files that functions of io are writing beside their places in any thread. For a program that is about
 * to end without returning from those functions; safe in a signal handler. The log of a trace stays, for
 * crd_io_trace_recover. */
CRD_API void crd_io_remove_unfinished(void);

/* ------------------------------------------------------------------------------------------------ pages */

/* A named piece of the data that a page shows (docs/viewer.md): a complete JSON value as text. */
typedef struct crd_page_part {
  const char *name, *json;
} crd_page_part;

/* Does this library carry the page? It does not where it was built without node and npm. */
CRD_API bool crd_io_has_page(void);
/* Writes one self-contained HTML page of the kind ("check", "impact", "outcomes", "run", "view") that shows the parts; whatever
 * the strings in them contain is text, never markup. CRD_ERR_ARGUMENT: there is no page; CRD_ERR_FILE, CRD_ERR_MEMORY.
 */
CRD_API crd_status crd_io_write_page(const char *path, const char *kind, const crd_page_part *part, int npart,
                                     crd_error *err);
/* The part "scene" as text in the arena: bodies, joints, geoms and meshes of the model, the state (qvel NULL: at rest),
 * the contacts of the problem (NULL: none), and what the model's file shows beside (visuals NULL: nothing).
 * CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_scene_text(const crd_model *model, const double *qpos, const double *qvel,
                                     const crd_contact_problem *problem, const crd_visuals *visuals, crd_arena *arena,
                                     const char **text, crd_error *err);
/* The part "source" as text in the arena: what the page needs to ask the question anew. words: the command, verb first, its
 * input second, of count words; file: the nfile files of that input, main file first, none for a built-in example. Files
 * that are more than 24 MB together are left out, and the text says so. CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_source_text(int count, const char *const *words, int nfile, const crd_source_file *file,
                                      crd_arena *arena, const char **text, crd_error *err);
/* What acts on a run beside the constant controls of its trace: adds to ctrl (nactuator) and tau (nv) at time t. */
typedef struct crd_run_inputs {
  void (*add)(void *context, double t, double *ctrl, double *tau);
  void *context;
} crd_run_inputs;
/* The part "run" of a trace as text in the arena: at most 60 frames a second of up to a minute, events at their own
 * instants. model: of the trace, for controls, forces of actuators and sensors, NULL: without these; inputs: NULL where
 * nothing else acts. CRD_ERR_MODEL: the trace has other sizes than the model; CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_run_text(const crd_trace *trace, const crd_model *model, const crd_run_inputs *inputs,
                                   crd_arena *arena, const char **text, crd_error *err);
/* The part "outcomes" as text in the arena: the sets (of more than 100, evenly chosen ones), at most 20000 of their
 * samples, the first paths, and the outcomes of the laws sequential and anitescu-potra as marks beside those of the
 * records. parameter: what is swept, NULL: there is one set. The problems need J. CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_outcomes_text(const char *input, const char *parameter, int count,
                                        const crd_outcome_record *record, crd_arena *arena, const char **text,
                                        crd_error *err);

/* ------------------------------------------------------------------------------------------------ built-in examples */

typedef struct crd_example {
  const char *name, *summary;
  int n_default, n_min, n_max; /* size of the example, n_max 0: it has none */
} crd_example;

typedef struct crd_example_options {
  double base; /* height of the base of the pendulum (m), which reaches 6 m down; the others have none */
} crd_example_options;

/* base 5.5 m. */
CRD_API crd_example_options crd_io_example_default(void);

/* The built-in examples; crd_io_example_at gives NULL for an index that is not in [0, count). */
CRD_API int crd_io_example_count(void);
CRD_API const crd_example *crd_io_example_at(int index);

/* The example spec = "name" or "name:n" (a leading @ is allowed) as MJCF text in the arena. options may be NULL.
 * CRD_ERR_ARGUMENT: no such example, or n out of range; CRD_ERR_NUMBER, CRD_ERR_MEMORY. */
CRD_API crd_status crd_io_example_text(const char *spec, const crd_example_options *options, crd_arena *arena,
                                       const char **text, crd_error *err);

/* The same, read into a model, which the caller frees. */
CRD_API crd_status crd_io_example_model(const char *spec, const crd_example_options *options, crd_model **model,
                                        crd_error *err);

#ifdef __cplusplus
}
#endif
#endif
