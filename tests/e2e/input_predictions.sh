# Prediction and gold files of the benchmarks (PAINS D01, D03, D05, D11, D16, D18).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
score() { mapfleet score --databases databases --quiet "$@"; }
loud() { mapfleet score --databases databases "$@"; }

# BIRD
cat >dev.json <<'J'
[{"question_id": 0, "db_id": "orchard", "question": "How many trees?", "evidence": "", "SQL": "SELECT COUNT(*) FROM tree", "difficulty": "simple"},
 {"question_id": 1, "db_id": "orchard", "question": "Which kinds?", "evidence": "", "SQL": "SELECT DISTINCT kind FROM tree", "difficulty": "simple"}]
J
printf 'SELECT COUNT(*) FROM tree\torchard\nSELECT DISTINCT kind FROM tree\torchard\n' >dev.sql
printf '{"0": "SELECT 5\\t----- bird -----\\torchard", "1": "SELECT kind FROM tree\\t----- bird -----\\torchard"}' >pred.json

it "BIRD's own files are scored"
says 0 '2 of 2 right' score --questions dev.json --predictions pred.json --gold dev.sql

it "D03 a prediction without the separator is named by its key"
printf '{"0": "SELECT 1 FROM frpm", "1": "SELECT kind FROM tree\\t----- bird -----\\torchard"}' >bare.json
says 1 'bare.json: key "0": no .*bird' score --questions dev.json --predictions bare.json --gold dev.sql

it "D03 --lenient takes it whole and says so"
says 0 'bare.json: 1 malformed' loud --lenient --questions dev.json --predictions bare.json --gold dev.sql
says 0 '1 of 2 right' score --lenient --questions dev.json --predictions bare.json --gold dev.sql

it "BIRD keys out of order are refused: the official script would shift them"
printf '{"1": "SELECT kind FROM tree\\t----- bird -----\\torchard", "0": "SELECT 5\\t----- bird -----\\torchard"}' >shuffled.json
says 1 'key "1" stands where "0" is expected' score --questions dev.json --predictions shuffled.json --gold dev.sql

it "a short prediction file is refused with the first question that lacks a partner"
printf '{"0": "SELECT 5\\t----- bird -----\\torchard"}' >short.json
says 1 'short.json: 1 items for the 2 questions.*number 2' score --questions dev.json --predictions short.json --gold dev.sql

it "truncated JSON has its place"
head -c 50 pred.json >torn.json
says 1 'torn.json:1:[0-9]+: ' score --benchmark bird --questions dev.json --predictions torn.json --gold dev.sql

it "D18 predictions that are gold are remarked on"
printf '{"0": "SELECT COUNT(*) FROM tree\\t----- bird -----\\torchard", "1": "SELECT DISTINCT kind FROM tree\\t----- bird -----\\torchard"}' >gold.json
says 0 'predictions look like gold \(2 of 2' loud --questions dev.json --predictions gold.json --gold dev.sql

it "gold as its own prediction gives the ceiling, in every form that gold has"
printf '{"question_id": 0, "db_id": "orchard", "sql": "SELECT COUNT(*) FROM tree"}\n{"question_id": 1, "db_id": "orchard", "sql": "SELECT DISTINCT kind FROM tree"}\n' >gold.jsonl
printf '[{"question_id": 0, "db_id": "orchard", "question": "a", "SQL": "SELECT COUNT(*) FROM tree"}, {"question_id": 1, "db_id": "orchard", "question": "b", "SQL": "SELECT DISTINCT kind FROM tree"}]' >full.json
for form in gold.jsonl full.json dev.sql; do
	says 0 '2 of 2 right' score --questions dev.json --predictions $form --gold $form --benchmark bird
done
head -1 gold.jsonl >one.jsonl
says 0 '1 of 1 right' score --benchmark plain --predictions one.jsonl --gold one.jsonl

it "D16 a broken gold query is one question's matter"
printf 'SELECT id FROM tree WHERE id=1 )\torchard\nSELECT DISTINCT kind FROM tree\torchard\n' >broken.sql
says 0 '1 of 2 right' score --questions dev.json --predictions pred.json --gold broken.sql

it "D01 invalid UTF-8 aborts nothing"
printf 'SELECT name FROM person\torchard\nSELECT DISTINCT kind FROM tree\torchard\n' >bytes.sql
printf '{"0": "SELECT name FROM person\\t----- bird -----\\torchard", "1": "SELECT kind FROM tree\\t----- bird -----\\torchard"}' >bytes.json
says 0 'of 2 right' score --questions dev.json --predictions bytes.json --gold bytes.sql

it "gold without its tab has file and line"
printf 'SELECT 1\torchard\nSELECT 2\n' >notab.sql
says 1 'notab.sql:2:1: SQL, a tab and a db_id' score --questions dev.json --predictions pred.json --gold notab.sql

it "gold of another length is refused"
printf 'SELECT 1\torchard\n' >one.sql
says 1 'one.sql' score --questions dev.json --predictions pred.json --gold one.sql

it "D12 CRLF in gold is no part of the db_id"
sed 's/$/\r/' dev.sql >crlf.sql
says 0 '2 of 2 right' score --questions dev.json --predictions pred.json --gold crlf.sql

# Spider
cat >spider.json <<'J'
[{"db_id": "orchard", "question": "One?", "query": "SELECT 1"}, {"db_id": "orchard", "question": "Two?", "query": "SELECT 2"}, {"db_id": "orchard", "question": "Three?", "query": "SELECT 3"}]
J
printf 'SELECT 1\torchard\nSELECT 2\torchard\nSELECT 3\torchard\n' >spider.sql

it "D05 a blank line is wrong for its question only"
printf 'SELECT 1\n\nSELECT 3\n' >pred.sql
says 0 '2 of 3 right' score --questions spider.json --predictions pred.sql --gold spider.sql
mapfleet score --databases databases --quiet --questions spider.json --predictions pred.sql --gold spider.sql --output-dir s >/dev/null
same '[1,0,1]' "$(jq -sc 'map(.ex)' s/scores.jsonl)"

it "D05 another number of lines is refused with the first bad line"
printf 'SELECT 1\nSELECT 3\n' >two.sql
says 1 'two.sql: 2 items for the 3 questions.*number 3' score --questions spider.json --predictions two.sql --gold spider.sql
printf 'SELECT 1\nSELECT 2\nSELECT 3\nSELECT 4\n' >four.sql
says 1 'four.sql: 4 items for the 3 questions.*line 4' score --questions spider.json --predictions four.sql --gold spider.sql

# EHRSQL
cat >data.json <<'J'
{"version": "t", "data": [{"id": "a", "question": "How many trees?"}, {"id": "b", "question": "Water them."}]}
J
echo '{"a": "SELECT COUNT(*) FROM tree", "b": "null"}' >label.json
echo '{"a": "SELECT 5.0", "b": "null"}' >prediction.json

it "EHRSQL's own files are scored"
says 0 '2 of 2 right' score --questions data.json --predictions prediction.json --gold label.json

it "D11 missing and extra ids are listed"
echo '{"a": "SELECT 5"}' >less.json
says 1 'different questions.*1 are missing.*"b"' score --questions data.json --predictions less.json --gold label.json
echo '{"a": "SELECT 5", "b": "null", "c": "SELECT 1"}' >more.json
says 1 '1 are in the first only \("c"\)' score --questions data.json --predictions more.json --gold label.json
echo '{"a": "SELECT 5", "b": null}' >notext.json
says 1 'id b: the prediction is no string' score --benchmark ehrsql --questions data.json --predictions notext.json --gold label.json

it "score needs gold and predictions"
says 1 '--gold is missing' score --questions data.json --predictions prediction.json
says 1 '--predictions is missing' score --questions data.json --gold label.json

it "two files of one name are told apart"
mkdir other && cp prediction.json other/
says 1 'two files are called.*NAME=FILE' score --questions data.json --predictions prediction.json,other/prediction.json --gold label.json
says 0 'B: 2 of 2' score --questions data.json --predictions A=prediction.json,B=other/prediction.json --gold label.json
done_testing
