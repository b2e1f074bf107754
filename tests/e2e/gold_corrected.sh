# --gold-corrected: a second gold beside the first, of some questions or of all.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
cat >dev.json <<'J'
[{"question_id": 7, "db_id": "orchard", "question": "a", "SQL": "SELECT 1", "difficulty": "simple"},
 {"question_id": 8, "db_id": "orchard", "question": "b", "SQL": "SELECT 2", "difficulty": "simple"},
 {"question_id": 9, "db_id": "orchard", "question": "c", "SQL": "SELECT 3", "difficulty": "simple"}]
J
cat >pool.jsonl <<'J'
{"question_id": 7, "db_id": "orchard", "question": "a", "candidates": [{"sql": "SELECT 1"}, {"sql": "SELECT 1.0"}]}
{"question_id": 8, "db_id": "orchard", "question": "b", "candidates": [{"sql": "SELECT 1"}]}
{"question_id": 9, "db_id": "orchard", "question": "c", "candidates": [{"sql": "SELECT 3"}]}
J
echo '{"question_id": 8, "db_id": "orchard", "sql": "SELECT 1"}
{"question_id": 9, "db_id": "orchard", "sql": "SELECT 4"}' >some.jsonl
run() { mapfleet run --benchmark bird --questions dev.json --pool pool.jsonl --databases databases --gold dev.json \
	--method majority --workers 1 --quiet --output-dir d "$@"; }
scores() { jq -c '.runs[0] | [.correct, .scores.corrected, .scores.corrected_questions, .scores.corrected_before]' d/results.json | sed 's/\.0\b//g'; }

it "without it nothing is said of it"
says 0 '' run
same '[2,null,null,null]' "$(scores)"
it "the same directory takes a second gold later; EX by the first one stays"
says 0 '' run --gold-corrected some.jsonl
same '[2,0.5,2,0.5]' "$(scores)"
same '[null,true,false]' "$(jq -sc '[.[].scoring.corrected]' d/samples.jsonl)"
it "score has it, too"
printf '{"0": "SELECT 1\\t----- bird -----\\torchard", "1": "SELECT 1\\t----- bird -----\\torchard", "2": "SELECT 3\\t----- bird -----\\torchard"}' >p.json
says 0 '' mapfleet score --benchmark bird --questions dev.json --predictions p.json --gold dev.json --gold-corrected some.jsonl --databases databases --output-dir s
same '[null,1,0]' "$(jq -sc '[.[].corrected]' s/scores.jsonl)"
it "what cannot be is said"
says 1 'gold-corrected: --gold is missing' mapfleet run --benchmark bird --questions dev.json --pool pool.jsonl --databases databases --gold-corrected some.jsonl
echo '{"question_id": 99, "db_id": "orchard", "sql": "SELECT 1"}' >none.jsonl
says 1 'none.jsonl: none of 1 corrected items is of a question here' run --gold-corrected none.jsonl
printf '%s\n%s\n' "$(head -1 some.jsonl)" "$(head -1 some.jsonl)" >twice.jsonl
says 1 'an id occurs twice' run --gold-corrected twice.jsonl
printf 'SELECT 1\torchard\n' >short.sql
says 1 'has 1 items without ids, the benchmark 3 questions' run --gold-corrected short.sql
done_testing
