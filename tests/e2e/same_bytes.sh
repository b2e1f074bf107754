#!/usr/bin/env bash
# same_bytes.sh - one sweep, one set of bytes: for any number of workers, in any
# order of candidates
#
# The pool in another order has other indexes: they are mapped back before samples are
# compared. results.json and predictions are the same without that.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq

# Candidates of each line reversed and turned by the line's number.
shuffle() { # POOL
	jq -c '.candidates |= (. as $c | length as $n |
		[range($n) | $c[($n - 1 - . + input_line_number) % $n]])' "$1"
}

# Indexes in samples of a shuffled pool as they were: new index i was old (n-1-i+line)%n.
unshuffle() { # POOL SAMPLES
	jq -c --slurpfile pool "$1" '
		(.position + 1) as $line | ($pool[.position].candidates | length) as $n |
		def old: if type == "number" then ($n - 1 - . + $line) % $n else . end;
		.chosen |= old | .groups[].members[] |= old |
		.passes |= map(map(map(old))) |
		if .tie_break then .tie_break.a |= old | .tie_break.b |= old else . end' "$2"
}

# A sweep three ways.
three_ways() { # NAME POOL flags...
	local name=$1 pool=$2
	shift 2
	"$MAPFLEET" run --quiet --name e2e "$@" --pool "$pool" --workers 1 \
		--output-dir "$work/$name-1" >"$work/$name-1.log"
	"$MAPFLEET" run --quiet --name e2e "$@" --pool "$pool" --workers 4 \
		--output-dir "$work/$name-4" >"$work/$name-4.log"
	same_bytes "$work/$name-1" "$work/$name-4" "$name, 1 and 4 workers"
	shuffle "$pool" >"$work/$name.jsonl"
	cmp -s <(jq -c . "$pool") "$work/$name.jsonl" && fail "$name: nothing was shuffled"
	"$MAPFLEET" run --quiet --name e2e "$@" --pool "$work/$name.jsonl" --workers 2 \
		--output-dir "$work/$name-s" >"$work/$name-s.log"
	cmp "$work/$name-1/results.json" "$work/$name-s/results.json" ||
		fail "$name, candidates in another order: results.json differs"
	diff -r "$work/$name-1/predictions" "$work/$name-s/predictions" ||
		fail "$name, candidates in another order: predictions differ"
	unshuffle "$pool" "$work/$name-s/samples.jsonl" >"$work/$name-s.samples"
	jq -c . "$work/$name-1/samples.jsonl" | cmp - "$work/$name-s.samples" ||
		fail "$name, candidates in another order: samples.jsonl differs"
	if grep -n -i -e "$(hostname)" -e "$work" -e "$SOURCE_DIR" -e elapsed -e started \
		"$work/$name-1/results.json"; then
		fail "$name: results.json holds something of this machine"
	fi
	say "$name: $(wc -l <"$work/$name-1/samples.jsonl") samples, the same bytes with 1 and" \
		"4 workers and in another order"
}

smalltown=(--benchmark bird --questions "$town/questions.json" --databases "$town/databases"
	--gold "$town/gold.jsonl" --sql-steps 2000000)
three_ways smalltown "$town/pool.jsonl" "${smalltown[@]}" \
	--method greedy,majority,map --seed 42,7 --candidates 5,all
three_ways smalltown-memory "$town/pool.jsonl" "${smalltown[@]}" --method map --seed 42 \
	--train "$town/train.jsonl"
if [ ! -d "$shared/data/bird" ]; then
	say "no shared data here: only the shipped benchmark was tried"
	exit 0
fi
three_ways bird "$shared/data/bird/pool.jsonl" --benchmark bird \
	--databases "$shared/data/bird/database" --gold "$shared/data/bird/gold.jsonl" \
	--method majority,map --seed 42,7 --candidates 8,all
