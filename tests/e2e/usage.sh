#!/usr/bin/env bash
# usage.sh - what a run used is the same, counted three ways: in results.json, over
# samples.jsonl, and over the useful lines of calls.jsonl whose runs hold it
#
# G14: attempts that failed are listed as wasted, and only the answered one is counted.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl

fields='calls prompt_tokens completion_tokens cached_tokens'
nano='def nano: . * 1e9 | round;'

of_results() { # DIR RUN FIELD
	jq --arg run "$2" "$nano .runs[] | select(.run == \$run) | .usage.$3 |
		if \"$3\" == \"cost\" then nano else . end" "$1/results.json"
}

over_samples() { # DIR RUN FIELD
	jq -s --arg run "$2" "$nano [.[] | select(.run == \$run) | .usage.$3 |
		if \"$3\" == \"cost\" then nano else . end] | add" "$1/samples.jsonl"
}

over_calls() { # DIR RUN FIELD
	jq -s --arg run "$2" "$nano [.[] | select(.useful and (.runs | index(\$run))) |
		if \"$3\" == \"calls\" then 1 elif \"$3\" == \"cost\" then .usage.cost | nano
		else .usage.$3 // 0 end] | add // 0" "$1/calls.jsonl"
}

three_sums() { # DIR
	local run field a b c
	for run in $(jq -r '.runs[].run' "$1/results.json"); do
		for field in $fields cost asks; do
			a=$(of_results "$1" "$run" $field)
			b=$(over_samples "$1" "$run" $field)
			c=$a
			if [ $field != asks ]; then c=$(over_calls "$1" "$run" $field); fi
			test "$a" = "$b" || fail "$run: $field $a, over samples $b"
			test "$a" = "$c" || fail "$run: $field $a, over calls $c"
		done
		say "$run: $(of_results "$1" "$run" asks) asks," \
			"$(of_results "$1" "$run" calls) calls," \
			"$(of_results "$1" "$run" prompt_tokens) prompt tokens, three ways"
	done
}

mock_start --threads 2 \
	--script 'status:500,e429,ok,usage_cached*7,usage_absent*5,text:who+knows*3,html502*2,ok*'
echo '{"mock": {"prompt": 2.5, "completion": 10}}' >"$work/prices.json"
dir=$work/usage
town_run "$dir" --workers 2 --method majority,map --seed 1,2 --passes 2,4 --limit 25 \
	--judge llm --model mock --base-url "$mock_url" --max-connections 4 \
	--price-file "$work/prices.json" >"$dir.log" 2>&1
three_sums "$dir"

# calls.jsonl has every request, and what was answered for nothing is wasted.
total=$(mock_stat total)
test "$(wc -l <"$dir/calls.jsonl")" = "$total" ||
	fail "$(wc -l <"$dir/calls.jsonl") lines of calls for $total requests"
wasted=$(jq -s '[.[] | select(.useful | not)] | length' "$dir/calls.jsonl")
test "$(spent "$dir" wasted_calls)" = "$wasted" || fail "run.json tells other wasted calls"
test "$(spent "$dir" calls)" = $((total - wasted)) || fail "run.json tells other calls"
test "$wasted" -ge 4 || fail "G14: $wasted attempts are listed as wasted, 4 failed"
test "$(jq -s '[.[] | select(.useful | not) | .usage.prompt_tokens] | add' \
	"$dir/calls.jsonl")" = 0 || fail "G14: tokens were counted for failed attempts"
say "G14: $total requests, $wasted of them failed and counted as wasted"

test "$(of_results "$dir" map-llm-model=mock-s1 cost)" -gt 0 || fail "no cost"

# What two runs share is paid once and said.
shared=$(jq '[.runs[].usage.shared_calls] | add' "$dir/results.json")
test "$shared" -gt 0 || fail "passes 2 and 4 share asks, and no run says so"
mock_stop

# Vectors for the search of memories are calls too, of the runs that asked, by their role.
say "requests for vectors"
mock_start --threads 2
dir=$work/vectors
"$MAPFLEET" memory build --train "$town/train.jsonl" --databases "$town/databases" --quiet \
	--limit 20 --embed-model bge-m3 --embed-url "$mock_url" --output-dir "$work/bank.d" \
	-o "$work/bank.db" >/dev/null || fail "no bank"
before=$(mock_stat total)
echo '{"mock": {"prompt": 2.5, "completion": 10}, "bge-m3": {"prompt": 1, "completion": 0}}' >"$work/prices.json"
town_run "$dir" --workers 2 --method majority,map --passes 1,2 --limit 10 --judge llm \
	--model mock --base-url "$mock_url" --memory "$work/bank.db" --embed-model bge-m3 \
	--price-file "$work/prices.json" >"$dir.log" 2>&1 || fail "$(cat "$dir.log")"
three_sums "$dir"
test "$(wc -l <"$dir/calls.jsonl")" = $(($(mock_stat total) - before)) || fail "other calls"
jq -se 'map(select(.kind == "embed")) | length > 0 and all(.role == "embed" and
	(.runs | length) == 2 and .usage.cost > 0)' "$dir/calls.jsonl" >/dev/null ||
	fail "vectors: $(jq -c 'select(.kind == "embed" or .kind == null)' "$dir/calls.jsonl" | head -2)"
jq -e '[.runs[] | select(.method == "map") | .usage.by_role.embed.calls > 0] == [true, true]' \
	"$dir/results.json" >/dev/null || fail "no by_role.embed"
mock_stop
