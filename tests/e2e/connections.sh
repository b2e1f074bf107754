#!/usr/bin/env bash
# connections.sh - --max-connections is what a model's server sees at once, from all
# workers together
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq curl

# sees MOST WORKERS: the most that the server saw in flight is just MOST
sees() {
	local seen
	mock_start --threads 2 --latency 20
	town_run "$work/$1.$2" --workers "$2" --max-connections "$1" --judge llm --model mock \
		--base-url "$mock_url" --method map --limit 30 --quiet >"$work/log" 2>&1 ||
		fail "exit $?: $(cat "$work/log")"
	seen=$(mock_stat max_in_flight)
	mock_stop
	test "$seen" = "$1" || fail "--max-connections $1 of $2 workers: $seen in flight"
	say "--max-connections $1 of $2 workers: at most $seen in flight"
}

sees 3 2
sees 1 4
sees 8 1
