/* Claims: the sums of FIPS 180-4's examples (one block, two blocks, a million letters), in pieces of any size. */
#include <stdlib.h>
#include <string.h>

#include "io/file/sha256.h"
#include "support/cmocka_all.h"

static void assert_sum(const char *data, size_t size, size_t piece, const char *expected) {
  crd_sha256 sum;
  unsigned char digest[CRD_SHA256_BYTES];
  char text[CRD_SHA256_TEXT];
  crd_sha256_begin(&sum);
  for (size_t at = 0; at < size; at += piece) crd_sha256_add(&sum, data + at, size - at < piece ? size - at : piece);
  crd_sha256_end(&sum, digest);
  crd_sha256_text(digest, text);
  assert_string_equal(text, expected);
}

static void sums_are_those_of_the_standard(void **state) {
  (void)state;
  enum { MILLION = 1000000 };
  static const char TWO_BLOCKS[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  char *many = malloc(MILLION);
  assert_non_null(many);
  memset(many, 'a', MILLION);
  for (size_t piece = 1; piece < 200; piece += 13) {
    assert_sum("", 0, piece, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_sum("abc", 3, piece, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_sum(TWO_BLOCKS, 56, piece, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  }
  assert_sum(many, MILLION, 977, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(many);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_the_standard)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
