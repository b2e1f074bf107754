# common.bash - what the scripts of this folder share: source it
#
# Environment: MAPFLEET (the binary), SOURCE_DIR, BUILD_DIR. A script that sources this
# has $work, a directory of its own that goes away, and ends with every process that it
# started through `background` or `mock_start` ended.

set -euo pipefail

town=$SOURCE_DIR/tests/data/smalltown
shared=$SOURCE_DIR/../shared
work=$(mktemp -d)
children=()

clean_up() {
	local pid
	for pid in "${children[@]:-}"; do
		if [ -n "$pid" ]; then kill -9 "$pid" 2>/dev/null || true; fi
	done
	wait 2>/dev/null || true
	if [ -z "${KEEP:-}" ]; then rm -rf "$work"; else echo "kept: $work"; fi
}
trap clean_up EXIT

say() { echo "$*"; }
fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "SKIP: $*"; exit 77; }

needs() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "no $program command here"
	done
}

# The shipped benchmark, all but methods: small budgets, for one query is endless.
town_run() { # DIR flags...
	local dir=$1
	shift
	"$MAPFLEET" run --benchmark bird --name e2e --output-dir "$dir" \
		--questions "$town/questions.json" --databases "$town/databases" \
		--gold "$town/gold.jsonl" --pool "$town/pool.jsonl" --sql-steps 2000000 "$@"
}

# The same, in the background: $! is its pid. stdout and stderr go to DIR.log.
town_start() { # DIR flags...
	local dir=$1
	shift
	"$MAPFLEET" run --benchmark bird --name e2e --output-dir "$dir" \
		--questions "$town/questions.json" --databases "$town/databases" \
		--gold "$town/gold.jsonl" --pool "$town/pool.jsonl" --sql-steps 2000000 \
		"$@" >"$dir.log" 2>&1 &
	children+=($!)
}

# What the command that just ended spent: tasks, calls, ...
spent() { # DIR FIELD
	jq -r ".spent.$2" "$1/run.json"
}

# DIR may hold predictions of earlier commands besides.
same_bytes() { # REFERENCE DIR WHAT
	local file run
	for file in results.json samples.jsonl; do
		cmp "$1/$file" "$2/$file" || fail "$3: $file differs"
	done
	for run in "$1"/predictions/*; do
		diff -r "$run" "$2/predictions/${run##*/}" || fail "$3: predictions differ"
	done
}

# ---- the model server that says what it is told to say ----

mock_url=
mock_pid=

mock_start() { # flags...
	local tries=0
	rm -f "$work/mock.url" # the last one's
	"$BUILD_DIR/tests/mock_llm" "$@" >"$work/mock.url" 2>"$work/mock.log" </dev/null &
	mock_pid=$!
	children+=("$mock_pid")
	while ! grep -qs http "$work/mock.url"; do
		kill -0 "$mock_pid" 2>/dev/null || fail "mock_llm: $(cat "$work/mock.log")"
		tries=$((tries + 1))
		test $tries -lt 200 || fail "mock_llm does not start"
		sleep 0.05
	done
	mock_url=$(head -1 "$work/mock.url")
}

mock_stat() { # FIELD
	curl -s --max-time 10 "${mock_url%/v1}/stats" | jq ".$1"
}

mock_stop() {
	kill -9 "$mock_pid" 2>/dev/null || true
	wait "$mock_pid" 2>/dev/null || true
	mock_pid=
}

# ---- processes ----

# The workers of a fleet whose command has this pid: run, its broker, the broker's.
workers_of() { # PID
	local broker
	for broker in $(pgrep -P "$1" 2>/dev/null); do
		pgrep -P "$broker" 2>/dev/null || true
	done
}

broker_of() { # PID
	pgrep -P "$1" 2>/dev/null | head -1 || true
}

# Until the journal holds that many outputs, or the command has ended.
wait_outputs() { # DIR N PID
	local n=0 tries=0
	while [ "$tries" -lt 600 ] && kill -0 "$3" 2>/dev/null; do
		n=$(journal "$1" 'SELECT count(*) FROM output' 2>/dev/null || echo 0)
		if [ "${n:-0}" -ge "$2" ]; then return 0; fi
		tries=$((tries + 1))
		sleep 0.02
	done
	return 0
}

journal() { # DIR SQL
	sqlite3 -readonly -cmd '.timeout 5000' "$1/journal.db" "$2"
}
