/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_CGROUP_H
#define HOST_CGROUP_H

/*
 * The directory of a cgroup in the v2 hierarchy, wherever that is mounted. `given` is its path, or the part of it below
 * the mount, as systemd and /proc/PID/cgroup show it: "/system.slice/cron.service". Returns 0, with *directory for the
 * caller to free; -ENODEV where no cgroup v2 is mounted; or -ENOENT.
 */
int cgroup_directory(const char *given, char **directory);

#endif
