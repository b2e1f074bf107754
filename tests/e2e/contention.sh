# C18: more slow queries than cores never cost a candidate its result: steps decide, the
# clock stands behind them; workers are as many as cores; whom the clock stops is counted
# and can be asked again.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
needs jq
needs taskset
orchard
# 16 candidates of some CPU time each, two answers
slow() { echo "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT ${1}0000) SELECT MAX(n) > 0, $2 FROM r"; }
list=()
for i in 1 2 3 4 5 6 7 8; do list+=("$(slow 4 1)" "$(slow 4 2)"); list[${#list[@]}-1]+=" -- $i"; list[${#list[@]}-2]+=" -- $i"; done
pool_line 1 "${list[@]}" >pool.jsonl
run() { mapfleet run --benchmark plain --databases databases --pool pool.jsonl --method majority --quiet "$@"; }

it "C18 eight workers on one core give what one worker gives"
says 0 '' run --output-dir one --workers 1
says 0 '' taskset -c 0 "$MAPFLEET" run --benchmark plain --databases databases --pool pool.jsonl --method majority --quiet --output-dir many --workers 8
cmp one/samples.jsonl many/samples.jsonl >/dev/null || bad "samples differ"
same 0 "$(jq .spent.timeouts many/run.json)"
same '["rows","rows"]' "$(jq -c '[.groups[].status]' one/samples.jsonl)"

it "C18 without --workers there are as many as this process has cores"
says 0 '' taskset -c 0 "$MAPFLEET" run --benchmark plain --databases databases --pool pool.jsonl --method majority --quiet --output-dir alone
same 1 "$(jq .config.workers alone/run.json)"

it "C18 whom the clock stops is counted, said, and asked again by --retry-errors"
pool_line 1 "$(slow 400 1)" "$(slow 400 2)" >late.jsonl
late() { mapfleet run --benchmark plain --databases databases --pool late.jsonl --method majority --output-dir late --workers 2 "$@"; }
says 2 'failed or were degraded' late --sql-timeout 0.05
[ "$(jq .spent.timeouts late/run.json)" -gt 0 ] || bad "no timeout was counted"
says 0 '' late --retry-errors
same '["rows","rows"]' "$(jq -c '[.groups[].status]' late/samples.jsonl)"
done_testing
