#!/bin/bash
# A model writes a bank: what is not so is refused and counted, the self-check sorts out,
# a build that was killed goes on at no double cost, and gives the same bytes.
. "$(dirname "$0")/common.bash"
needs jq sqlite3 curl

build() { # DIR flags...
	local dir=$1
	shift
	"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$town/databases" \
		--model m --base-url "$mock_url" --output-dir "$dir" -o "$dir.bank" --quiet "$@"
}

mock_start --threads 4
build "$work/whole" --self-check --json >"$work/whole.json" || fail "the build fails"
test "$(mock_stat total)" = 240 || fail "not one ask for a memory and one for SQL each"
jq -e '.learnt == 120 and .self_check.same == .usable and .usable > 60 and .usable < 120 and
	.refused_keys == {"schema_grounding": 120, "conditional_and_null": 120} and
	.refused_parts == {"schema_grounding": 120} and .mended == 120 and
	.calls == 240 and .wasted_calls == 0 and .seconds_per_memory >= 0' "$work/whole.json" >/dev/null ||
	fail "the summary: $(cat "$work/whole.json")"
"$MAPFLEET" memory check "$work/whole.bank" | grep -q "120 items, .* memories m;" || fail "the bank"
sqlite3 "$work/whole.bank" "SELECT count(*) FROM item WHERE flag LIKE 'self-check: %' AND memory <> ''" |
	grep -qv '^0$' || fail "what failed the check is not kept for the record"

say "the same command again asks nothing"
build "$work/whole" --self-check --json | jq -S . >"$work/again.json"
test "$(mock_stat total)" = 240 || fail "it asked again"
jq -S . "$work/whole.json" | cmp - "$work/again.json" || fail "it tells other numbers"

say "killed in the middle, it goes on"
mock_stop
mock_start --threads 4 --latency 40
build "$work/killed" --self-check --max-connections 4 >/dev/null 2>&1 &
pid=$!
children+=("$pid")
wait_outputs "$work/killed" 160 "$pid" # 120 executions among them
broker=$(broker_of "$pid")
kill -9 "$pid" ${broker:+"$broker"} 2>/dev/null
wait "$pid" 2>/dev/null || true
for _ in $(seq 100); do
	if ! kill -0 "$broker" 2>/dev/null; then break; fi
	sleep 0.05
done
done_before=$(mock_stat answered)
test "$done_before" -lt 240 || fail "it was not killed in the middle"
build "$work/killed" --self-check --json >"$work/killed.json" || fail "it does not go on"
cmp "$work/whole.bank" "$work/killed.bank" || fail "another bank after a kill"
# What was in flight is asked again; what was answered and kept is not.
test "$(mock_stat total)" -le 248 || fail "$(mock_stat total) asks for 240 answers"
test "$(journal "$work/killed" "SELECT count(*) FROM call WHERE useful = 1")" = 240 || fail "useful calls"

say "what cannot be read is asked for once more, then dropped"
mock_stop
mock_start --script 'text:I+am+sorry*'
build "$work/prose" --limit 5 2>"$work/prose.log" && fail "a bank of nothing"
grep -q "none of 5 training questions" "$work/prose.log" || fail "$(cat "$work/prose.log")"
test "$(mock_stat total)" = 10 || fail "asked $(mock_stat total) times for 5"
mock_stop
mock_start --script 'text:no*3,ok*'
build "$work/mixed" --limit 5 --max-connections 1 --workers 1 --json |
	jq -e '.learnt + .dropped == 5 and .asked_again >= 1 and .items == 5' >/dev/null || fail "mixed answers"

say "tables.json beside the databases is found, as run finds it"
mock_stop
mock_start --threads 2
mkdir "$work/beside"
cp -r "$town/databases" "$work/beside/databases"
echo '[{"db_id": "cinema", "table_names_original": ["film"], "table_names": ["moving picture"],
	"column_names_original": [[-1, "*"], [0, "title"]], "column_names": [[-1, "*"], [0, "name on the poster"]],
	"column_types": ["text", "text"], "primary_keys": [], "foreign_keys": []}]' >"$work/beside/tables.json"
for flags in "--tables $work/beside/tables.json" ""; do
	"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$work/beside/databases" \
		--model m --base-url "$mock_url" --filter db_id=cinema --output-dir "$work/named" \
		-o "$work/named.bank" --quiet --overwrite --journal "$work/named.db" $flags || fail "no bank"
	test "$(mock_stat total)" = 30 || fail "$(mock_stat total) asks: the schemas told differ"
done
rm "$work/beside/databases/cinema/cinema.sqlite"
"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$work/beside/databases" \
	-o "$work/left.bank" --quiet >/dev/null 2>&1 || fail "derived"
"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$work/beside/databases" \
	--tables "$work/beside/tables.json" -o "$work/said.bank" --quiet >/dev/null 2>&1 || fail "derived"
cmp "$work/left.bank" "$work/said.bank" || fail "a bank derived without a model"

say "mistakes are told"
"$MAPFLEET" memory build --train "$town/train.jsonl" -o "$work/x" --model m --base-url "$mock_url" 2>"$work/log" &&
	fail "no databases"
grep -q -- "--databases is missing" "$work/log" || fail "$(cat "$work/log")"
"$MAPFLEET" memory build --train "$town/train.jsonl" -o "$work/x" --self-check 2>"$work/log" && fail "no model"
grep -q -- "--self-check needs --model" "$work/log" || fail "$(cat "$work/log")"
echo "{{question}} {{nonsense}}" >"$work/t.txt"
build "$work/t" --memory-template "$work/t.txt" 2>"$work/log" && fail "a wrong template"
grep -q "unknown hole {{nonsense}}" "$work/log" || fail "$(cat "$work/log")"
