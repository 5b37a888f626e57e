/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPORT_TARGET_H
#define REPORT_TARGET_H

#include <stdbool.h>

#include "result/result.h"

/*
 * The kind of path under a target in words, from its layers: "ext4 on nvme0n1p2 (Samsung SSD 980 PRO, 1 TB)",
 * "xfs on md0 over sda, sdb (2 × Samsung SSD 870 EVO, 1 TB)", "9p without a block device"; of TARGET_DISKS the
 * disks and loop devices. Names are as they came: the caller makes them printable, and frees the string.
 */
char *target_in_words(const struct target *target);

/*
 * The same, or where something lies between this machine and the medium that a reader must know of, what that is and
 * which stage includes it: "ext4 on sdc, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file
 * system and disk · 1.1 TB disk".
 */
char *target_with_path_in_words(const struct target *target);

/*
 * The loop devices whose I/O is counted on the disk of their file, too, as all disks are watched: "loop1, loop5".
 * NULL where there are none. The caller frees it.
 */
char *loops_in_words(const struct target *target, bool *many);

#endif
