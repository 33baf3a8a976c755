/* Every threshold of the layer that stands for an accuracy, with its reason. Velocities are relative to the problem's
 * own scale (crd_coulomb_residual), compliances to a row's own (the diagonal of A is one); nothing here has a unit.
 * What steers a method (how long a step, how often) stands beside it. */
#ifndef SRC_COULOMB_ACCURACY_H
#define SRC_COULOMB_ACCURACY_H

typedef struct crd_accuracy {
  /* residuals */
  double rounded; /* no further step can improve it: some hundred times the rounding of a sum */
  double refined; /* of the loss in elimination: not refined further */
  double margin;  /* of the tolerance: reserve for elimination and scaling */
  double fair;    /* of the tolerance: taken where further steps gain little */
  double safe;    /* of the tolerance: with its rounding, not judged worse elsewhere */
  /* velocities */
  double still;          /* what rounding explains of a sliding velocity, an impulse, a friction below its limit, */
  double doubtful;       /* and what a larger residual explains of them, at most */
  double velocity_floor; /* of problem->velocity: rounding of a w that cancelled */
  double bilateral;      /* of problem->velocity: what is left of bilateral rows in a step is the error of the free
                          * motion, in which the loops acted already; a nearly singular loop must not answer it with
                          * large forces */
  double contradicts;    /* of redundant bilateral rows, or a contact that cannot move: loss allowed in elimination */
  double closing;        /* what rounding of G and w excuses of a contact that would close, in proofs that no motion
                          * exists; slip slower than this counts as sticking there */
  double apart;     /* points of a hyperstatic mode closer than this, in units of its own energy, are one: far above
                          * rounding, far below what a designer would call a freedom */
  double unchanged; /* of the largest impulse: an answer that is the guess */
  /* compliances */
  double noise;       /* of the largest: remainder by rounding of a row that cannot move */
  double dependent;   /* remainder by rounding of a row that others determine, before elimination, */
  double eliminated;  /* and after it; reciprocal condition below which a mode's impulses count as undetermined */
  double symmetric;   /* entries of A that differ by no more are the same */
  double redundant;   /* pivot that redundant rows may leave beside the proximal term */
  double least_block; /* pivot of a unit's own block, which has no other scale: far below rounding */
  double proximal;    /* term that makes redundant rows take the least change; rounding of a residual comes back divided
                        * by it where impulses are not determined */
  double proximal_end; /* down to this where a light body carries a heavy one; the least share of a compliance that
                        * bilateral rows leave */
  double path_regular; /* what the continuation adds for redundant rows: it must not hold a light body up */
  double path_first;   /* the same in its first look at the impulses, which need no digits */
} crd_accuracy;

static const crd_accuracy CRD_ACCURACY = {
    .rounded = 1e-14,
    .refined = 1e-12,
    .margin = 0.03,
    .fair = 0.3,
    .safe = 0.5,
    .still = 1e-10,
    .doubtful = 1e-8,
    .velocity_floor = 1e-6,
    .bilateral = 1e-8,
    .contradicts = 1e-9,
    .closing = 1e-7,
    .apart = 1e-6,
    .unchanged = 1e-8,
    .noise = 1e-14,
    .dependent = 1e-13,
    .eliminated = 1e-11,
    .symmetric = 1e-12,
    .redundant = 1e-6,
    .least_block = 1e-22,
    .proximal = 1e-6,
    .proximal_end = 1e-10,
    .path_regular = 1e-11,
    .path_first = 1e-9,
};

#endif
