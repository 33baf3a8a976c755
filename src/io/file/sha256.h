/* SHA-256 [FIPS 180-4], so that anybody can check a digest: Python's hashlib.sha256(f["t"][:].tobytes()).hexdigest(). */
#ifndef SRC_IO_SHA256_H
#define SRC_IO_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CRD_SHA256_BYTES = 32, CRD_SHA256_TEXT = 65 };

typedef struct crd_sha256 {
  uint32_t state[8];
  uint64_t bytes;          /* taken so far */
  unsigned char block[64]; /* the last, unfinished one */
} crd_sha256;

void crd_sha256_begin(crd_sha256 *sum);
void crd_sha256_add(crd_sha256 *sum, const void *data, size_t size);
/* Ends the sum; begin anew before the next. */
void crd_sha256_end(crd_sha256 *sum, unsigned char digest[CRD_SHA256_BYTES]);
/* As 64 lower-case hexadecimal digits. */
void crd_sha256_text(const unsigned char digest[CRD_SHA256_BYTES], char text[CRD_SHA256_TEXT]);

#endif
