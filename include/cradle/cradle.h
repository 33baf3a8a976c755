/* cradle: rigid-body contact and impact. This header includes all the others; each layer has one of its own. */
#ifndef CRADLE_CRADLE_H
#define CRADLE_CRADLE_H

#include <cradle/analysis.h>
#include <cradle/base.h>
#include <cradle/batch.h>
#include <cradle/collide.h>
#include <cradle/contact.h>
#include <cradle/coulomb.h>
#include <cradle/fit.h>
#include <cradle/impact.h>
#include <cradle/io.h>
#include <cradle/lcp.h>
#include <cradle/linalg.h>
#include <cradle/model.h>
#include <cradle/outcome.h>
#include <cradle/sim.h>
#include <cradle/tree.h>

#endif
