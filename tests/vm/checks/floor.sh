#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The floor of a device that takes 5 ms for each block, and of one that takes them for each but the first.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# disk NAME NS: a null_blk device of 64 MB with a memory, which completes by a timer.
disk() {
	folder=/sys/kernel/config/nullb/$1
	mkdir "$folder" || exit
	for setting in size=64 queue_mode=2 irqmode=2 "completion_nsec=$2" submit_queues=1 memory_backed=1 power=1; do
		echo "${setting#*=}" >"$folder/${setting%=*}" || exit
	done
	echo none >"/sys/block/$1/queue/scheduler" || exit
	# What was never written is not read.
	tr '\0' x </dev/zero | dd of="/dev/$1" bs=1M count=16 iflag=fullblock oflag=direct || exit
}

# floor NAME DEVICE
floor() {
	bench "$1" --floor --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read --read-only "$2"
}

modprobe null_blk nr_devices=0 && mount -t configfs configfs /sys/kernel/config && modprobe dm-mod || exit
disk slow 5000000
disk quick 100000

never_idle
warm fio "$IOSTRATA" dmsetup
floor level /dev/slow
printf '0 8 linear /dev/quick 0\n8 32760 linear /dev/slow 8\n' |
	DM_DISABLE_UDEV=1 dmsetup create first --noudevsync || exit
floor near /dev/dm-0
