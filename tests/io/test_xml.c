/* The XML tree: lines, typed attributes, refusal of entities, and the list of what was not read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/xml/xml.h"
#include "support/cmocka_all.h"

static crd_xml_document load(const char *text) {
  crd_xml_document doc;
  crd_xml_load_text(&doc, text, strlen(text), "folder/test.xml");
  return doc;
}

static void a_line_is_that_of_the_opening_bracket(void **state) {
  (void)state;
  crd_xml_document doc = load("<a>\n\n <b x='1'\n    y='2'\n/>\n<c/></a>");
  assert_int_equal(doc.status, CRD_OK);
  assert_int_equal(doc.root->line, 1);
  assert_int_equal(crd_xml_child(doc.root, "b")->line, 3);
  assert_int_equal(crd_xml_child(doc.root, "c")->line, 6);
  assert_string_equal(doc.folder, "folder");
  crd_xml_free(&doc);
}

static void lines_beyond_65535_are_counted(void **state) {
  (void)state;
  enum { LINES = 100000 };
  char *text = malloc(LINES + 32), *end = text;
  end += sprintf(end, "<a>");
  memset(end, '\n', LINES);
  sprintf(end + LINES, "<b x='q'/></a>");
  crd_xml_document doc = load(text);
  crd_xml_node *b = crd_xml_child(doc.root, "b");
  assert_int_equal(b->line, LINES + 1);
  double x;
  assert_false(crd_xml_number(&doc, b, "x", &x));
  assert_int_equal(doc.error.line, LINES + 1);
  crd_xml_free(&doc);
  free(text);
}

static void numbers_are_counted_and_checked(void **state) {
  (void)state;
  struct {
    const char *text;
    int count;
    crd_status status;
  } cases[] = {{"1 2 3", 3, CRD_OK},           {" 1e-3\n-.5 ", 2, CRD_OK},       {"1", 0, CRD_ERR_FORMAT},
               {"1 2 3 4", 0, CRD_ERR_FORMAT}, {"1 2,3", 0, CRD_ERR_FORMAT},     {"1 0x10", 0, CRD_ERR_FORMAT},
               {"1 nan", 0, CRD_ERR_NUMBER},   {"1 -Inf", 0, CRD_ERR_NUMBER},    {"1 1e400", 0, CRD_ERR_NUMBER},
               {"", 0, CRD_ERR_FORMAT},        {"1 1e-400", 2, CRD_OK},          {"1 --2", 0, CRD_ERR_FORMAT},
               {"1 e", 0, CRD_ERR_FORMAT},     {"1 2e5 1.5.", 0, CRD_ERR_FORMAT}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[80];
    snprintf(text, sizeof text, "<a size='%s'/>", cases[i].text);
    crd_xml_document doc = load(text);
    double value[3] = {7, 7, 7};
    assert_int_equal(crd_xml_numbers(&doc, doc.root, "size", value, 2, 3), cases[i].count);
    assert_int_equal(doc.status, cases[i].status);
    if (cases[i].status != CRD_OK) {
      assert_true(value[0] == 7);
      assert_non_null(strstr(doc.error.text, "<a> size: found '"));
    }
    crd_xml_free(&doc);
  }
}

static void integers_keywords_and_truth_values_are_checked(void **state) {
  (void)state;
  static const char *const words[] = {"hinge", "slide", "ball"};
  crd_xml_document doc = load("<a n='-12' k='slide' b='true' bad='2.5'/>");
  int n = 0, k = 0;
  bool b = false;
  assert_true(crd_xml_int(&doc, doc.root, "n", &n) && n == -12);
  assert_true(crd_xml_keyword(&doc, doc.root, "k", words, 3, &k) && k == 1);
  assert_true(crd_xml_bool(&doc, doc.root, "b", &b) && b);
  assert_false(crd_xml_int(&doc, doc.root, "absent", &n));
  assert_int_equal(doc.status, CRD_OK);
  assert_false(crd_xml_int(&doc, doc.root, "bad", &n));
  assert_int_equal(doc.status, CRD_ERR_FORMAT);
  crd_xml_free(&doc);
  doc = load("<a k='wheel'/>");
  assert_false(crd_xml_keyword(&doc, doc.root, "k", words, 3, &k));
  assert_string_equal(doc.error.text, "<a> k: found 'wheel', expected hinge, slide or ball");
  crd_xml_free(&doc);
}

static void the_first_error_stays(void **state) {
  (void)state;
  crd_xml_document doc = load("<a x='u' y='v'/>");
  double value;
  crd_xml_number(&doc, doc.root, "x", &value);
  crd_xml_number(&doc, doc.root, "y", &value);
  assert_non_null(strstr(doc.error.text, "x: found 'u'"));
  crd_xml_free(&doc);
}

static void entities_are_refused_and_nothing_is_expanded(void **state) {
  (void)state;
  const char *texts[] = {"<!DOCTYPE a [\n<!ENTITY x 'ha'>\n<!ENTITY y '&x;&x;'>]><a b='&y;'/>",
                         "<!DOCTYPE a [\n<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
                         "<!DOCTYPE a [\n<!ENTITY % p SYSTEM 'http://127.0.0.1/x'> %p;]><a/>"};
  for (size_t i = 0; i < 3; i++) {
    crd_xml_document doc = load(texts[i]);
    assert_int_equal(doc.status, CRD_ERR_FORMAT);
    assert_int_equal(doc.error.line, 2);
    assert_non_null(strstr(doc.error.text, "entities are not expanded"));
    assert_null(doc.root);
    crd_xml_free(&doc);
  }
  crd_xml_document doc = load("<a b='&lt;&#65;&amp;'/>");
  assert_string_equal(crd_xml_string(doc.root, "b"), "<A&");
  crd_xml_free(&doc);
}

static void broken_text_is_an_error_with_its_line(void **state) {
  (void)state;
  struct {
    const char *text;
    int line;
  } cases[] = {{"<a>\n<b>\n</a>", 3},
               {"<a>\n<b x='1", 2},
               {"<a x='1' x='2'/>", 1},
               {"<a>\n&nothing;</a>", 2},
               {"no xml", 1},
               {"<a/>\n<b/>", 2},
               {"<a", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_xml_document doc = load(cases[i].text);
    assert_int_equal(doc.status, CRD_ERR_FORMAT);
    assert_int_equal(doc.error.line, cases[i].line);
    assert_non_null(strstr(doc.error.text, "not well-formed XML"));
    crd_xml_free(&doc);
  }
  crd_xml_document doc = load("");
  assert_int_equal(doc.status, CRD_ERR_FORMAT);
  crd_xml_free(&doc);
}

static char *nested(int depth) {
  char *text = malloc((size_t)depth * 7 + 1), *end = text;
  for (int i = 0; i < depth; i++) end += sprintf(end, "<b>");
  for (int i = 0; i < depth; i++) end += sprintf(end, "</b>");
  return text;
}

static void long_chains_load_and_absurd_ones_do_not(void **state) {
  (void)state;
  char *text = nested(10000);
  crd_xml_document doc = load(text);
  assert_int_equal(doc.status, CRD_OK);
  crd_xml_node *copy = crd_xml_copy(&doc, doc.root);
  int depth = 0;
  for (crd_xml_node *node = copy; node; node = node->child) depth++;
  assert_int_equal(depth, 10000);
  crd_xml_free(&doc);
  free(text);
  text = nested(100000);
  doc = load(text);
  assert_int_equal(doc.status, CRD_ERR_FORMAT);
  assert_non_null(strstr(doc.error.text, "nested too deeply"));
  crd_xml_free(&doc);
  free(text);
}

static void what_was_not_read_is_listed_in_order(void **state) {
  (void)state;
  crd_xml_document doc = load("<a x='1' y='2'>\n<b name='first'>\n<c/></b>\n<d z='1' w='3'/>\n stray </a>");
  crd_xml_node *d = crd_xml_child(doc.root, "d");
  double x;
  crd_xml_enter(doc.root);
  crd_xml_number(&doc, doc.root, "x", &x);
  crd_xml_enter(d);
  crd_xml_ignore(d, "w", "only for show");
  crd_xml_number(&doc, d, "z", &x);
  crd_read_report report = {0};
  assert_int_equal(crd_xml_report(&doc, &report), CRD_OK);
  crd_xml_free(&doc);
  assert_int_equal(report.count, 4);
  const crd_ignored *item = report.item;
  assert_string_equal(item[0].element, "a");
  assert_string_equal(item[0].attribute, "y");
  assert_string_equal(item[0].reason, "not understood");
  assert_string_equal(item[1].attribute, "text");
  assert_int_equal(item[1].line, 5);
  assert_string_equal(item[2].element, "b");
  assert_string_equal(item[2].name, "first");
  assert_null(item[2].attribute);
  assert_int_equal(item[2].line, 2);
  assert_string_equal(item[3].attribute, "w");
  assert_string_equal(item[3].reason, "only for show");
  assert_string_equal(item[3].file, "folder/test.xml");
  crd_io_read_report_free(&report);
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  crd_xml_document doc;
  assert_int_equal(crd_xml_load(&doc, "there/is/no/such.xml"), CRD_ERR_FILE);
  assert_string_equal(doc.error.file, "there/is/no/such.xml");
  crd_xml_free(&doc);
  assert_int_equal(crd_xml_load(&doc, CRADLE_SOURCE_DIR), CRD_ERR_FILE);
  crd_xml_free(&doc);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_is_that_of_the_opening_bracket),
                                     cmocka_unit_test(lines_beyond_65535_are_counted),
                                     cmocka_unit_test(numbers_are_counted_and_checked),
                                     cmocka_unit_test(integers_keywords_and_truth_values_are_checked),
                                     cmocka_unit_test(the_first_error_stays),
                                     cmocka_unit_test(entities_are_refused_and_nothing_is_expanded),
                                     cmocka_unit_test(broken_text_is_an_error_with_its_line),
                                     cmocka_unit_test(long_chains_load_and_absurd_ones_do_not),
                                     cmocka_unit_test(what_was_not_read_is_listed_in_order),
                                     cmocka_unit_test(a_missing_file_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
