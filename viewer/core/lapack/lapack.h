/* The routines of LAPACK and BLAS that cradle calls, for the build that goes into the page (see triangular.c). Arguments are
 * LAPACK's; work arrays are as large as LAPACK asks for. */
#ifndef CRADLE_PAGE_LAPACK_H
#define CRADLE_PAGE_LAPACK_H

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *A, const int *lda, const double *B, const int *ldb, const double *beta, double *C,
            const int *ldc);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *A, const int *lda, double *B,
             const int *ldb, int *info);
void dpstrf_(const char *uplo, const int *n, double *A, const int *lda, int *pivot, int *rank, const double *tol,
             double *work, int *info);
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda, const int *pivot,
             double *B, const int *ldb, int *info);
void dgetri_(const int *n, double *A, const int *lda, const int *pivot, double *work, const int *lwork, int *info);
void dgecon_(const char *norm, const int *n, const double *A, const int *lda, const double *anorm, double *rcond,
             double *work, int *iwork, int *info);
void dgelqf_(const int *m, const int *n, double *A, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dorglq_(const int *m, const int *n, const int *k, double *A, const int *lda, const double *tau, double *work,
             const int *lwork, int *info);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *A, const int *lda, double *sigma,
             double *U, const int *ldu, double *VT, const int *ldvt, double *work, const int *lwork, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *values, double *work,
            const int *lwork, int *info);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *B,
            const int *ldb, double *w, double *work, const int *lwork, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda, double *wr, double *wi,
            double *VL, const int *ldvl, double *VR, const int *ldvr, double *work, const int *lwork, int *info);

#endif
