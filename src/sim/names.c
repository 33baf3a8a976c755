/* Names of integrators and events. */
#include <cradle/sim.h>

const char *crd_sim_integrator_name(crd_sim_integrator integrator) {
  switch (integrator) {
    case CRD_SIM_RK4: return "rk4";
    case CRD_SIM_EULER: return "euler";
    case CRD_SIM_MIDPOINT: return "midpoint";
    case CRD_SIM_EVENT: return "event";
    case CRD_SIM_MOREAU: return "moreau";
  }
  return "undefined";
}

const char *crd_sim_event_name(crd_sim_event_kind kind) {
  switch (kind) {
    case CRD_EVENT_IMPACT: return "impact";
    case CRD_EVENT_RELEASE: return "release";
    case CRD_EVENT_STICK: return "stick";
    case CRD_EVENT_SLIP: return "slip";
    case CRD_EVENT_ZENO: return "zeno";
    case CRD_EVENT_PAINLEVE: return "painleve";
    case CRD_EVENT_LIMIT: return "limit";
    case CRD_EVENT_UNRESOLVED: return "unresolved";
    case CRD_EVENT_KINDS: break;
  }
  return "undefined";
}

const char *crd_sim_retry_name(crd_sim_retry retry) {
  static const char *const name[CRD_RETRIES] = {"forecast", "forces", "coarse",  "unsolved",
                                                "thin",     "closes", "crowded", "strays"};
  return retry >= 0 && retry < CRD_RETRIES ? name[retry] : "undefined";
}
