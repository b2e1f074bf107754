#!/bin/bash
# Near duplicates of the benchmark in a bank are told and left out; hits are counted from
# finished runs, and what misled is retired into a new bank.
. "$(dirname "$0")/common.bash"
needs jq sqlite3 curl

# Two of the benchmark's own questions among the solved ones, one in other letters.
cp "$town/train.jsonl" "$work/train.jsonl"
jq -c '[.[0:2][] | {id: ("own" + (.question_id // .id | tostring)), db_id, question, evidence: (.evidence // ""), sql: "SELECT 1"}]
	| .[0].question |= ascii_upcase | .[]' "$town/questions.json" >>"$work/train.jsonl"

say "near duplicates"
town_run "$work/told" --limit 4 --method map --train "$work/train.jsonl" >/dev/null 2>"$work/log" || fail "a run"
grep -q "2 of 4 questions stand nearly to the letter in the bank (2 memories, the nearest at cosine 1.000)" "$work/log" ||
	fail "$(cat "$work/log")"
test "$(jq -r .memory "$work/told/near_duplicates.jsonl" | grep -c own)" = 2 || fail "the list"
town_run "$work/without" --limit 4 --method map --train "$work/train.jsonl" --exclude-near-duplicates \
	>/dev/null 2>"$work/log" || fail "a run without them"
test "$(sqlite3 "$work"/without/bank-*-without.db "SELECT count(*) FROM item WHERE flag LIKE 'near duplicate of question %'")" = 2 ||
	fail "they are not left out"
bank=$(b2sum -l 256 "$work"/without/bank-*-without.db | cut -c1-64)
test "$(jq -r .inputs.memory "$work/without/run.json")" = "$bank" || fail "the run's bank is another"
town_run "$work/none" --limit 4 --method map --train "$town/train.jsonl" >/dev/null 2>"$work/log" || fail "a clean run"
grep -q "nearly to the letter" "$work/log" && fail "there are none in the shipped one"
town_run "$work/x" --limit 2 --exclude-near-duplicates 2>"$work/log" && fail "no bank"
grep -q "needs a bank" "$work/log" || fail "$(cat "$work/log")"

say "hits"
"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$town/databases" -o "$work/bank.db" >/dev/null
mock_start --threads 4
town_run "$work/run" --quiet --method map --judge llm --model m --base-url "$mock_url" --seed 1,2 \
	--memory "$work/bank.db" --memory-tokens 600 --tie-break none --passes 1 >/dev/null || fail "a run with memories"
"$MAPFLEET" memory stats "$work/run" --json >"$work/stats.json" || fail "stats"
# The same numbers, from the lines themselves.
jq -s '[.[] | select((.memories | length) > 0 and .correct != null) | . as $s | .memories[] |
	{id: ., r: $s.correct, v: ($s.groups[0].right > 0)}] | group_by(.id) | map({id: .[0].id, retrieved: length,
	right: map(select(.r)) | length, helped: map(select(.r and (.v | not))) | length,
	misled: map(select((.r | not) and .v)) | length})' "$work/run/samples.jsonl" | jq -S 'sort_by(.id)' >"$work/want.json"
jq -S '.memories | sort_by(.id)' "$work/stats.json" | cmp - "$work/want.json" || fail "other counts"
test "$(jq '[.memories[].misled] | add' "$work/stats.json")" -gt 0 || fail "nothing misled: a poor test"
"$MAPFLEET" memory stats "$work/run" | grep -q "memories in .* choices with a verdict" || fail "as text"

say "retirement"
"$MAPFLEET" memory retire "$work/bank.db" --runs "$work/run" --misled 1 -o "$work/new.db" >"$work/out" || fail "retire"
want=$(jq '[.memories[] | select(.misled >= .helped + 1)] | length' "$work/stats.json")
grep -q ": $want memories retired, " "$work/out" || fail "$(cat "$work/out"), not $want"
test "$(sqlite3 "$work/new.db" "SELECT count(*) FROM item WHERE flag LIKE 'retired: %'")" = "$want" || fail "the new bank"
"$MAPFLEET" memory check "$work/new.db" >/dev/null || fail "it is not sound"
"$MAPFLEET" memory stats "$work/run" "$work/told" 2>"$work/log" && fail "two banks"
grep -q "do not add up" "$work/log" || fail "$(cat "$work/log")"
"$MAPFLEET" memory retire "$work/new.db" --runs "$work/run" -o "$work/y.db" 2>"$work/log" && fail "another bank"
grep -q "its runs used bank" "$work/log" || fail "$(cat "$work/log")"
"$MAPFLEET" memory stats "$work" 2>"$work/log" && fail "no run's directory"
grep -q "no finished run's directory" "$work/log" || fail "$(cat "$work/log")"
