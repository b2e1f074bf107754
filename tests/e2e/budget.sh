#!/usr/bin/env bash
# budget.sh - a number of asks for the whole benchmark: never more than that, the same
# bytes for any number of workers, killed or not, and more of them pay only for the new
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl

judge=(--judge simulated --seed 1,2 --quiet)

asks_of() { # DIR RUN-PREFIX: of each run that begins so
	jq -c --arg run "$2" '[.runs[] | select(.run | startswith($run)) | .usage.asks]' \
		"$1/results.json"
}

same_choices() { # DIR RUN DIR RUN WHAT: but for the run's name
	diff <(jq -c --arg r "$2" 'select(.run == $r) | del(.run)' "$1/samples.jsonl") \
		<(jq -c --arg r "$4" 'select(.run == $r) | del(.run)' "$3/samples.jsonl") >/dev/null ||
		fail "$5"
	grep -qF "\"$2\"" "$1/samples.jsonl" || fail "$5: no $2"
}

# ---- budgets of every size, in one sweep ----

methods=majority,lean,lean:most=0
for n in 0 1 7 20 100000; do methods+=,lean:budget=$n; done
town_run "$work/one" --method "$methods" "${judge[@]}" --workers 1 >"$work/one.log" 2>&1 ||
	fail "$(cat "$work/one.log")"
all=$(asks_of "$work/one" lean-simulated-s)
jq -ne --argjson all "$all" '$all | min > 25' >/dev/null || fail "lean asks $all: too few to test"
for n in 0 1 7 20; do
	[ "$(asks_of "$work/one" "lean-simulated-budget=$n-s")" = "[$n,$n]" ] ||
		fail "budget $n: $(asks_of "$work/one" "lean-simulated-budget=$n-s") asks"
done
for s in 1 2; do
	same_choices "$work/one" lean-simulated-most=0-s$s "$work/one" lean-simulated-budget=0-s$s \
		"no ask is not evidence alone"
	same_choices "$work/one" lean-simulated-s$s "$work/one" lean-simulated-budget=100000-s$s \
		"enough for all is not lean without a budget"
done
jq -se '[.[] | select(.run == "lean-simulated-budget=20-s1" and .usage.asks > 0)
	| .question_id] | length > 5' "$work/one/samples.jsonl" >/dev/null ||
	fail "20 asks went to too few questions"
jq -e '.runs[] | select(.run == "lean-simulated-budget=7-s1") | .parameters.budget == 7' \
	"$work/one/results.json" >/dev/null || fail "the budget is no parameter"
say "budgets 0, 1, 7, 20 are spent to the last ask; $all without one"

# ---- the same bytes ----

town_run "$work/four" --method "$methods" "${judge[@]}" --workers 4 >"$work/four.log" 2>&1
same_bytes "$work/one" "$work/four" "1 and 4 workers"
rows=$(journal "$work/four" 'SELECT count(*) FROM choice')
town_run "$work/four" --method "$methods" "${judge[@]}" --workers 4 >"$work/four.log" 2>&1
test "$(spent "$work/four" tasks)" = 0 || fail "again: $(spent "$work/four" tasks) tasks"
same_bytes "$work/one" "$work/four" "again"
test "$(journal "$work/four" 'SELECT count(*) FROM choice')" = "$rows" ||
	fail "drafts were written as choices"
say "1 and 4 workers the same bytes; again: no task, no row"

# At every 150th result, so among executions, labels, drafts and choices.
kills=0
rc=1
while [ "$rc" != 0 ]; do
	test "$kills" -lt 40 || fail "does not end: $(cat "$work/killed.log")"
	rc=0
	MAPFLEET_CRASH=broker_result:150 town_run "$work/killed" --method "$methods" "${judge[@]}" \
		--workers 2 >"$work/killed.log" 2>&1 || rc=$?
	if [ "$rc" != 0 ]; then kills=$((kills + 1)); fi
done
test "$kills" -gt 3 || fail "killed only $kills times"
same_bytes "$work/one" "$work/killed" "killed $kills times"
say "the broker killed $kills times: the same bytes"

# ---- alone as in company ----

town_run "$work/alone" --method lean --budget 20 "${judge[@]}" >"$work/alone.log" 2>&1
for s in 1 2; do
	run=lean-simulated-budget=20-s$s
	same_choices "$work/one" $run "$work/alone" $run "$run: other choices alone"
	diff <(jq -S ".runs[] | select(.run == \"$run\") | [.usage, .ex]" "$work/alone/results.json" |
		grep -v shared_calls) <(jq -S ".runs[] | select(.run == \"$run\") | [.usage, .ex]" \
		"$work/one/results.json" | grep -v shared_calls) || fail "$run: another usage alone"
done
say "alone as in company"

# ---- a model that counts; more asks pay only for the new ones ----

mock_start --threads 2
model=(--judge llm --model mock --base-url "$mock_url" --workers 2 --quiet)
before=0
for n in 5 20 60; do
	town_run "$work/llm" --method majority,lean:until=99 --budget $n "${model[@]}" >"$work/llm.log" 2>&1 ||
		fail "budget $n: $(cat "$work/llm.log")"
	asks=$(asks_of "$work/llm" lean)
	jq -ne --argjson n $n --argjson asks "$asks" '$asks == [$n]' >/dev/null ||
		fail "budget $n: $asks asks"
	test "$(mock_stat total)" = "$(mock_stat distinct)" || fail "budget $n: a prompt was asked twice"
	test "$(spent "$work/llm" calls)" = $(($(mock_stat total) - before)) ||
		fail "budget $n: spent is not what the model was asked"
	test "$(mock_stat total)" = "$n" || fail "budget $n: the model was asked $(mock_stat total) times"
	before=$(mock_stat total)
done
town_run "$work/fresh" --method majority,lean:until=99 --budget 60 "${model[@]}" >"$work/fresh.log" 2>&1
same_bytes "$work/fresh" "$work/llm" "5, 20, then 60 asks, and 60 at once"
mock_stop
town_run "$work/llm" --method majority,lean:until=99 --budget 60 "${model[@]}" >"$work/llm.log" 2>&1 ||
	fail "again, the model gone: $(cat "$work/llm.log")"
test "$(spent "$work/llm" tasks)" = 0 || fail "again: tasks ran"
say "a model: 5, 20, then 60 calls in all, as if 60 at once; again: none, the model gone"

# ---- the plan, a sweep file, and what is refused ----

town_run "$work/plan" --method lean --budget 9 "${judge[@]}" --dry-run --json |
	jq -e '.runs | map(.asks_at_most) == [9, 9]' >/dev/null || fail "the plan's price"
printf 'method: lean\nbudget: 9\n' >"$work/sweep.yaml"
town_run "$work/plan" "$work/sweep.yaml" "${judge[@]}" --dry-run --json |
	jq -e '.runs[0].run == "lean-simulated-budget=9-s1"' >/dev/null || fail "a sweep file's budget"

refused() { # WORD flags...
	local word=$1 rc=0
	shift
	town_run "$work/wrong" "${judge[@]}" "$@" >"$work/wrong.log" 2>&1 || rc=$?
	[ "$rc" = 1 ] || fail "$*: exit $rc instead of 1"
	grep -qF -e "$word" "$work/wrong.log" || fail "$*: $(cat "$work/wrong.log")"
}
refused "--budget: -1 is outside" --method lean --budget -1
refused '--budget: "many" is no number' --method lean --budget many
refused '--budget: "1.5" is no whole number' --method lean --budget 1.5
refused '"-3" is no whole number' --method lean:budget=-3
refused "(lean), or --call-limit" --method majority,map --budget 50
refused "it has no key budget" --method map:budget=50
[ ! -e "$work/wrong" ] || fail "something was started"
say "wrong budgets are refused"
