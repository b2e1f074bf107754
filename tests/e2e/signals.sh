#!/usr/bin/env bash
# signals.sh - a command that is interrupted, started twice, robbed of a worker or of its
# model server
#
# G03 SIGINT with 16 calls open, and twice; G09 two commands on one directory; E14 quota
# exhausted; E08 every request refused.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl pgrep

asks_done() { # DIR
	journal "$1" 'SELECT count(*) FROM output JOIN task ON task.id = task
		WHERE kind IN (7, 10)'
}

# With the model at $mock_url, in the background.
model_start() { # DIR flags...
	local dir=$1
	shift
	town_start "$dir" --workers 2 --max-connections 16 --judge llm --model mock \
		--base-url "$mock_url" --method majority,map --limit 30 "$@"
}

ends() { # PID SECONDS: its exit code, in $rc
	local tries=0
	while kill -0 "$1" 2>/dev/null; do
		tries=$((tries + 1))
		test $tries -lt $(($2 * 20)) || fail "still there after $2 s"
		sleep 0.05
	done
	rc=0
	wait "$1" || rc=$?
}

model_runs() { # DIR flags...: until it ends, in 60 s; its exit code in $rc
	model_start "$@"
	ends $! 60
}

wait_asked() { # N
	local tries=0
	while [ "$(mock_stat total)" -lt "$1" ]; do
		tries=$((tries + 1))
		test $tries -lt 200 || fail "the model is not asked"
		sleep 0.05
	done
}

ok() { # WHAT DIR
	test "$rc" = 0 || fail "$1: exit $rc: $(tail -3 "$2.log")"
}

once() { # WHAT DIR: no answer was given to a prompt that had one
	test "$(mock_stat answered)" = "$(mock_stat distinct)" ||
		fail "$1: $(mock_stat answered) answers to $(mock_stat distinct) prompts"
	test "$(asks_done "$2")" = "$(mock_stat distinct)" || fail "$1: answers were lost"
}

mock_start --threads 2
model_runs "$work/calm"
ok "undisturbed" "$work/calm"
prompts=$(mock_stat distinct)
mock_stop

# ---- G03: first SIGINT ----
mock_start --threads 2 --latency 900
dir=$work/int
model_start "$dir"
pid=$!
wait_asked 16
begin=$(date +%s%N)
kill -INT $pid
ends $pid 10
test "$rc" = 130 || fail "SIGINT: exit $rc: $(tail -3 "$dir.log")"
once "SIGINT" "$dir"
test ! -e "$dir/results.json" || fail "SIGINT: results of half a sweep"
ms=$((($(date +%s%N) - begin) / 1000000))
before=$(asks_done "$dir")
test "$before" -ge 16 || fail "SIGINT: only $before of 16 open calls were kept"
mock_port=${mock_url##*:}
mock_port=${mock_port%/v1}
model_runs "$dir"
ok "after SIGINT" "$dir"
once "after SIGINT" "$dir"
same_bytes "$work/calm" "$dir" "after SIGINT"
say "G03: SIGINT with 16 calls open: exit 130 after $ms ms, $before answers kept," \
	"$prompts prompts asked once"
mock_stop

# ---- G03: second SIGINT ----
mock_start --threads 2 --script 'never*'
dir=$work/int2
model_start "$dir"
pid=$!
wait_asked 16
begin=$(date +%s%N)
kill -INT $pid
sleep 0.5
kill -0 $pid 2>/dev/null || fail "the first SIGINT did not wait for 16 open calls"
kill -INT $pid
ends $pid 10
ms=$((($(date +%s%N) - begin) / 1000000))
test "$rc" = 130 || fail "SIGINT twice: exit $rc"
test $ms -lt 4000 || fail "SIGINT twice: $ms ms"
mock_stop
mock_start --threads 2
model_runs "$dir"
ok "after two SIGINTs" "$dir"
same_bytes "$work/calm" "$dir" "after two SIGINTs"
say "G03: SIGINT twice: exit 130 after $ms ms, then the same bytes"
mock_stop

# ---- G09: two commands on one directory ----
mock_start --threads 2 --latency 300
dir=$work/twice
model_start "$dir"
pid=$!
wait_asked 4
cp "$dir.log" "$dir.first.log"
rc=0
town_run "$dir" --method majority >"$dir.second" 2>&1 || rc=$?
test "$rc" = 1 || fail "G09: the second command: exit $rc"
grep -q "process $pid on host $(hostname)" "$dir.second" ||
	fail "G09: who is at work? $(tail -1 "$dir.second")"
ends $pid 60
ok "G09, the first" "$dir"
same_bytes "$work/calm" "$dir" "G09"
say "G09: $(tail -1 "$dir.second" | cut -c1-120)"
mock_stop

# ---- a worker killed in the middle ----
mock_start --threads 2 --latency 100
dir=$work/robbed
model_start "$dir"
pid=$!
wait_asked 10
for worker in $(workers_of $pid); do
	kill -9 "$worker"
	sleep 0.3
done
ends $pid 60
ok "workers killed" "$dir"
same_bytes "$work/calm" "$dir" "workers killed"
over=$(($(mock_stat answered) - prompts))
test $over -le 16 || fail "workers killed: $over asks paid twice"
test "$(mock_stat distinct)" = "$prompts" || fail "workers killed: other prompts"
say "two workers killed: the same bytes, $over of at most 16 open asks repeated"
mock_stop

# ---- the model server killed in the middle ----
mock_start --threads 2 --latency 100
dir=$work/server
port=${mock_url##*:}
port=${port%/v1}
model_start "$dir" --max-retries 2
pid=$!
wait_asked 20
answered=$(mock_stat answered)
mock_stop
sleep 2
mock_start --threads 2 --port "$port"
ends $pid 60
if [ "$rc" != 0 ]; then
	test "$rc" = 4 || fail "server killed: exit $rc: $(tail -3 "$dir.log")"
	say "server killed: $(tail -1 "$dir.log")"
	model_runs "$dir"
	ok "server killed, then repeated" "$dir"
fi
once_more=$(mock_stat answered)
test "$once_more" = "$(mock_stat distinct)" || fail "server killed: asks paid twice"
same_bytes "$work/calm" "$dir" "server killed"
test $((answered + once_more)) -ge $((prompts - 32)) &&
	test $((answered + once_more)) -le $((prompts + 32)) ||
	fail "server killed: $answered answers before and $once_more after for $prompts"
say "server killed and started again: $answered answers before, $once_more after, same bytes"
mock_stop

# ---- no server at all ----
dir=$work/nobody
model_start "$dir" --max-retries 1
pid=$!
ends $pid 60
test "$rc" = 4 || fail "no server: exit $rc: $(tail -3 "$dir.log")"
say "no server: $(tail -1 "$dir.log" | cut -c1-160)"
mock_start --threads 2
model_runs "$dir"
ok "a server at last" "$dir"
same_bytes "$work/calm" "$dir" "a server at last"
mock_stop

# ---- E14: quota ----
mock_start --threads 2 --script 'ok*20,quota*'
dir=$work/quota
model_runs "$dir" --max-retries 0
test "$rc" = 3 || fail "E14: exit $rc: $(tail -3 "$dir.log")"
say "E14: $(tail -1 "$dir.log" | cut -c1-160)"
paid=$(mock_stat answered)
mock_stop
test "$(asks_done "$dir")" = "$paid" || fail "E14: $(asks_done "$dir") of $paid answers kept"
mock_start --threads 2
model_runs "$dir"
ok "E14, repeated" "$dir"
test "$(mock_stat answered)" = $((prompts - paid)) || fail "E14: asks paid twice"
same_bytes "$work/calm" "$dir" "E14"
mock_stop

# ---- E08: every request refused ----
mock_start --threads 2 --script 'status:400*'
dir=$work/refused
model_runs "$dir"
test "$rc" != 0 || fail "E08: exit 0 though every request failed"
tail -1 "$dir.log" | grep -qi -e fail -e refused -e '400' ||
	fail "E08: the last line does not say so: $(tail -1 "$dir.log")"
if grep -q '^map-s42 ' "$dir.log" && [ -e "$dir/results.json" ] &&
	[ "$(jq '.runs[] | select(.run | startswith("map")) | .failed + .degraded' \
		"$dir/results.json")" = 0 ]; then
	fail "E08: a score as if nothing had happened"
fi
say "E08: exit $rc, $(tail -1 "$dir.log" | cut -c1-160)"
mock_stop
