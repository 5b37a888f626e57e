#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The same reads of a device that costs nothing, under no probes, all of ours, those that time the device, and
# biolatency's, twice in turn.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

export READER="$OUT/reader /dev/nullb0 500 15" READ AFTER=true

# read_under NAME OPTION...
read_under() {
	READ="$OUT/$1.reads"
	bench "$@" --fio-path "$GUEST/engine" --size 16M --duration 0.1 --warmup 0 --tests RND4K-Q1T1-Read --read-only \
		/dev/nullb0
}

links() {
	bpftool -j link show | grep -o '"prog_id"' | wc -l
}

# The same without our probes, beside biolatency. It says that its probes are live, but into a file not before its end.
read_under_biolatency() {
	before=$(links)
	biolatency -d nullb0 >"$OUT/$1.table" 2>&1 &
	biolatency=$!
	until [ "$(links)" -ge $((before + 2)) ]; do
		kill -0 $biolatency || return
		sleep 1
	done
	read_under "$1" --no-trace
	kill -INT $biolatency
	wait $biolatency
}

modprobe null_blk nr_devices=1 gb=1 queue_mode=2 irqmode=0 submit_queues=1 || exit
warm fio biolatency bpftool "$IOSTRATA" "$OUT/reader"
# Timing the device alone is what biolatency does; a program that can't be asked for it does no more.
device=''
if "$IOSTRATA" bench --help | grep -q -e --stages; then
	device='--stages device'
fi
for round in 1 2; do
	read_under none-$round --no-trace
	read_under all-$round
	# shellcheck disable=SC2086 # none or two words
	read_under device-$round $device
	read_under_biolatency biolatency-$round
done

# Reading the clock around each program costs, too, so this is a run of its own.
echo 1 >/proc/sys/kernel/bpf_stats_enabled
AFTER='bpftool -j prog show'
read_under all-programs
# shellcheck disable=SC2086 # as above
read_under device-programs $device
