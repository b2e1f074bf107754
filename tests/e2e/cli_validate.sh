# validate: each line is broken once (PAINS A15, A17, D07).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
pool_line 1 'SELECT kind FROM tree' >pool.jsonl
pool_line 2 'SELECT 1' >>pool.jsonl
validate() { mapfleet validate --benchmark plain --databases databases --pool pool.jsonl "$@"; }
gold() { local i=0 sql; for sql; do i=$((i + 1)); printf '{"question_id": %s, "db_id": "orchard", "sql": "%s"}\n' "$i" "$sql"; done; }

it "sound inputs are called so"
says 0 'ok +questions +2 on 1 databases' validate
says 0 'note +gold +none' validate

it "settings: a wrong key, a wrong method"
printf 'metod: map\n' >s.yaml
says 1 's.yaml:1: unknown key metod' validate s.yaml
says 1 'FAIL +settings +.*unknown method' validate --method majorty

it "settings: all that run takes, but what starts anew or only plans"
says 0 'ok +settings' validate --exclude-near-duplicates --near-duplicate 0.8
for flag in $(mapfleet run --help | sed -n 's/^ *--\([a-z-]*\) .*/\1/p'); do
	mapfleet validate --help | grep -q -- "^  --$flag " || echo "$flag"
done >out
same "dry-run overwrite" "$(sort out | xargs)"

it "inputs: a missing file, a missing database"
says 1 'FAIL +inputs +nowhere.jsonl' mapfleet validate --benchmark plain --databases databases --pool nowhere.jsonl
says 1 'FAIL +inputs +.*1 of 1 databases are missing' mapfleet validate --benchmark plain --databases . --pool pool.jsonl

it "pool: a question without candidates"
{ cat pool.jsonl; pool_line 3; } >bare.jsonl
says 0 'note +pool .*1 questions without' mapfleet validate --benchmark plain --databases databases --pool bare.jsonl
says 0 'note +candidates +majority-n9-s42 draws 9' validate --candidates 9

it "D07 --gold has the ceiling and the list"
gold 'SELECT * FROM \"Order Details\"' 'SELECT 1' >g.jsonl
says 0 'ceiling at most 0\.5000: 1 of 2 compile' validate --gold g.jsonl
grep -q 'question 1: no such table: Order Details' out || bad "the question is not named"

it "A15 a LIMIT that cuts a tie is listed"
gold 'SELECT kind FROM tree GROUP BY kind ORDER BY COUNT(*) DESC LIMIT 1' 'SELECT kind FROM tree ORDER BY id LIMIT 1' >g.jsonl
says 0 '1 LIMITs cut a tie' validate --gold g.jsonl
grep -q 'ties +question 1' out || grep -qE 'note +ties +question 1' out || bad "the question is not named"

it "A17 gold that counts everything is not mended: it is its own ceiling"
gold "SELECT COUNT(CASE WHEN kind='fig' THEN 1 ELSE 0 END) FROM tree" 'SELECT 1' >g.jsonl
says 0 'ceiling at most 1\.0000' validate --gold g.jsonl

it "memory and templates: a bank that is none, a template with a wrong hole"
says 1 'FAIL +inputs +.*pool.jsonl|FAIL .*pool.jsonl' validate --memory pool.jsonl
printf '{{nothing}} {{question}} {{candidates}}' >t.txt
says 1 't.txt' validate --model m --base-url http://127.0.0.1:9/v1 --rank-template t.txt

it "output: a file where a folder is wanted"
says 1 'FAIL +output +pool.jsonl: is no folder' validate --output-dir pool.jsonl
done_testing
