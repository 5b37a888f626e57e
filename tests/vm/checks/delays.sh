#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Delays of which it is known how long they are and where they lie.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# disk NAME ATTRIBUTE=VALUE...: a null_blk device of 64 MB that completes by a timer of 5 ms.
disk() {
	disk=$1
	folder=/sys/kernel/config/nullb/$disk
	mkdir "$folder" || exit
	shift
	for setting in size=64 queue_mode=2 irqmode=2 completion_nsec=5000000 submit_queues=1 "$@" power=1; do
		echo "${setting#*=}" >"$folder/${setting%=*}" || exit
	done
	echo none >"/sys/block/$disk/queue/scheduler" || exit
}

# delay NAME TABLE...: a device in /dev/mapper, by dm-delay.
delay() {
	mapped=$1
	shift
	DM_DISABLE_UDEV=1 dmsetup create "$mapped" --noudevsync --table "0 131072 delay $*" || exit
}

# delayed NAME ENGINE TARGET TEST [OPTION...]
delayed() {
	delay_name=$1-$2 engine=$2 target=$3 tests=$4
	shift 4
	bench "$delay_name" --ioengine "$engine" --size 16M --duration 4 --warmup 0 --tests "$tests" "$@" "$target"
}

modprobe null_blk nr_devices=0 && mount -t configfs configfs /sys/kernel/config || exit
modprobe raid0 && modprobe dm-delay && modprobe loop max_loop=1 && modprobe ext4 || exit
disk plain
disk few hw_queue_depth=4
disk left
disk right
MDADM_NO_UDEV=1 mdadm --build /dev/md0 --level=0 --chunk=64 --raid-devices=2 /dev/left /dev/right || exit
# With a cache, so that there is something to flush. A loop device has no FUA: a flush takes its place.
disk cached completion_nsec=10000000 memory_backed=1 cache_size=16
losetup --direct-io=on /dev/loop0 /dev/cached || exit
# What dm-delay holds back, in ms: reads; or flushes.
disk quick completion_nsec=10000
disk quick_cached completion_nsec=10000 memory_backed=1 cache_size=16
delay reads /dev/quick 0 100 /dev/quick 0 0 /dev/quick 0 0
delay flushes /dev/quick_cached 0 0 /dev/quick_cached 0 0 /dev/quick_cached 0 100
disk limited completion_nsec=10000
mkdir /run/tmp/ext4

never_idle
warm fio "$IOSTRATA"
for engine in libaio psync; do
	delayed device "$engine" /dev/plain RND4K-Q1T1-Read --read-only
	delayed tags "$engine" /dev/few RND4K-Q1T16-Read --read-only
	delayed raid "$engine" /dev/md0 RND4K-Q1T1-Read --read-only
	delayed fua "$engine" /dev/loop0 RND4K-Q1T1-Write --write-through --destroy-data=/dev/loop0 --yes
done
delayed mapper psync /dev/dm-0 RND4K-Q1T1-Read --read-only
delayed flush psync /dev/dm-1 RND4K-Q1T1-Write --write-through --destroy-data=/dev/dm-1 --yes
mke2fs -q -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 /dev/loop0 && mount -t ext4 /dev/loop0 /run/tmp/ext4 || exit
for engine in libaio psync; do
	delayed file "$engine" /run/tmp/ext4 RND4K-Q1T1-Write --write-through
done

mount -t cgroup2 cgroup /sys/fs/cgroup && echo +io >/sys/fs/cgroup/cgroup.subtree_control || exit
mkdir /sys/fs/cgroup/slow && echo $$ >/sys/fs/cgroup/slow/cgroup.procs || exit
echo "$(cat /sys/block/limited/dev) riops=200" >/sys/fs/cgroup/slow/io.max || exit
delayed limit libaio /dev/limited RND4K-Q1T1-Read,RND4K-Q4T1-Read --read-only
delayed limit psync /dev/limited RND4K-Q1T1-Read,RND4K-Q1T4-Read --read-only
