#!/bin/bash
# G16: what a run predicts, scored as a file, is as right as the run says; and a report
# made again from the directory has the same bytes.
set -eu
data=$SOURCE_DIR/tests/data/smalltown
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

correct() { # of the first run or file in a results.json
	grep -m1 '"correct"' "$1" | tr -dc 0-9
}

for rule in bird spider; do
	"$MAPFLEET" run --quiet --benchmark $rule --pool "$data/pool.jsonl" \
		--gold "$data/gold.jsonl" --databases "$data/databases" --method map \
		--judge evidence --sql-steps 3000000 --output-dir "$tmp/$rule" >/dev/null
	file=$(ls "$tmp/$rule"/predictions/map-s42/*)
	"$MAPFLEET" score --quiet --benchmark $rule --questions "$data/questions.json" \
		--predictions "again=$file" --gold "$data/gold.jsonl" \
		--databases "$data/databases" --sql-steps 3000000 \
		--output-dir "$tmp/$rule-score" >/dev/null
	a=$(correct "$tmp/$rule/results.json")
	b=$(correct "$tmp/$rule-score/results.json")
	if [ "$a" != "$b" ]; then
		echo "$rule: the run says $a are right, its prediction file $b" >&2
		exit 1
	fi
	cp "$tmp/$rule"/report.{md,html} "$tmp"
	"$MAPFLEET" report "$tmp/$rule" >/dev/null
	cmp "$tmp/report.md" "$tmp/$rule/report.md"
	cmp "$tmp/report.html" "$tmp/$rule/report.html"
done
