#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A device that takes 5 ms by the guest's own clock.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

modprobe null_blk nr_devices=1 gb=1 queue_mode=2 irqmode=2 completion_nsec=5000000 || exit
never_idle
warm fio "$IOSTRATA"
bench nullb0 --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read --read-only /dev/nullb0
