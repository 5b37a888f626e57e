#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Short tests by each engine on devices of each kind, and on a file; 1 MiB is cut into 16 requests of 64 KiB.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# bench_by_each_engine NAME OPTION...
bench_by_each_engine() {
	group=$1
	shift
	for engine in libaio io_uring psync; do
		bench "$group-$engine" --ioengine $engine --size 16M --duration 0.5 --warmup 0 --yes \
			--tests RND4K-Q8T4-Mix50,SEQ1M-Q4T2-Mix50 "$@"
	done
}

modprobe null_blk nr_devices=3 gb=1 queue_mode=2 irqmode=2 completion_nsec=100000 submit_queues=2 || exit
modprobe raid0 || exit
# Without superblocks, as null_blk forgets what is written.
MDADM_NO_UDEV=1 mdadm --build /dev/md0 --level=0 --chunk=64 --raid-devices=2 /dev/nullb1 /dev/nullb2 || exit
set --
for device in vda nvme0n1 nullb0 md0; do
	[ $device = md0 ] || echo 64 >/sys/block/$device/queue/max_sectors_kb || exit
	set -- "$@" --destroy-data=/dev/$device /dev/$device
done
bench_by_each_engine raw "$@"

mkdir /run/tmp/ext4
modprobe ext4 && mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 /dev/vda &&
	mount -t ext4 /dev/vda /run/tmp/ext4 || exit
bench_by_each_engine file /run/tmp/ext4
