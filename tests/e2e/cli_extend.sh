# extend: what it refuses, what it takes from the directory, and what it does not.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
for i in 1 2 3; do pool_line $i 'SELECT id FROM tree' 'SELECT id FROM tree WHERE 1' 'SELECT kind FROM tree'; done >pool.jsonl
for i in 1 2 3; do printf '{"question_id": %s, "db_id": "orchard", "sql": "SELECT id FROM tree"}\n' $i; done >gold.jsonl
run() { mapfleet run --benchmark plain --databases databases --pool pool.jsonl --gold gold.jsonl --workers 2 --quiet "$@"; }

it "help names the verb and its flags"
says 0 '^  extend ' mapfleet --help
says 0 'usage: mapfleet extend DIR --passes' mapfleet extend --help

it "it raises passes and keeps everything else, and again there is nothing to do"
says 0 '' run --output-dir d --method majority,map:unit=candidate --seed 7,8 --passes 2 --limit 2 --name pears
says 0 'map-unit=candidate-s7' mapfleet extend d --passes 4
same pears "$(jq -r .name d/results.json)"
same 4 "$(jq '[.runs[] | select(.questions == 2)] | length' d/results.json)"
same 'mapfleet extend d --passes=4' "$(jq -r .command d/run.json)"
cp d/results.json four.json
says 0 'nothing to do' mapfleet extend d --passes 4
cmp -s d/results.json four.json || bad "results.json differs"
says 0 '' run --output-dir once --method majority,map:unit=candidate --seed 7,8 --passes 4 --limit 2 --name pears
cmp -s once/results.json four.json || bad "not what one run gives"
same "$(jq .inputs.command once/run.json)" "$(jq .inputs.command d/run.json)"

it "a range and a rule can be put on top; the plan is shown without doing it"
says 0 'map-k4..8-stop=two_stage-unit=candidate-s8' mapfleet extend d --passes 4..8 --stop two-stage --dry-run
cmp -s d/results.json four.json || bad "the plan changed something"
says 0 '' mapfleet extend d --passes 4..8 --stop two-stage
says 0 'k4..12-stop=two_s' mapfleet extend d --passes 4..12

it "fewer passes are no extension"
says 1 '--passes 6: d has 12 already, and extend only raises them' mapfleet extend d --passes 6
says 1 '--passes is missing' mapfleet extend d
says 1 'the larger number stands behind' mapfleet extend d --passes 8..4
says 1 'no whole number from 1 to 1000' mapfleet extend d --passes lots
says 1 'ends before it: say --passes 4..8' run --output-dir e --stop two-stage --passes 2..3

it "what is no directory of run is said to be none"
mkdir empty
says 1 'empty: there is no run.json in it' mapfleet extend empty --passes 8
says 1 'absent: there is no run.json in it' mapfleet extend absent --passes 8
says 1 'usage: mapfleet extend DIR' mapfleet extend --passes 8
cp -r d broken && echo '{"format": "x"}' >broken/run.json
says 1 'is no run.json that this version wrote' mapfleet extend broken --passes 16
echo '{' >broken/run.json
says 1 'broken/run.json:' mapfleet extend broken --passes 16
jq '.config.colour = "red"' d/run.json >broken/run.json
says 1 'what is colour' mapfleet extend broken --passes 16
jq -c '{question_id, db_id, sql: .candidates[0].sql}' pool.jsonl >answers.jsonl
says 0 '' mapfleet score --benchmark plain --databases databases --questions pool.jsonl --predictions answers.jsonl --gold gold.jsonl --output-dir scored
says 1 'scored: is no directory of .run.' mapfleet extend scored --passes 8
says 0 '' run --output-dir votes --method majority
says 1 'its methods \(majority\) have no passes' mapfleet extend votes --passes 8

it "other flags are not its own: what changes more is run"
says 1 'unknown flag --seed' mapfleet extend d --passes 16 --seed 3
says 1 'unknown flag --method' mapfleet extend d --passes 16 --method map

it "inputs that changed are refused as ever"
cp pool.jsonl kept.jsonl && sed -i 's/WHERE 1/WHERE 2/' pool.jsonl
says 1 'belongs to other inputs \(pool differ\)' mapfleet extend d --passes 16
mv kept.jsonl pool.jsonl

it "secrets are not in the directory: they are asked for again"
jq '.config.base_url = "http://***@127.0.0.1:9/v1" | .config.model = "m" | .config.judge = "llm"' d/run.json >broken/run.json
says 1 'keeps no secrets: say --base-url again' mapfleet extend broken --passes 16
says 0 'at most [0-9]+ calls' mapfleet extend broken --passes 16 --dry-run --base-url http://u:p@127.0.0.1:9/v1

it "where the first command stood is gone: paths lead from here"
jq '.cwd = "/nowhere"' d/run.json >broken/run.json
says 0 '/nowhere is gone' mapfleet extend broken --passes 16
done_testing
