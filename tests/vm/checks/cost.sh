#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The same reads of a device that costs nothing, under no probes, all of ours, those that follow requests, those that
# time the device, and biolatency's, twice in turn; and system calls of a program that nobody looks at.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

export READER READ AFTER=true

# read_under WHO WAY ROUND OPTION...
read_under() {
	under=$1-$2-$3
	READER="$OUT/reader $2 /dev/nullb0 500 15" READ="$OUT/$under.reads"
	shift 3
	bench_engine "$under" "$@"
}

bench_engine() {
	bench "$@" --fio-path "$GUEST/engine" --size 16M --duration 0.1 --warmup 0 --tests RND4K-Q1T1-Read --read-only \
		/dev/nullb0
}

links() {
	bpftool -j link show | grep -o '"prog_id"' | wc -l
}

# The same without our probes, beside biolatency. It says that its probes are live, but into a file not before its end.
read_under_biolatency() {
	before=$(links)
	biolatency -d nullb0 >"$OUT/biolatency-$1.table" 2>&1 &
	biolatency=$!
	until [ "$(links)" -ge $((before + 2)) ]; do
		kill -0 $biolatency || return
		sleep 1
	done
	read_under biolatency pread "$1" --no-trace
	kill -INT $biolatency
	wait $biolatency
}

# call_under WHO ROUND
call_under() {
	"$OUT/reader" getppid /dev/nullb0 2000 15 >"$OUT/$1-getppid-$2.reads"
}

call_under_empty() {
	: >/run/tmp/attached
	"$OUT/empty" "$OUT/empty_calls.bpf.o" >/run/tmp/attached &
	empty=$!
	until [ -s /run/tmp/attached ]; do
		kill -0 $empty || return
		sleep 0.1
	done
	call_under empty "$1"
	kill $empty
	wait $empty
}

# Our probes are live from before the workload opens the pipe until it has seen its end.
call_under_ours() {
	READER='cat /run/tmp/pipe' READ=/dev/null
	bench_engine all-getppid-"$1" &
	exec 3>/run/tmp/pipe
	call_under all "$1"
	exec 3>&-
	wait $!
}

modprobe null_blk nr_devices=1 gb=1 queue_mode=2 irqmode=0 submit_queues=1 || exit
warm fio biolatency bpftool "$IOSTRATA" "$OUT/reader" "$OUT/empty"
mkfifo /run/tmp/pipe || exit
for round in 1 2; do
	read_under none pread $round --no-trace
	read_under all pread $round
	read_under queue pread $round --stages device,queue
	read_under device pread $round --stages device
	read_under_biolatency $round
	read_under none libaio $round --no-trace
	read_under all libaio $round
	call_under none $round
	call_under_empty $round
	call_under_ours $round
done

# Reading the clock around each program costs, too, so these are runs of their own.
echo 1 >/proc/sys/kernel/bpf_stats_enabled
AFTER='bpftool -j prog show'
read_under all pread programs
read_under queue pread programs --stages device,queue
read_under device pread programs --stages device
read_under all libaio programs
