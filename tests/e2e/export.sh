# export: tables and prediction files (PAINS G16), and memory list and search.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
cat >dev.json <<'J'
[{"question_id": 7, "db_id": "orchard", "question": "a, \"b\"", "evidence": "", "SQL": "SELECT 1", "difficulty": "simple"},
 {"question_id": 8, "db_id": "orchard", "question": "b", "evidence": "", "SQL": "SELECT id FROM tree", "difficulty": "simple"}]
J
cat >pool.jsonl <<'J'
{"question_id": 7, "db_id": "orchard", "question": "a, \"b\"", "candidates": [{"sql": "SELECT 2"}, {"sql": "SELECT 1"}, {"sql": "SELECT\n1.0"}]}
{"question_id": 8, "db_id": "orchard", "question": "b", "candidates": [{"sql": "SELEC"}, {"sql": "SELECT id FROM tree"}, {"sql": "SELECT kind FROM tree"}]}
J
mapfleet run --benchmark bird --questions dev.json --pool pool.jsonl --databases databases --gold dev.json \
	--method greedy,majority --workers 1 --quiet --output-dir d >/dev/null 2>&1 || bad "run: $?"

it "csv has a header, a line a question and run, and quotes what it must"
says 0 '^run,question_id,position,db_id,difficulty,' mapfleet export d
mapfleet export d | grep -q '"a, ""b"""' || bad "the question is not quoted"
it "jsonl says the same"
same '["majority-s42",7,true,2]' "$(mapfleet export d --format jsonl | jq -c 'select(.run=="majority-s42" and .question_id==7) | [.run, .question_id, .correct, .groups]')"
same 4 "$(mapfleet export d --format jsonl --json | jq length)"
same 2 "$(mapfleet export d --format jsonl --run majority-s42 | wc -l)"
it "G16 candidates have their group and rank"
same 12 "$(mapfleet export d --format candidates | wc -l)"
same '[[0,1],[1,0],[2,0]]' "$(mapfleet export d --format candidates --run majority-s42 | jq -sc '[.[] | select(.question_id==7) | [.candidate, .group]] | sort')"
it "G16 a prediction file is scored as the run was"
for f in bird:p.json spider:p.sql; do
	mapfleet export d --format "${f%:*}" --run majority-s42 -o "${f#*:}" >/dev/null || bad "export $f"
done
cmp -s p.json d/predictions/majority-s42/predict_dev.json || bad "another file than the run's own"
says 0 'of 2 right' mapfleet score --benchmark bird --questions dev.json --predictions p.json --gold dev.json --databases databases --output-dir s
same "$(jq '.runs[] | select(.run=="majority-s42").correct' d/results.json)" "$(jq '.files[0].correct' s/results.json)"
same 2 "$(wc -l <p.sql)"
it "scores are tables, too"
says 0 '^question_id,source,file,ex,soft_f1' mapfleet export s
same 2 "$(mapfleet export s --format jsonl | wc -l)"
says 1 'scores of prediction files are exported as csv or jsonl' mapfleet export s --format bird
it "what cannot be is said, with the way out"
says 1 '--output: no/p.json: no: No such file or directory; make that folder' mapfleet export d --format bird --run greedy-s42 -o no/p.json
says 1 'say --run, one of greedy-s42, majority-s42' mapfleet export d --format bird
says 1 'has no run nix; it has greedy-s42' mapfleet export d --run nix
says 1 'unknown xls; csv, jsonl, candidates' mapfleet export d --format xls
says 1 'is /nowhere a directory of results' mapfleet export /nowhere
says 1 'one of the two' mapfleet export d --json
says 1 'make that folder' mapfleet export d -o /nowhere/x.csv

it "memory list and search show a bank"
cat >train.jsonl <<'J'
{"id": 1, "db_id": "orchard", "question": "How many trees are there?", "sql": "SELECT COUNT(*) FROM tree"}
{"id": 2, "db_id": "orchard", "question": "Which kinds of fruit were picked?", "sql": "SELECT DISTINCT kind FROM tree"}
J
says 0 '' mapfleet memory build --train train.jsonl --databases databases -o bank.db
says 0 'orchard .*How many trees are there' mapfleet memory list bank.db
same '[1,2]' "$(mapfleet memory list bank.db --json | jq -c '[.[].id]')"
says 0 '^[01]\.[0-9]{4}  id 1 ' mapfleet memory search bank.db 'how many trees?' --top 1
never 'id 2 '
same '[1,2]' "$(mapfleet memory search bank.db 'how many trees?' --json | jq -c '[.[].id]')"
says 1 'top: 0 is outside' mapfleet memory search bank.db x --top 0
says 1 'nix.db' mapfleet memory list nix.db
never 'warning'

it "memory check and list take no flags that they do not read"
for verb in check list stats; do
	for flag in '--top 3' '--train train.jsonl' '--databases databases' '--output o'; do
		says 1 'unknown flag|is not' mapfleet memory "$verb" bank.db $flag
	done
done
done_testing
