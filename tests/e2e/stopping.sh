#!/usr/bin/env bash
# stopping.sh - the whole fleet stops as the exact table says
#
# Questions with two groups, one right and one wrong, and a judge whose passes are
# independent (shared=0, bias=0): how often each rule accepts the right and the wrong
# group, and after how many passes, must be what tests/programs/stop_table.c computes,
# within the error of so many questions. One journal serves all rules: a pass that one
# has asked is there for the next.
#
# Environment: QUESTIONS (400), SIGMAS of error that are allowed (4.5), TABLE a file to
# write figures into.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 awk

questions=${QUESTIONS:-400}
sigmas=${SIGMAS:-4.5}
exact=$work/exact.tsv
seen=$work/seen.tsv

mkdir -p "$work/db/coin"
sqlite3 "$work/db/coin/coin.sqlite" 'CREATE TABLE coin(side)'
awk -v n="$questions" 'BEGIN { for (i = 1; i <= n; i++) printf("{\"question_id\": %d, " \
	"\"db_id\": \"coin\", \"question\": \"Heads?\", \"candidates\": " \
	"[{\"sql\": \"SELECT 1\"}, {\"sql\": \"SELECT 2\"}]}\n", i) }' >"$work/pool.jsonl"
awk -v n="$questions" 'BEGIN { for (i = 1; i <= n; i++) printf("{\"question_id\": %d, " \
	"\"db_id\": \"coin\", \"sql\": \"SELECT 1\"}\n", i) }' >"$work/gold.jsonl"

judges=
for p in 0.5 0.7 0.8 0.9 0.97; do
	judges=$judges,simulated:accuracy=$p:shared=0:bias=0
done

toss() { # RULE MIN MAX CONFIDENCE
	local passes=$2..$3
	if [ "$2" = "$3" ]; then passes=$2; fi
	"$MAPFLEET" run --benchmark plain --databases "$work/db" --pool "$work/pool.jsonl" \
		--gold "$work/gold.jsonl" --method map --judge "${judges#,}" --workers 2 --quiet \
		--journal "$work/journal.db" --output-dir "$work/$1-$passes" \
		--stop "$1" --passes "$passes" --confidence "$4" >"$work/log" ||
		fail "$1 $passes: $(cat "$work/log")"
	count "$work/$1-$passes" "$@" >>"$seen"
}

# RULE MIN MAX CONFIDENCE P RIGHT WRONG MEAN: a line a run.
count() { # DIR RULE MIN MAX CONFIDENCE
	jq -r --slurpfile r "$1/results.json" -s '
		($r[0].runs | map({key: .run, value: .}) | from_entries) as $run |
		group_by(.run)[] | . as $all | $run[.[0].run] as $x |
		[$x.parameters.accuracy,
		 (map(select(.why == "ranked" and .correct)) | length) / ($all | length),
		 (map(select(.why == "ranked" and (.correct | not))) | length) / ($all | length),
		 $x.passes] | @tsv' "$1/samples.jsonl" |
		sed "s/^/$2\t$3\t$4\t$5\t/"
}

"$BUILD_DIR/tests/stop_table" --tsv >"$exact"
while read -r rule min max confidence _; do
	toss "$rule" "$min" "$max" "$confidence"
done < <(cut -f 1-4 "$exact" | uniq)
if [ -n "${TABLE:-}" ]; then cp "$seen" "$TABLE"; fi

# Every rate and mean within its error; a rate may also be off by what one question is.
awk -F '\t' -v n="$questions" -v most="$sigmas" '
	function near(what, got, want, sd,	z) {
		z = (got - want) / (sd + 1e-9) * sqrt(n)
		if (z < 0) z = -z
		if (z > worst && n * (got - want) ^ 2 > 1 / n) worst = z
		checked++
		if (z <= most || n * (got - want) ^ 2 <= 1 / n) return
		printf("%s %s..%s at p=%s: %s is %.4f, %.4f is exact: %.1f sigmas\n",
			$1, $2, $3, $5, what, got, want, z)
		bad = 1
	}
	{ key = $1 FS $2 FS $3 FS $4 FS ($5 + 0) }
	NR == FNR { right[key] = $6; wrong[key] = $7; mean[key] = $8; sd[key] = $9; next }
	!(key in right) { print "no exact line for " $0; bad = 1; next }
	{
		near("right", $6, right[key], sqrt(right[key] * (1 - right[key])))
		near("wrong", $7, wrong[key], sqrt(wrong[key] * (1 - wrong[key])))
		near("passes", $8, mean[key], sd[key])
	}
	END {
		if (checked != 3 * 35) { print checked " figures, not 105"; bad = 1 }
		printf("%d figures of %d questions each, the worst %.1f sigmas off\n",
			checked, n, worst)
		exit bad
	}' "$exact" "$seen" || fail "the fleet does not stop as the table says"
