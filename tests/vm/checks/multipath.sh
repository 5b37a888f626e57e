#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Two short tests on the head of a disk with two paths.
# shellcheck source=/dev/null
. "$GUEST/lib.sh"

head=$(echo /dev/nvme?n1)
bench multipath --size 16M --duration 1 --warmup 0 --tests RND4K-Q1T1-Read,RND4K-Q4T1-Write \
	--destroy-data="$head" --yes "$head"
