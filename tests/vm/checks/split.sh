#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reads and writes at depth 1 on disks of which the host knows where they are slow, while the host records.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# disk SERIAL: the device that QEMU gave this number.
disk() {
	for serial in /sys/block/vd*/serial; do
		[ "$(cat "$serial")" != "$1" ] || basename "${serial%/serial}"
	done
}

# traced NAME DEVICE: 40 reads and 40 writes, with nothing just before them, so that all of the host's are theirs.
traced() {
	[ -b "/dev/$2" ] || exit
	sleep 3
	trace "$1" -D "/dev/$2" -- sh -c "'$OUT/reader' pread /dev/$2 20 1 && '$OUT/reader' pwrite /dev/$2 20 1"
}

modprobe virtio_blk && modprobe dm-delay || exit
"$OUT/clock" "$OUT/now" || exit
warm "$IOSTRATA" "$OUT/reader"
until [ -e "$OUT/recording" ]; do
	sleep 0.1
done
for name in plain vmm kernel device cached; do
	traced $name "$(disk $name)"
done
plain=/dev/$(disk plain)
DM_DISABLE_UDEV=1 dmsetup create stack --noudevsync \
	--table "0 $(blockdev --getsz "$plain") delay $plain 0 100" || exit
traced stack dm-0
# QEMU reads its images once more when it ends.
sleep 3
