#!/bin/bash
# A bank of an endpoint's vectors: built in any order and form, searched with vectors of
# the same embedder only, and its faults told.
. "$(dirname "$0")/common.bash"
needs jq sqlite3 curl

build() { # BANK flags...
	local bank=$1
	shift
	"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$town/databases" --quiet \
		--model m --base-url "$mock_url" --embed-model bge-m3 --output-dir "$bank.d" -o "$bank" "$@"
}

mock_start --threads 4
build "$work/a.db" >/dev/null || fail "the build fails"
"$MAPFLEET" memory search "$work/a.db" "how many" 2>&1 >/dev/null | grep -q "vectors of bge-m3, and no endpoint is asked" ||
	fail "memory search does not say whose vectors it compares"
"$MAPFLEET" memory check "$work/a.db" | grep -q "embedder bge-m3 of 16 numbers" || fail "the bank's embedder"
test "$(mock_stat total)" = 124 || fail "$(mock_stat total) requests: 120 memories, 120 texts by 32"

say "base64 gives the same bank"
mock_stop
mock_start --script 'base64*'
build "$work/b.db" --embed-url "$mock_url" >/dev/null || fail "base64"
cmp "$work/a.db" "$work/b.db" || fail "base64 gives another bank"

say "derived memories with an endpoint's vectors"
"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$town/databases" --quiet --json \
	--embed-model bge-m3 --embed-url "$mock_url" --output-dir "$work/d" -o "$work/d.db" |
	jq -e '.learnt == 120 and .usable == 120 and .calls == 4' >/dev/null || fail "no such bank"
"$MAPFLEET" memory check "$work/d.db" | grep -q "embedder bge-m3 of 16 numbers; memories derived" || fail "that bank"

say "a run asks the same embedder, once a question"
mock_stop
mock_start --threads 4
town_run "$work/run" --quiet --limit 6 --method map --judge llm --model m --base-url "$mock_url" \
	--memory "$work/a.db" --embed-model bge-m3 --passes 1 >/dev/null || fail "a run with it"
test "$(journal "$work/run" "SELECT count(*) FROM task JOIN output ON output.task = task.id WHERE kind = 21")" -ge 1 ||
	fail "no embed task"
jq -e 'select(.memories | length > 0)' "$work/run/samples.jsonl" >/dev/null || fail "no memories in the choices"
town_run "$work/evidence" --quiet --limit 6 --method map --memory "$work/a.db" --embed-model bge-m3 \
	--embed-url "$mock_url" >/dev/null || fail "evidence with such a bank"

say "another embedder is refused before anything starts"
town_run "$work/x" --limit 2 --memory "$work/a.db" 2>"$work/log" && fail "the built-in embedder"
grep -q "its vectors are of bge-m3" "$work/log" || fail "$(cat "$work/log")"
town_run "$work/x" --limit 2 --memory "$work/a.db" --embed-model bge-m3 --embed-revision 2 \
	--embed-url "$mock_url" 2>"$work/log" && fail "another revision"
grep -q "would be of bge-m3@2" "$work/log" || fail "$(cat "$work/log")"
town_run "$work/x" --limit 2 --embed-url "$mock_url" 2>"$work/log" && fail "a URL without a model"
grep -q -- "--embed-url needs --embed-model" "$work/log" || fail "$(cat "$work/log")"

say "faulty vectors"
mock_stop
mock_start --script 'odd_vector*'
build "$work/odd.db" --embed-url "$mock_url" --limit 5 >/dev/null 2>"$work/log" && fail "an odd vector"
grep -q "embeddings of bge-m3: text [0-9]: 1[26] numbers, 1[26] were expected" "$work/log" || fail "$(cat "$work/log")"
mock_stop
mock_start --script 'zero_vector*'
build "$work/zero.db" --embed-url "$mock_url" --limit 5 >/dev/null 2>"$work/log" && fail "a zero vector"
grep -q "text 4: all zeros" "$work/log" || fail "$(cat "$work/log")"
mock_stop
mock_start --script 'lost_vector*2,twice_vector,ok*'
build "$work/lost.db" --embed-url "$mock_url" --limit 5 >/dev/null 2>"$work/log" || fail "$(cat "$work/log")"
