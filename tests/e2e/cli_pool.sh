# pool make, pool info, memory build and check, journal check.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
cat >dev.json <<'J'
[{"question_id": 4, "db_id": "orchard", "question": "How many?", "evidence": "e", "SQL": "SELECT SECRETGOLD", "difficulty": "simple"},
 {"question_id": 9, "db_id": "orchard", "question": "Which?", "evidence": "", "SQL": "SELECT SECRETGOLD", "difficulty": "simple"}]
J
printf '{"0": "SELECT 1\\t----- bird -----\\torchard", "1": "SELECT 2\\t----- bird -----\\torchard"}' >predict_a.json
printf 'SELECT 3\nSELECT 4\n' >pred_b.sql

it "prediction files of two benchmarks' forms become one pool"
says 0 '2 questions, 4 candidates from 2 sources' mapfleet pool make predict_a.json B=pred_b.sql --questions dev.json -o pool.jsonl
same '["SELECT 1","SELECT 3"]' "$(head -1 pool.jsonl | jq -c '[.candidates[].sql]')"
same '["a","B"]' "$(head -1 pool.jsonl | jq -c '[.candidates[].source]')"
same 9 "$(tail -1 pool.jsonl | jq .question_id)"

it "gold inside a question file is dropped by its reader"
grep -q SECRETGOLD pool.jsonl && bad "gold is in the pool"

it "files of several samples a question are taken, SQL or raw answers"
cat >samples.json <<'J'
[{"question_id": 4, "pred_sqls": ["SELECT 1", "SELECT 2"], "responses": ["x", "y"]}, {"question_id": 9, "pred_sqls": ["SELECT 3"]}]
J
says 0 '2 questions, 3 candidates' mapfleet pool make samples.json --questions dev.json -o s.jsonl
cat >raw.jsonl <<'J'
{"question_id": 4, "responses": ["<think>```sql\nSELECT 2\n```</think>so ```sql\nSELECT 1\n```"]}
{"question_id": 9, "responses": ["nothing here"]}
J
says 0 '2 questions, 2 candidates' mapfleet pool make raw.jsonl --questions dev.json -o r.jsonl
same 'SELECT 1' "$(head -1 r.jsonl | jq -r '.candidates[0].sql')"

it "a pool's numbers, also as JSON"
says 0 'candidates  4, 2 to 2 a question, from 2 sources' mapfleet pool info pool.jsonl
same 4 "$(mapfleet pool info pool.jsonl --json | jq '.[0].candidates')"
says 1 '-o POOL is missing' mapfleet pool make predict_a.json

it "a pool that cannot be written leaves nothing"
says 1 '--output: nowhere/p.jsonl: nowhere: No such.*mkdir -p' mapfleet pool make predict_a.json --questions dev.json -o nowhere/p.jsonl

says 1 'is a folder; name a file in it' mapfleet pool make predict_a.json --questions dev.json -o databases

it "D07 a bank leaves out questions whose SQL does not run"
cat >train.jsonl <<'J'
{"id": 1, "db_id": "orchard", "question": "Which kinds?", "sql": "SELECT DISTINCT kind FROM tree"}
{"id": 2, "db_id": "orchard", "question": "Orders?", "sql": "SELECT * FROM \"Order Details\""}
J
says 1 '--output: no/b.db: no: .*mkdir -p' mapfleet memory build --train train.jsonl --databases databases -o no/b.db
says 0 '1 memories of 2 training questions \(1 do not run' mapfleet memory build --train train.jsonl --databases databases -o bank.db
says 0 'sound; 2 items, 1 of them usable' mapfleet memory check bank.db
says 1 'train.jsonl' mapfleet memory check train.jsonl
says 1 'needed' mapfleet memory build --train train.jsonl
echo '{"id": 3, oops' >>train.jsonl
says 1 'train.jsonl:3' mapfleet memory build --train train.jsonl --databases databases -o b2.db
[ ! -e b2.db ] || bad "half a bank was left"

it "journal check: sound, none, another file, a newer version, an orphan, a wrong hash"
mapfleet run --benchmark plain --databases databases --pool pool.jsonl --method majority --output-dir d --quiet >/dev/null 2>&1
says 0 'sound' mapfleet journal check d
says 1 'no such file' mapfleet journal check nowhere.db
says 1 'is no journal of mapfleet' mapfleet journal check databases/orchard/orchard.sqlite
j() { cp d/journal.db c.db && sqlite3 c.db "$1"; }
sqlite3 d/journal.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
j 'PRAGMA user_version=99'
says 1 'version 99' mapfleet journal check c.db
j 'DELETE FROM task WHERE id = (SELECT min(task) FROM output)'
says 5 'BAD +orphans: 1 rows of output' mapfleet journal check c.db
j "UPDATE task SET spec = spec || x'00' WHERE id = (SELECT min(id) FROM task)"
says 5 'another hash than its key' mapfleet journal check c.db
j "UPDATE blob SET data = CAST('x' || substr(data, 2) AS BLOB) WHERE codec = 0"
says 5 'its bytes have another hash|cannot be unpacked' mapfleet journal check c.db

it "pool info tells groups, majority and bounds where it may execute"
town=$SOURCE_DIR/tests/data/smalltown
info=(mapfleet pool info "$town/pool.jsonl" --benchmark bird --sql-steps 5e6)
says 0 'say --databases' "${info[@]}"
says 0 'oracle +98.53 %' "${info[@]}" --databases "$town/databases" --gold "$town/gold.jsonl"
never 'say --gold'
says 0 'groups +3.51 a question.*2$' "${info[@]}" --databases "$town/databases"
says 1 'nowhere' "${info[@]}" --databases nowhere

it "pool info writes no file, and its run heeds what it was told"
says 1 'unknown flag --output' "${info[@]}" -o out.jsonl
mkdir moved && cp -r "$town/databases/." moved && mv moved/orchard moved/books && mv moved/books/orchard.sqlite moved/books/books.sqlite
says 0 'oracle +98.53 %' "${info[@]}" --databases moved --db-alias orchard=books --gold "$town/gold.jsonl"
done_testing
