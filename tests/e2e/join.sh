#!/usr/bin/env bash
# join.sh - workers started by hand join a running fleet, and leave it when told
#
# One drains at SIGTERM (what it has not started goes back, no death is counted), one is
# killed; the sweep ends with the bytes of an undisturbed one.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl pgrep

model=(--method majority,map --judge llm --model mock --max-connections 4 --limit 40)

mock_start --threads 2
town_run "$work/calm" --workers 2 "${model[@]}" --base-url "$mock_url" >"$work/calm.log" 2>&1
mock_stop

mock_start --threads 2 --latency 150
dir=$work/joined
town_start "$dir" --workers 1 "${model[@]}" --base-url "$mock_url"
pid=$!
address=
for ((i = 0; i < 200 && ${#address} == 0; i++)); do
	for worker in $(workers_of $pid); do
		address=$(tr '\0' '\n' <"/proc/$worker/cmdline" | grep '^ipc://' || true)
	done
	sleep 0.05
done
test -n "$address" || fail "the fleet has no worker"
"$MAPFLEET" worker --connect "$address" >"$work/polite.log" 2>&1 &
polite=$!
"$MAPFLEET" worker --connect "$address" >"$work/rude.log" 2>&1 &
rude=$!
children+=("$polite" "$rude")
sleep 1
kill -TERM $polite
kill -9 $rude
rc=0
wait $polite || rc=$?
test $rc = 0 || fail "SIGTERM: the worker ended with $rc: $(cat "$work/polite.log")"
wait $rude 2>/dev/null || true
rc=0
wait $pid || rc=$?
test $rc = 0 || fail "exit $rc: $(tail -3 "$dir.log")"
same_bytes "$work/calm" "$dir" "workers that come and go"
names=$(jq -r 'select(.useful) | .worker' "$dir/calls.jsonl" | sort -u)
for worker in $polite $rude; do
	echo "$names" | grep -q ":$worker\$" || fail "worker $worker did nothing: $names"
done
over=$(($(mock_stat answered) - $(mock_stat distinct)))
test $over -le 4 || fail "$over asks paid twice, and the killed worker held 4"
deaths=$(journal "$dir" "SELECT count(*) FROM failure WHERE code = 'DEATH'")
test "$deaths" -le 4 || fail "$deaths deaths, and the killed worker held 4 asks"
say "three workers, one drained and one killed: same bytes, $over asks repeated"
