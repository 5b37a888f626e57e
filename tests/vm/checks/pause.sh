#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A benchmark on a disk that takes 20 ms for each I/O, while the host stops the machine.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

modprobe null_blk nr_devices=0 && mount -t configfs configfs /sys/kernel/config || exit
mkdir /sys/kernel/config/nullb/steady || exit
for setting in size=64 queue_mode=2 irqmode=2 completion_nsec=20000000 submit_queues=1 power=1; do
	echo "${setting#*=}" >"/sys/kernel/config/nullb/steady/${setting%=*}" || exit
done
echo none >/sys/block/steady/queue/scheduler || exit
warm fio "$IOSTRATA"
# Tells the host when fio is at work, by the time of day here: alone it has more than one I/O on its way.
(
	until [ "$(awk '{ print $1 }' /sys/block/steady/inflight)" -gt 4 ]; do
		sleep 0.1
	done
	date +%s%N >"$OUT/working.part" && mv "$OUT/working.part" "$OUT/working"
) &
bench paused -v --size 16M --duration 8 --warmup 0 --read-only --tests RND4K-Q8T1-Read /dev/steady
