#!/usr/bin/env bash
# resume.sh - a directory knows what it has: more passes, seeds or methods cost only
# what is new, and what is finished costs nothing
#
# G04: a finished sweep repeated asks nobody anything, says so, and exits 0.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl

base=(--workers 2 --judge evidence)

# Runs in DIR and checks that it cost as many tasks as a directory of its own would have
# had besides those that were there: all(new) = all(old) + cost.
costs() { # DIR WHAT flags...
	local dir=$1 what=$2 fresh=$work/fresh before after cost
	shift 2
	before=$(journal "$dir" 'SELECT count(*) FROM output')
	town_run "$dir" "${base[@]}" "$@" >"$dir.log" 2>&1
	cost=$(spent "$dir" tasks)
	after=$(journal "$dir" 'SELECT count(*) FROM output')
	test $((after - before)) = "$cost" ||
		fail "$what: $cost tasks ran, $((after - before)) are new on disk"
	town_run "$fresh" "${base[@]}" "$@" >"$fresh.log" 2>&1
	same_bytes "$fresh" "$dir" "$what: a directory with a past, and a fresh one"
	needed "$fresh" "$dir" "$what"
	say "$what: $cost tasks of $(spent "$fresh" tasks) that a fresh run needs"
	rm -rf "$fresh"
}

# Every task of a fresh run stands in the old directory once, under its key.
needed() { # FRESH DIR WHAT
	local missing
	journal "$1" 'SELECT hex(key) FROM task JOIN output ON output.task = id
		ORDER BY 1' >"$work/fresh.keys"
	journal "$2" 'SELECT hex(key) FROM task JOIN output ON output.task = id
		ORDER BY 1' >"$work/dir.keys"
	missing=$(comm -23 "$work/fresh.keys" "$work/dir.keys" | wc -l)
	test "$missing" = 0 || fail "$3: $missing tasks of a fresh run are not there"
}

zero() { # DIR WHAT
	test "$(spent "$1" tasks)" = 0 || fail "$2: $(spent "$1" tasks) tasks ran"
	grep -q 'nothing to do' "$1.log" || fail "$2: it does not say so"
}

# ---- with evidence ----

dir=$work/one
town_run "$dir" "${base[@]}" --method majority --seed 1 >"$dir.log" 2>&1
say "majority: $(spent "$dir" tasks) tasks"
costs "$dir" "method map added" --method majority,map --seed 1 --passes 4
costs "$dir" "4 passes, then 8" --method majority,map --seed 1 --passes 8
costs "$dir" "seed 2 added" --method majority,map --seed 1,2 --passes 8
cp -r "$dir/predictions" "$work/predictions"
cp "$dir/results.json" "$work/results.json"
town_run "$dir" "${base[@]}" --method majority,map --seed 1,2 --passes 8 >"$dir.log" 2>&1
zero "$dir" "a finished sweep repeated"
cmp "$dir/results.json" "$work/results.json"
town_run "$dir" "${base[@]}" --method majority --seed 2 >"$dir.log" 2>&1
zero "$dir" "a part of a finished sweep"
say "a finished sweep repeated, and a part of it: 0 tasks, exit 0"

# 8 passes cost what 4 had not: four score tasks for each question with a window.
scores=$(journal "$dir" 'SELECT count(*) FROM task WHERE kind = 9')
test "$scores" -gt 0 || fail "no score task was counted"

# ---- with a model that is gone afterwards ----

dir=$work/llm
mock_start --threads 2
model=(--workers 2 --judge llm --model mock --base-url "$mock_url" --method majority,map)
town_run "$dir" "${model[@]}" --passes 2 >"$dir.log" 2>&1
two=$(mock_stat total)
town_run "$dir" "${model[@]}" --passes 4 >"$dir.log" 2>&1
four=$(mock_stat total)
test "$(mock_stat distinct)" = "$four" || fail "a prompt was asked twice"
test "$(spent "$dir" calls)" = $((four - two)) || fail "calls spent are not what was asked"
mock_stop
cp "$dir/results.json" "$work/results.json"
town_run "$dir" "${model[@]}" --passes 4 >"$dir.log" 2>&1
zero "$dir" "a finished sweep, the model gone"
test "$(spent "$dir" calls)" = 0 || fail "calls were made"
cmp "$dir/results.json" "$work/results.json"
say "llm: $two calls for 2 passes, $((four - two)) more for 4, none when repeated"
