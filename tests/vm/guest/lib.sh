# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What the checks' scripts share. OUT is the folder for results, IOSTRATA the program.

# Reads programs and their libraries in, so that nothing is fetched from the host while something is timed.
warm() {
	for program; do
		path=$(command -v "$program") || return
		cat "$path" >/dev/null
		ldd "$path" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
			cat "$library" >/dev/null
		done
	done
}

# Keeps the CPU from being idle, at the lowest priority: a clock that counts instructions then counts nothing else.
never_idle() {
	warm "$OUT/idler"
	chrt --idle 0 "$OUT/idler" &
}

# bench NAME OPTION...: one invocation; its result, its words and its exit status are in $OUT/NAME.
bench() {
	name=$1
	shift
	mkdir "$OUT/$name"
	"$IOSTRATA" bench --outdir "$OUT/$name" "$@" >"$OUT/$name/words" 2>&1
	echo $? >"$OUT/$name/status"
}

# trace NAME OPTION... -- PROGRAM...: the same of a traced program.
trace() {
	name=$1
	shift
	mkdir "$OUT/$name"
	"$IOSTRATA" trace --outdir "$OUT/$name" "$@" >"$OUT/$name/words" 2>&1
	echo $? >"$OUT/$name/status"
}
