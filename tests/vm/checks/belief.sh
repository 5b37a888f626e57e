#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What can be believed, where the truth is known: how many commands a device takes at once; what it got to be durable.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# synced NAME DEVICE: synchronous writes through ext4 on a device; its own counters before and after are kept.
synced() {
	synced_name=$1 device=$2
	mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$device" || exit
	mount -t ext4 "/dev/$device" /run/tmp/ext4 || exit
	sync
	trace "$synced_name" -D "/dev/$device" -- dd if=/dev/zero of=/run/tmp/ext4/file bs=4k count=100 oflag=dsync
	umount /run/tmp/ext4
}

modprobe null_blk nr_devices=0 && mount -t configfs configfs /sys/kernel/config && modprobe ext4 || exit
mkdir /sys/kernel/config/nullb/eight /run/tmp/ext4 || exit
for setting in size=64 queue_mode=2 irqmode=2 completion_nsec=20000000 submit_queues=1 hw_queue_depth=8 power=1; do
	echo "${setting#*=}" >"/sys/kernel/config/nullb/eight/${setting%=*}" || exit
done
echo none >/sys/block/eight/queue/scheduler || exit
warm fio "$IOSTRATA" dd mke2fs
bench sweep --size 16M --duration 2 --warmup 0 --read-only --sweep 1,2,4,8,16,32 /dev/eight
for device in vda sda nvme0n1; do
	synced "dd-$device" "$device"
	bench "bench-$device" --size 16M --duration 1 --warmup 0 --write-through --tests RND4K-Q1T1-Write \
		--destroy-data="/dev/$device" --yes "/dev/$device"
done
