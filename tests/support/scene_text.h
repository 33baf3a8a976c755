/* The mechanisms of the folder scenes/, each written once, with other numbers where a test needs them. */
#ifndef TESTS_SCENE_TEXT_H
#define TESTS_SCENE_TEXT_H

#include <cradle/model.h>

/* The MJCF of scenes/NAME.xml. spec is "NAME", or "NAME: element.attribute=value; ..." with changes: the element is the one
 * of that name, or else the first of that tag; its attribute gets the value, is added where it is not there, and removed
 * by an empty value. The test fails where there is no such file or element. To be freed with free(). */
char *scene_text(const char *spec);

/* The model of a text of MJCF (which begins with '<') or of a scene, named as above. */
crd_model *model_from_text(const char *source);

#endif
