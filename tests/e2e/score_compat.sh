# score --compat: the official scripts' own command lines give their tables.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
printf 'SELECT DISTINCT kind FROM tree\torchard\nSELECT id, height FROM tree ORDER BY id\torchard\nSELECT 1\torchard\n' >gold.sql
t=$'\t'
jq -n --arg a "SELECT kind FROM tree$t----- bird -----${t}orchard" --arg b "SELECT id FROM tree$t----- bird -----${t}orchard" \
	--arg c "SELEC 1$t----- bird -----${t}orchard" '{"0": $a, "1": $b, "2": $c}' >bird.json
cat >diff.jsonl <<'J'
{"question_id": 0, "db_id": "orchard", "difficulty": "simple"}
{"question_id": 1, "db_id": "orchard", "difficulty": "simple"}
{"question_id": 2, "db_id": "orchard", "difficulty": "moderate"}
J
bird() {
	mapfleet score --compat bird --predicted_sql_path bird.json --ground_truth_path gold.sql --db_root_path databases \
		--diff_json_path diff.jsonl --num_cpus 1 --meta_time_out 30.0 --sql_dialect "$@"
}

it "BIRD's flags give BIRD's two tables and nothing else on stdout"
bird SQLite --output_log_path log --quiet >out 2>err || bad "exit $?"
same 6 "$(wc -l <out)"
grep -q '^EX   *50.00   *0.00   *-   *33.33 *$' out || bad "no EX line"
grep -q '^Soft-F1   *83.33   *0.00   *-   *55.56 *$' out || bad "no Soft-F1 line"
cmp -s out log || bad "the log is another table"
it "another dialect cannot be scored and says so"
says 1 '--sql_dialect MySQL: only SQLite can be scored here' bird MySQL
it "a flag with = is the same, and a missing value is told"
says 0 'EX ' mapfleet score --compat=bird --predicted_sql_path=bird.json --ground_truth_path=gold.sql --db_root_path=databases
says 1 'ground_truth_path needs a value' mapfleet score --compat bird --predicted_sql_path bird.json --ground_truth_path
says 1 'no such|cannot read|No such' mapfleet score --compat bird --predicted_sql_path none.json --ground_truth_path gold.sql --db_root_path databases
says 1 'compat: unknown brid; bird, spider, ehrsql' mapfleet score --compat brid --pred x

it "Spider's flags, the database from gold's own lines"
printf 'SELECT kind FROM tree\nSELECT height, id FROM tree ORDER BY id\nSELEC 1\n' >pred.sql
spider() { mapfleet score --compat spider --gold gold.sql --pred pred.sql --db databases --etype "$@"; }
says 0 '^execution .*0.667 *$' spider exec
says 0 '^execution .*0.333 *$' spider exec --keep_distinct
says 0 '^execution .*0.667 *$' spider exec --progress_bar_for_each_datapoint
says 1 'etype match: only exec can be scored' spider match
says 1 'plug_value: .*predict values' spider exec --plug_value

it "EHRSQL 2024's two folders"
mkdir -p in/ref in/res to one
cp databases/orchard/orchard.sqlite one/
echo '{"a": "SELECT 1", "b": "null", "c": "SELECT 2"}' >in/ref/label.json
echo '{"a": "SELECT 1.0", "b": "null", "c": "SELECT 3"}' >in/res/prediction.json
says 0 "^\{'accuracy0': 66.666[0-9]*, " mapfleet score --compat ehrsql in to --databases one
same '{"accuracy0":66.66666666666666,"accuracy5":-100}' "$(jq -c '{accuracy0, accuracy5}' to/scores.json | sed 's/\.0}/}/')"
it "EHRSQL's first edition, where 1 is not 1.0"
echo '[{"id": "a", "query": "SELECT 1"}, {"id": "b", "query": "null"}, {"id": "c", "query": "SELECT current_time"}]' >data.json
echo '{"a": "SELECT 1.0", "b": "null", "c": "SELECT '"'2100-12-31 23:59:00'"'"}' >v1.json
first() { mapfleet score --compat ehrsql --data_file data.json --pred_file v1.json --db_path one/orchard.sqlite --num_workers -1 "$@"; }
says 0 '"precision_ans": 100.0,' first
says 0 '"precision_exec": 0.0,' first
says 0 '"precision_exec": 50.0,' first --current_time '2100-12-31 23:59:00' --out_file v1.out
same 50 "$(jq .recall_exec v1.out | sed 's/\.0$//')"
says 1 'current_time: "soon" is no time like' first --current_time soon
says 1 'ndigits 3: only 2' first --ndigits 3

it "what is missing has the script's own name"
says 1 '--ground_truth_path is missing' mapfleet score --compat bird --predicted_sql_path bird.json
says 1 '--pred is missing' mapfleet score --compat spider --gold gold.sql --db databases
says 1 '--db_root_path is missing' mapfleet score --compat bird --predicted_sql_path bird.json --ground_truth_path gold.sql
says 1 '--gold is missing' mapfleet score --predictions bird.json --databases databases

it "R-VES is timed after all else, for rule bird"
says 0 '^R-VES +[0-9]+\.[0-9]{2} +' bird SQLite --ves --iterate_num 5 --output-dir v --overwrite
same '["mapfleet-timing-1",5,1,0]' "$(jq -c '[.format, .repeats, .files[0].timed, .files[0].questions[0].question_id]' v/timing.json)"
same true "$(jq '.files[0].questions[0] | .ratio > 0 and .reward >= 0.25' v/timing.json)"
says 1 'ves is BIRD.s score, the rule is spider' spider exec --ves
says 1 'ves-repeats: 0 is outside' bird SQLite --ves --iterate_num 0
done_testing
