/* <include file="..."/>: the children of the named file's root element take the place of the element.
 *
 * As in MuJoCo, file names are relative to the folder of the model's main file, wherever the <include> stands, and only
 * where there is no such file relative to the including one. Includes may be nested, and a file can be included once;
 * that rule also ends every cycle.
 */
#include <stdlib.h>
#include <string.h>

#include "io/file/name_table.h"
#include "io/file/path.h"
#include "io/mjcf/mjcf.h"

typedef struct include_state {
  crd_xml_document *doc;
  const crd_read_options *options;
  crd_name_table seen; /* resolved paths */
} include_state;

/* Remembers the file; false (with the error set) when it was there before or memory is out. */
static bool remember(include_state *state, const crd_xml_node *node, const char *path) {
  crd_xml_document *doc = state->doc;
  char *real = crd_path_real(path);
  const char *name = crd_arena_string(&doc->arena, real ? real : path);
  free(real);
  if (!name) {
    crd_xml_fail_memory(doc);
  } else if (crd_name_find(&state->seen, name)) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<include> file: '%.200s' is included already, expected each file once",
                 path);
  } else if (!crd_name_put(&state->seen, name, doc)) {
    crd_xml_fail_memory(doc);
  }
  return crd_xml_ok(doc);
}

const char *crd_mjcf_folder(crd_xml_document *doc, const crd_xml_node *node, const char *subfolder, const char *file) {
  const char *candidates[2] = {doc->folder, crd_path_folder(&doc->arena, node->file)};
  for (int i = 0; i < 2; i++) {
    if (candidates[i] && subfolder && subfolder[0])
      candidates[i] = crd_path_join(&doc->arena, candidates[i], subfolder);
    const char *path = candidates[i] ? crd_path_join(&doc->arena, candidates[i], file) : NULL;
    if (!path) {
      crd_xml_fail_memory(doc);
      return NULL;
    }
    if (crd_path_is_file(path)) return candidates[i];
  }
  return candidates[0];
}

/* The included file's elements in place of node; returns the first of them. */
static crd_xml_node *expand(include_state *state, crd_xml_node *node) {
  crd_xml_document *doc = state->doc;
  if (node->child) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<include>: found elements inside, expected none");
    return NULL;
  }
  const char *file = crd_xml_need(doc, node, "file");
  if (!file) return NULL;
  crd_path_scope scope = {crd_path_root(state->options->root, doc->folder), state->options->allow_outside, node->file,
                          node->line};
  const char *folder = crd_mjcf_folder(doc, node, NULL, file);
  char *path;
  if (!folder) return NULL;
  crd_status status = crd_path_resolve(&doc->arena, &scope, "include", folder, file, &path, &doc->error);
  if (status != CRD_OK) {
    doc->status = status;
    return NULL;
  }
  if (!remember(state, node, path)) return NULL;
  crd_xml_node *root = crd_xml_load_more(doc, path);
  if (!root) return NULL;
  if (!root->child) {
    crd_xml_fail(doc, node, CRD_ERR_FORMAT, "<include> file: found no element in '%.200s', expected at least one",
                 path);
    return NULL;
  }
  crd_xml_replace(node, root->child);
  return root->child;
}

static void expand_all(include_state *state, crd_xml_node *root) {
  crd_xml_document *doc = state->doc;
  int depth = 1;
  crd_xml_node *node = root;
  while (node) {
    while (node && node != root && crd_xml_is(node, "include")) node = expand(state, node);
    if (!crd_xml_ok(doc)) return;
    if (node->child) {
      node = node->child;
      if (++depth > CRD_XML_DEPTH_LIMIT) {
        crd_xml_fail(doc, node, CRD_ERR_FORMAT, "elements are nested too deeply, expected at most %d levels",
                     CRD_XML_DEPTH_LIMIT);
        return;
      }
    } else {
      while (node != root && !node->next) node = node->parent, depth--;
      node = node == root ? NULL : node->next;
    }
  }
}

void crd_mjcf_expand_includes(crd_xml_document *doc, crd_xml_node *root, const crd_read_options *options) {
  include_state state = {.doc = doc, .options = options};
  if (remember(&state, root, root->file)) expand_all(&state, root);
  crd_name_free(&state.seen);
}
