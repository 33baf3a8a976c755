/* The table of recursions of one instruction set. */
#include "tree/kernels.h"

const crd_tree_kernels CRD_KERNEL_TABLE = {
    .kinematics = CRD_KERNEL(kinematics),
    .velocity = CRD_KERNEL(velocity),
    .factor = CRD_KERNEL(factor),
    .aba = CRD_KERNEL(aba),
    .sweep = CRD_KERNEL(sweep),
    .lanes = CRD_KERNEL(lanes),
    .innovations = CRD_KERNEL(innovations),
    .rnea = CRD_KERNEL(rnea),
    .crba = CRD_KERNEL(crba),
    .crba_factor = CRD_KERNEL(crba_factor),
    .oscm = CRD_KERNEL(oscm),
    .mobility = CRD_KERNEL(mobility),
};
