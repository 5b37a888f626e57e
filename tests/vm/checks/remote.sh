#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A traced program, and short tests by each engine, on 9p and, where the kernel tells of its requests, on virtiofs.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

# follow KIND OPTION...: mounts what is served, with options of mount, and measures there.
follow() {
	kind=$1
	shift
	mkdir "/run/tmp/$kind" && mount -t "$kind" "$@" "served-$kind" "/run/tmp/$kind" || exit
	file=/run/tmp/$kind/traced
	trace "$kind-trace" -- sh -c "dd if=/dev/zero of=$file bs=64k count=16 conv=fsync 2>/dev/null
		dd if=$file of=/dev/null bs=4k count=100 iflag=direct 2>/dev/null"
	for engine in libaio io_uring psync; do
		bench "$kind-$engine" --ioengine $engine --size 1M --duration 1 --warmup 0 \
			--tests RND4K-Q1T1-Read,RND4K-Q4T2-Mix50 "/run/tmp/$kind"
	done
}

# The root is served by 9p, too: nothing of it shall be read meanwhile.
warm sh dd fio "$IOSTRATA"
follow 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none
case $(uname -r) in
6.1.*) ;;
*) follow virtiofs ;;
esac
