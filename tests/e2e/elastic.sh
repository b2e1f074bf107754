#!/usr/bin/env bash
# elastic.sh - MIN..MAX passes: the same bytes for any number of workers, with passes
# asked ahead or not, killed or not; and `extend` pays only for what is new
#
# Nobody is asked about a pass that no question still wants, and no choice depends on
# one that was asked in vain.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl pgrep

elastic=(--method majority,map --passes 4..8 --stop two-stage --judge simulated:shared=0
	--seed 1,2)

samples_of() { # DIR RUN-PREFIX JQ
	jq -s "map(select(.run | startswith(\"$2\"))) | $3" "$1/samples.jsonl"
}

# ---- the same bytes ----

town_run "$work/one" "${elastic[@]}" --workers 1 >"$work/one.log" 2>&1
town_run "$work/four" "${elastic[@]}" --workers 4 >"$work/four.log" 2>&1
same_bytes "$work/one" "$work/four" "1 and 4 workers"
for passes in 4 5 8; do
	n=$(samples_of "$work/one" map "map(select((.passes | length) == $passes)) | length")
	test "$n" -gt 0 || fail "no question stopped at pass $passes"
done
mean=$(samples_of "$work/one" map-k4..8 'map(select((.run | endswith("-s1")) and
	(.passes | length) > 0) | .passes | length) | add / length')
jq -e --argjson mean "$mean" '.runs[] | select(.method == "map" and .seed == 1) |
	.passes - $mean | fabs < 1e-9' "$work/one/results.json" >/dev/null ||
	fail "passes are not the mean of those used"
say "4..8 passes: the same bytes with 1 and 4 workers, $mean passes on average"

town_run "$work/ahead" "${elastic[@]}" --workers 4 --passes-ahead 3 >"$work/ahead.log" 2>&1
same_bytes "$work/one" "$work/ahead" "passes asked ahead"
ahead=$(($(spent "$work/ahead" tasks) - $(spent "$work/one" tasks)))
test "$ahead" -gt 0 || fail "nothing was asked ahead"
kept=$(journal "$work/ahead" 'SELECT count(*) FROM output')
town_run "$work/ahead" "${elastic[@]}" --workers 2 --passes 8 >"$work/ahead.log" 2>&1
town_run "$work/eight" "${elastic[@]}" --workers 2 --passes 8 >"$work/eight.log" 2>&1
same_bytes "$work/eight" "$work/ahead" "8 passes over a past of 4..8"
test "$(journal "$work/ahead" 'SELECT count(*) FROM output')" = \
	$((kept + $(spent "$work/ahead" tasks))) || fail "finished passes were not kept"
say "3 passes ahead: $ahead tasks more, none used, all kept: 8 passes then cost" \
	"$(spent "$work/ahead" tasks) tasks of $(spent "$work/eight" tasks)"

# ---- killed at any moment, resumed ----

round=0
for ms in 150 400 700; do
	round=$((round + 1))
	town_start "$work/killed" "${elastic[@]}" --workers 2 --passes-ahead 2
	pid=$!
	sleep "0.$ms"
	broker=$(broker_of "$pid")
	if [ -n "$broker" ]; then kill -9 "$broker" 2>/dev/null || true; fi
	wait "$pid" 2>/dev/null || true
done
town_run "$work/killed" "${elastic[@]}" --workers 2 --passes-ahead 2 >"$work/killed.log" 2>&1
same_bytes "$work/one" "$work/killed" "killed $round times"
say "the broker killed $round times, passes asked ahead: the same bytes"

# ---- a model that counts ----

mock_start --threads 2
model=(--method map --judge llm --model mock --base-url "$mock_url" --workers 2 --limit 30)
town_run "$work/llm" "${model[@]}" --passes 2..6 --stop beta >"$work/llm.log" 2>&1
test "$(mock_stat total)" = "$(mock_stat distinct)" || fail "a prompt was asked twice"
test "$(jq '.runs[0].usage.calls' "$work/llm/results.json")" = "$(mock_stat total)" ||
	fail "usage has not what the model was asked"
asked=$(mock_stat total)

# ---- extend ----

"$MAPFLEET" extend "$work/llm" --passes 8..10 --quiet >"$work/llm.log" 2>&1 ||
	fail "extend: $(cat "$work/llm.log")"
more=$(($(mock_stat total) - asked))
test "$(mock_stat total)" = "$(mock_stat distinct)" || fail "extend asked again"
test "$(spent "$work/llm" calls)" = "$more" || fail "extend: spent is not what was asked"
test "$(jq -r '.runs[0].run' "$work/llm/results.json")" = \
	map-k8..10-llm-model=mock-stop=beta-s42 || fail "extend: another run"
town_run "$work/fresh" "${model[@]}" --passes 8..10 --stop beta >"$work/fresh.log" 2>&1
same_bytes "$work/fresh" "$work/llm" "extended, and run at once"
mock_stop
"$MAPFLEET" extend "$work/llm" --passes 8..10 --quiet >"$work/llm.log" 2>&1 ||
	fail "extend again, the model gone: $(cat "$work/llm.log")"
test "$(spent "$work/llm" tasks)" = 0 || fail "extend again: tasks ran"
say "extend: $more calls after $asked, as if run at once; again: none, the model gone"

# From another folder; paths and name are those of the first command.
cd "$town"
"$MAPFLEET" run --benchmark bird --output-dir "$work/there" --questions questions.json \
	--databases databases --gold gold.jsonl --pool pool.jsonl --sql-steps 2000000 \
	--method majority,map --passes 2 --name there --quiet >/dev/null
cd "$work"
before=$(journal there 'SELECT count(*) FROM output')
"$MAPFLEET" extend there --passes 4 --quiet --json >there.json
test "$(jq -r .name there.json)" = there || fail "extend: another name"
cmp there.json there/results.json || fail "extend: --json is not results.json"
new=$(($(journal there 'SELECT count(*) FROM output') - before))
test "$(spent there tasks)" = "$new" || fail "extend: $new new outputs"
town_run "$work/four-there" --method majority,map --passes 4 --name there >/dev/null 2>&1
cmp there/samples.jsonl four-there/samples.jsonl || fail "extend: other samples"
say "extend from another folder: $new tasks, the same samples"
