/* SPDX-License-Identifier: GPL-2.0 */
/* How a disk is attached: SATA, SAS, USB or PCI Express, and what that carries. */
#ifndef HOST_LINK_H
#define HOST_LINK_H

#include "result/result.h"

/*
 * Fills `link` and `link_bytes_per_second` of `layer` for a whole disk, of the bus that is nearest to it, as it was
 * negotiated. Both stay empty where sysfs doesn't tell, and where a hypervisor made it up.
 */
void link_describe(const char *disk, struct layer *layer);

#endif
