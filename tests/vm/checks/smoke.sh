#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Two short tests on a device of each kind.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

modprobe null_blk nr_devices=3 gb=1 queue_mode=2 irqmode=1 submit_queues=2 || exit
modprobe raid0 || exit
# Without superblocks, as null_blk forgets what is written.
MDADM_NO_UDEV=1 mdadm --build /dev/md0 --level=0 --chunk=64 --raid-devices=2 /dev/nullb1 /dev/nullb2 || exit
for device in vda sda nvme0n1 nullb0 md0; do
	bench $device --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read,RND4K-Q4T1-Write \
		--destroy-data=/dev/$device --yes /dev/$device
done
