/* SPDX-License-Identifier: GPL-2.0 */
/* Power, heat and arrays as sysfs shows them at one moment. */
#ifndef HOST_SENSORS_H
#define HOST_SENSORS_H

#include "result/result.h"

/*
 * Whether the machine lives on its battery: one is discharging and no mains or USB supply is online. False, and
 * nothing is known, where there are no supplies (batteries of mice and the like do not count). From
 * /sys/class/power_supply (the kernel's Documentation/ABI/testing/sysfs-class-power).
 */
bool sensors_on_battery(bool *on_battery);

/*
 * How often CPUs were slowed down because of their heat since the machine started, an event of a package once for each
 * of its CPUs. False where they do not count it (only those of Intel do: arch/x86/kernel/cpu/mce/therm_throt.c).
 */
bool sensors_throttlings(uint64_t *count);

/* Degrees Celsius of a disk's first sensor (nvme, drivetemp). The disk may be asked for it, by a command of its own. */
bool sensors_temperature(const char *disk, double *degrees);

/* What an array (md) does. False where `disk` is none. Fills all of `array`, which array_state_clear() frees. */
bool sensors_array(const char *disk, struct array_state *array);
void array_state_clear(struct array_state *array);

/*
 * The NVMe controllers of a disk ("nvme0"), NULL-terminated, for strings_free(); the device of a disk with several
 * paths is a subsystem that holds them (drivers/nvme/host/multipath.c). None for other disks.
 */
char **sensors_controllers(const char *disk);

#endif
