#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A device that takes 5 ms by the guest's own clock.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

modprobe null_blk nr_devices=1 gb=1 queue_mode=2 irqmode=2 completion_nsec=5000000 || exit
never_idle
warm fio "$IOSTRATA"
modprobe sd_mod && modprobe scsi_debug dev_size_mb=32 delay=0 ndelay=4000000 || exit
# Its disk is looked for beside the loading.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	debug=$(grep -l scsi_debug /sys/block/sd*/device/model) && break
	sleep 1
done
debug=${debug#/sys/block/}
bench scsi_debug --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read --read-only "/dev/${debug%%/*}"
bench nullb0 --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read --read-only /dev/nullb0
