/* Parts that the readers of friction problems share. Each fills a crd_coulomb_file whose arena it uses; on failure the
 * caller frees it. */
#ifndef CRADLE_SRC_IO_COULOMB_FILE_H
#define CRADLE_SRC_IO_COULOMB_FILE_H

#include <cradle/io.h>
#include <jansson.h>

#include "io/file/entries.h"

/* Largest problem that is read; ten times as many entries of a contact still fit an int. */
enum { CRD_COULOMB_FILE_ROWS = 1 << 26 };

/* Contacts with d rows each, one behind the other from row 0: 2 (planar), 3, or 5 (two of rolling). mu, mu_roll: of
 * each contact, mu_roll NULL: none. Behind them nbilateral rows. False: out of memory. */
bool crd_coulomb_file_contacts(crd_coulomb_file *file, int d, int ncontact, const double *mu, const double *mu_roll,
                               int nbilateral);
/* G from a matrix of n x n: dense where it is stored whole, by blocks otherwise. n and contacts are set before. */
bool crd_coulomb_file_matrix(crd_coulomb_file *file, const crd_entries *matrix);
/* Every row belongs to one contact, or is bilateral, or bounded; coefficients are not negative. The message names the
 * contact or row. */
crd_status crd_coulomb_file_check(const crd_coulomb_file *file, const char *name, crd_error *err);

/* One reader a format; siconos_file.h has the plain texts. */
crd_status crd_coulomb_file_json(json_t *root, const char *name, crd_coulomb_file *file, crd_error *err);
crd_status crd_coulomb_file_island(json_t *root, const char *name, crd_coulomb_file *file, crd_error *err);
crd_status crd_coulomb_file_fclib(const char *path, crd_coulomb_file *file, crd_error *err);

#endif
