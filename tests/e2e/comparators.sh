#!/usr/bin/env bash
# comparators.sh - the other methods of the field in one sweep: the same bytes for any
# number of workers, and each as in a sweep of its own
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq

methods=mbr,mbr:columns=position,pointwise,pointwise:aggregate=mean,pointwise:aggregate=lse
methods+=,pairwise,pairwise:orders=one,pairwise:unit=representative,r3,r3:p=2,agentar
methods+=,tourrank,tourrank:tournaments=3:size=4,bestof,bestof:size=3
judges=evidence,simulated:accuracy=0.8

sweep() { # DIR flags...
	local dir=$1
	shift
	town_run "$dir" --quiet --seed 42,7 --candidates 6,all "$@" >"$dir.log"
}

sweep "$work/one" --method "majority,$methods" --judge "$judges" --workers 1
sweep "$work/four" --method "majority,$methods" --judge "$judges" --workers 4
same_bytes "$work/one" "$work/four" "the comparators, 1 and 4 workers"
say "$(jq '.runs | length' "$work/one/results.json") runs: the same bytes"

# No one asks where there is one group; every other choice says why, and shows a ranking.
bad=$(jq -c 'select(.run | test("^majority") | not) | select(.why != "degraded")
	| ([.groups[] | select(.mean_rank != null)] | length) as $ranked
	| if .why == "one group"
	  then select(.usage.asks != 0 or .confidence != 1 or $ranked != 0)
	  else select(.why == "ranked" and ($ranked < 2 or (.passes | length) == 0))
	  end' "$work/one/samples.jsonl" | head -3)
[ -z "$bad" ] || fail "not as promised: $bad"

# Alone a method asks what it asks in company, and chooses the same.
for m in pairwise r3 tourrank mbr; do
	sweep "$work/$m" --method "$m" --judge "$judges" --workers 2
	diff <(jq -S ".runs[] | select(.method == \"$m\") | [.run, .usage, .ex]" "$work/$m/results.json") \
		<(jq -S ".runs[] | select(.run | in($(jq -c '[.runs[] | {(.run): 1}] | add' "$work/$m/results.json")))
			| [.run, .usage, .ex]" "$work/one/results.json") ||
		fail "$m: another usage alone than in company"
done
say "alone as in company"

# A key that a method does not have, and a value that a key does not have.
for wrong in pairwise:order=one pairwise:orders=three tourrank:size=1 mbr:columns=2; do
	rc=0
	sweep "$work/wrong" --method "$wrong" 2>"$work/wrong.err" || rc=$?
	[ "$rc" = 1 ] || fail "$wrong: exit $rc instead of 1"
	grep -q -e "${wrong%%:*}" "$work/wrong.err" || fail "$wrong: $(cat "$work/wrong.err")"
done
"$MAPFLEET" run --help >"$work/help"
for m in mbr pointwise pairwise r3 agentar tourrank bestof orders=both; do
	grep -q "^ *$m " "$work/help" || grep -q "^ *$m|" "$work/help" ||
		fail "--help does not list $m"
done
say "wrong keys are refused"
