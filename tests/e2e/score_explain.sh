# score --explain QUESTION_ID: both results, the rule, the first row that differs (PAINS
# G15), and levels that only the questions' file has.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
cat >dev.json <<'J'
[{"question_id": 7, "db_id": "orchard", "question": "a", "evidence": "", "SQL": "x", "difficulty": "simple"},
 {"question_id": 8, "db_id": "orchard", "question": "b", "evidence": "", "SQL": "x", "difficulty": "challenging"},
 {"question_id": 9, "db_id": "orchard", "question": "c", "evidence": "", "SQL": "x", "difficulty": "challenging"}]
J
printf 'SELECT DISTINCT kind FROM tree\torchard\nSELECT id, height FROM tree ORDER BY id\torchard\nSELECT 1\torchard\n' >dev.sql
bird='\t----- bird -----\torchard'
printf '{"0": "SELECT kind FROM tree%s", "1": "SELECT id, height + (id = 2) FROM tree%s", "2": "SELEC 1%s"}' \
	"${bird//\\/\\\\}" "${bird//\\/\\\\}" "${bird//\\/\\\\}" | sed 's/\\\\/\\/g' >pred.json
score() { mapfleet score --benchmark bird --questions dev.json --databases databases --gold dev.sql --predictions pred.json --workers 1 "$@"; }

it "G15 what is right under one rule and wrong under another says so"
says 0 'pred: right under rule bird, wrong under rule plain' score --explain 7
says 0 'gold: SELECT DISTINCT kind FROM tree' score --explain 7
it "G15 the first row that differs is shown from both sides"
says 0 'first row that differs, as retrieved: 2' score --explain 8
says 0 'gold: 2 . 4' score --explain 8
says 0 'file: 2 . 5' score --explain 8
it "G15 a query that failed shows SQLite's own words"
says 0 'status error.*near "SELEC": syntax error' score --explain 9
it "G15 a question that is not there is an error, found before anything runs"
says 1 'no question 99' score --explain 99
never 'right'
it "G15 --json keeps stdout one document"
score --explain 8 --json --quiet 2>err >doc.json
same 1 "$(jq -s length doc.json)"
grep -q 'first row that differs' err || bad "no explanation on stderr"

it "levels of a .sql gold are those of the questions' file"
says 0 'simple +moderate +challenging' score --output-dir d
same '{"simple":{"n":1,"ex":1},"challenging":{"n":2,"ex":0}}' "$(jq -c '[.. | .by_difficulty? // empty] | .[0] | {simple, challenging}' d/results.json | sed 's/1\.0/1/g; s/0\.0/0/g')"
done_testing
