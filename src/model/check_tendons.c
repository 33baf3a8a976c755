/* Rules for tendons. */
#include "model/check.h"

static crd_status check_terms(const crd_build *b, const crd_element *element, const crd_tendon_def *def) {
  for (int k = 0; k < def->nterm; k++) CRD_TRY(crd_check_scalar_joint(b, element, def->term_joint[k]));
  CRD_TRY(crd_check_finite(b, element, "coef", def->term_coef, def->nterm));
  for (int k = 0; def->limited && k < def->nterm; k++)
    if (def->term_coef[k] == 0) return crd_build_fail(b, CRD_ERR_MODEL, element, "coef is 0, must not be");
  return CRD_OK;
}

static crd_status check_obstacle(const crd_build *b, const crd_element *element, const crd_wrap *wrap) {
  CRD_TRY(crd_check_reference(b, element, "geom", wrap->geom, b->in->geom.count));
  const crd_geom_def *geom = &b->geom_def[wrap->geom].def;
  if (wrap->site >= 0) CRD_TRY(crd_check_reference(b, element, "site", wrap->site, b->in->site.count));
  if (geom->type == CRD_SPHERE || geom->type == CRD_CYLINDER) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "bends round %s \"%s\" (id %d), must be a sphere or cylinder",
                        crd_model_geom_type_name(geom->type), geom->name, wrap->geom);
}

/* Each branch leads from site to site, with at most one obstacle between two of them. */
static crd_status check_path(const crd_build *b, const crd_element *element, const crd_tendon_def *def) {
  int sites = 0; /* of the branch */
  for (int i = 0; i < def->nwrap; i++) {
    const crd_wrap *wrap = &def->wrap[i];
    const bool after_site = i > 0 && def->wrap[i - 1].type == CRD_WRAP_SITE;
    const bool before_site = i + 1 < def->nwrap && def->wrap[i + 1].type == CRD_WRAP_SITE;
    switch (wrap->type) {
      case CRD_WRAP_SITE:
        CRD_TRY(crd_check_reference(b, element, "site", wrap->site, b->in->site.count));
        sites++;
        break;
      case CRD_WRAP_GEOM:
        CRD_TRY(check_obstacle(b, element, wrap));
        if (!after_site || !before_site)
          return crd_build_fail(b, CRD_ERR_MODEL, element, "part %d of its path is a geom, must be between two sites",
                                i);
        break;
      case CRD_WRAP_PULLEY:
        CRD_TRY(crd_check_positive(b, element, "divisor", &wrap->divisor, 1));
        if (i > 0 && sites < 2)
          return crd_build_fail(b, CRD_ERR_MODEL, element, "the branch before part %d has %d sites, must have two", i,
                                sites);
        sites = 0;
        break;
      default: return crd_build_fail(b, CRD_ERR_ARGUMENT, element, "part %d is of no known kind", i);
    }
  }
  if (sites >= 2) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "its last branch has %d sites, must have two", sites);
}

crd_status crd_check_tendons(const crd_build *b) {
  for (int i = 0; i < b->in->tendon.count; i++) {
    const crd_tendon_def *def = &b->tendon_def[i];
    crd_element element = crd_element_tendon(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->tendon.names));
    if ((def->nterm > 0) == (def->nwrap > 0))
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "has %d joints and a path of %d parts, must have one of them",
                            def->nterm, def->nwrap);
    CRD_TRY(def->nterm > 0 ? check_terms(b, &element, def) : check_path(b, &element, def));
    CRD_TRY(crd_check_not_negative(b, &element, "stiffness", &def->stiffness, 1));
    CRD_TRY(crd_check_not_negative(b, &element, "damping", &def->damping, 1));
    CRD_TRY(crd_check_finite(b, &element, "springlength", def->spring_length, 2));
    if (def->spring_length[0] > def->spring_length[1])
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "springlength is %g %g, the first must not be larger",
                            def->spring_length[0], def->spring_length[1]);
    CRD_TRY(crd_check_not_negative(b, &element, "frictionloss", &def->frictionloss, 1));
    CRD_TRY(crd_check_not_negative(b, &element, "armature", &def->armature, 1));
    if (def->armature > 0 && def->nterm != 1)
      return crd_build_fail(b, CRD_ERR_MODEL, &element,
                            "armature is %g, must be 0 except for a weighted sum of one joint: it would couple the "
                            "accelerations of several",
                            def->armature);
    if (!def->limited) continue;
    CRD_TRY(crd_check_range(b, &element, "range", def->range));
    if (!(def->restitution >= 0 && def->restitution <= 1))
      return crd_build_fail(b, CRD_ERR_NUMBER, &element, "restitution is %g, must be 0 to 1", def->restitution);
  }
  return CRD_OK;
}
