# zygote.sh - kill -9 of a zygote or of an SQL child, as the kernel does when memory is
# short, costs time and no question: another worker starts, the bytes are the same
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs pgrep jq

base=(--workers 1 --method majority --sql-steps 20000000 --quiet)
town_run "$work/whole" "${base[@]}" >"$work/log" 2>&1

killed() { # WHAT LEVEL: the worker's child (1) or its child's child (2)
	local what=$1 level=$2 dir=$work/$1 pid victim tries=0 code=0 i
	town_start "$dir" "${base[@]}"
	pid=$!
	while [ $tries -lt 200 ] && kill -0 $pid 2>/dev/null; do
		victim=$(workers_of $pid | head -1)
		for ((i = 0; i < level; i++)); do
			[ -z "$victim" ] || victim=$(pgrep -P "$victim" | head -1 || true)
		done
		[ -z "$victim" ] || break
		tries=$((tries + 1))
		sleep 0.02
	done
	[ -n "$victim" ] || fail "$what: no process to kill was found"
	wait_outputs "$dir" 30 $pid
	kill -9 "$victim" 2>/dev/null || say "$what: it had ended before"
	wait $pid || code=$?
	test $code = 0 || fail "$what: exit $code: $(cat "$dir.log")"
	same_bytes "$work/whole" "$dir" "$what"
	say "$what: killed, the same bytes"
}

killed zygote 1
killed child 2
