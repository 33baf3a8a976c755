/* JSON as text: strings, exact numbers, and numbers packed in base64 (RFC 4648, four letters for three bytes). */
#include "io/json/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, 0: it is none (RFC 3629: shortest form, no surrogates, up to U+10FFFF). */
static int utf8_length(const unsigned char *s) {
  const int length = s[0] < 0x80                   ? 1
                     : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                     : (s[0] & 0xf0) == 0xe0       ? 3
                     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                   : 0;
  for (int k = 1; k < length; k++)
    if ((s[k] & 0xc0) != 0x80) return 0; /* the terminating zero is none either */
  const bool longer_than_needed = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
  const bool beyond = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90);
  return length > 1 && (longer_than_needed || beyond) ? 0 : length;
}

void crd_json_add_string(crd_text *text, const char *s) {
  crd_text_add(text, "\"");
  for (int length; *s; s += length ? length : 1) {
    unsigned char c = (unsigned char)*s;
    length = utf8_length((const unsigned char *)s);
    if (c == '"' || c == '\\')
      crd_text_add(text, "\\%c", c);
    else if (c < 0x20)
      crd_text_add(text, "\\u%04x", c);
    else if (length == 0)
      crd_text_add(text, "\\ufffd"); /* a byte of another encoding would make the file unreadable */
    else
      crd_text_add(text, "%.*s", length, s);
  }
  crd_text_add(text, "\"");
}

void crd_json_add_number(crd_text *text, double x) {
  if (x == 0 && signbit(x))
    crd_text_add(text, "-0.0"); /* "-0" is read as the integer 0 */
  else if (isfinite(x))
    crd_text_add_number(text, x);
  else
    crd_text_add(text, "null");
}

void crd_json_add_vector(crd_text *text, int n, const double *x) {
  crd_text_add(text, "[");
  for (int i = 0; i < n; i++) {
    if (i) crd_text_add(text, ", ");
    crd_json_add_number(text, x[i]);
  }
  crd_text_add(text, "]");
}

void crd_json_add_matrix(crd_text *text, const char *indent, int rows, int columns, const double *x) {
  crd_text_add(text, "[");
  for (int i = 0; i < rows; i++) {
    crd_text_add(text, i ? ",\n%s" : "%s", i ? indent : "");
    crd_json_add_vector(text, columns, x + (size_t)columns * (size_t)i);
  }
  crd_text_add(text, "]");
}

/* Bytes wait here until three of them make four letters, and letters until there are many. */
typedef struct base64 {
  crd_text *text;
  unsigned char byte[3];
  int nbyte;
  char letter[1025];
  int nletter;
} base64;

static void flush_letters(base64 *b) {
  b->letter[b->nletter] = '\0';
  crd_text_add(b->text, "%s", b->letter);
  b->nletter = 0;
}

static void add_group(base64 *b) {
  static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const uint32_t bits = (uint32_t)b->byte[0] << 16 | (uint32_t)b->byte[1] << 8 | b->byte[2];
  for (int i = 0; i < 4; i++) b->letter[b->nletter++] = i > b->nbyte ? '=' : LETTERS[bits >> (18 - 6 * i) & 63];
  b->nbyte = 0;
  memset(b->byte, 0, sizeof b->byte);
  if (b->nletter + 4 > (int)sizeof b->letter - 1) flush_letters(b);
}

static void add_bytes(base64 *b, uint64_t bits, int count) {
  for (int i = 0; i < count; i++) {
    b->byte[b->nbyte++] = (unsigned char)(bits >> (8 * i) & 255);
    if (b->nbyte == 3) add_group(b);
  }
}

static base64 begin(crd_text *text) {
  crd_text_add(text, "\"");
  return (base64){.text = text};
}

static void end(base64 *b) {
  if (b->nbyte > 0) add_group(b);
  flush_letters(b);
  crd_text_add(b->text, "\"");
}

void crd_json_add_f64(crd_text *text, size_t n, const double *x) {
  base64 b = begin(text);
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    add_bytes(&b, bits, 8);
  }
  end(&b);
}

void crd_json_add_f32(crd_text *text, size_t n, const double *x) {
  base64 b = begin(text);
  for (size_t i = 0; i < n; i++) {
    const float rounded = (float)x[i];
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    add_bytes(&b, bits, 4);
  }
  end(&b);
}

void crd_json_add_u32(crd_text *text, size_t n, const int *x) {
  base64 b = begin(text);
  for (size_t i = 0; i < n; i++) add_bytes(&b, (uint32_t)x[i], 4);
  end(&b);
}

void crd_json_add_u16(crd_text *text, size_t n, const int *x) {
  base64 b = begin(text);
  for (size_t i = 0; i < n; i++) add_bytes(&b, (uint32_t)x[i], 2);
  end(&b);
}

void crd_json_add_u8(crd_text *text, size_t n, const unsigned char *x) {
  base64 b = begin(text);
  for (size_t i = 0; i < n; i++) add_bytes(&b, x[i], 1);
  end(&b);
}
