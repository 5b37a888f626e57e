# SPDX-License-Identifier: GPL-2.0
# bash completion for iostrata. The options come from -h, so that they can't differ from it.

_iostrata_tests() {
	local test
	for test in SEQ1M-Q8T1 RND4K-Q32T16 RND4K-Q1T1; do
		echo "$test-Read $test-Write"
	done
}

# Where trace's program stands among the words, or will; nothing where there is none before the current one.
_iostrata_traced() {
	local with_value i
	with_value=$("$1" trace -h 2>/dev/null | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+ [A-Z]' |
		grep -oE -- '--?[a-zA-Z-]+' | tr '\n' ' ')
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)) ;;
		=) i=$((i + 1)) && continue ;;
		-*)
			[[ " $with_value " != *" ${COMP_WORDS[i]} "* || ${COMP_WORDS[i + 1]} == = ]] || i=$((i + 1))
			continue
			;;
		*) echo "$i" ;;
		esac
		return
	done
}

_iostrata() {
	local program=$1 traced current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} prefix=''
	COMPREPLY=()

	# "=" stands as a word of its own between an option and its value.
	if [ "$current" = = ]; then
		current=''
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'bench trace compare report doctor --help --version' -- "$current")
		return
	fi

	if [ "${COMP_WORDS[1]}" = trace ]; then
		traced=$(_iostrata_traced "$program")
		if [ -n "$traced" ] && [ "$traced" -lt "$COMP_CWORD" ] && declare -F _command_offset >/dev/null; then
			_command_offset "$traced"
			return
		elif [ "$traced" = "$COMP_CWORD" ]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$current")
			return
		elif [ -n "$traced" ]; then
			previous=''
		fi
	fi

	case $previous in
	-o | --outdir)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		return
		;;
	--fio-path | --csv | --host)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	-p | --pid)
		prefix=${current%"${current##*,}"}
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$(ps -eo pid= 2>/dev/null)" -- "${current##*,}")
		return
		;;
	-g | --cgroup)
		compopt -o filenames -o nospace
		mapfile -t COMPREPLY < <(compgen -d -- "${current:-$(findmnt -nt cgroup2 -o TARGET | head -n 1)/}")
		return
		;;
	-D | --device)
		prefix=${current%"${current##*,}"}
		compopt -o nospace
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$(lsblk -lnpo NAME 2>/dev/null)" -- "${current##*,}")
		return
		;;
	-u | --user)
		mapfile -t COMPREPLY < <(compgen -u -- "$current")
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
	--stages)
		mapfile -t COMPREPLY < <(compgen -W 'device device,queue all' -- "$current")
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
	-c | --config | -s | --size-gb | --size | -d | --duration | --warmup | -i | --iterations | --sweep | --expect | --interval | --slow | \
		--slowest)
		return
		;;
	esac

	if [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$("$program" "${COMP_WORDS[1]}" -h 2>/dev/null | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' |
				grep -oE -- '--[a-z-]+')" -- "$current")
	elif [ "${COMP_WORDS[1]}" = trace ] && [ -z "$traced" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$current")
	else
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}

complete -F _iostrata iostrata
