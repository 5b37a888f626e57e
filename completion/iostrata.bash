# SPDX-License-Identifier: GPL-2.0
# bash completion for iostrata. The options come from -h, so that they can't differ from it.

_iostrata_tests() {
	local test
	for test in SEQ1M-Q8T1 RND4K-Q32T16 RND4K-Q1T1; do
		echo "$test-Read $test-Write"
	done
}

_iostrata() {
	local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} prefix=''
	COMPREPLY=()

	# "=" stands as a word of its own between an option and its value.
	if [ "$current" = = ]; then
		current=''
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'bench report --help --version' -- "$current")
		return
	fi

	case $previous in
	-o | --outdir)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		return
		;;
	--fio-path | --csv)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	--destroy-data)
		mapfile -t COMPREPLY < <(compgen -W "$(lsblk -lnpo NAME 2>/dev/null)" -- "$current")
		return
		;;
	--latency)
		mapfile -t COMPREPLY < <(compgen -W 'lat clat' -- "$current")
		return
		;;
	--engine)
		mapfile -t COMPREPLY < <(compgen -W 'fio' -- "$current")
		return
		;;
	--ioengine)
		mapfile -t COMPREPLY < <(compgen -W 'libaio io_uring psync' -- "$current")
		return
		;;
	--tests)
		# The last one of a list; what stands before it is kept.
		[[ $current != *,* ]] || prefix=${current%,*},
		compopt -o nospace
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$(_iostrata_tests)" -- "${current##*,}")
		return
		;;
	-c | --config | -s | --size-gb | --size | -d | --duration | --warmup | -i | --iterations)
		return
		;;
	esac

	if [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$("$program" "${COMP_WORDS[1]}" -h 2>/dev/null | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' |
				grep -oE -- '--[a-z-]+')" -- "$current")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}

complete -F _iostrata iostrata
