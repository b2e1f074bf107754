# Weights of the evidence judge as a file: read whole or refused, and part of what is asked.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
empty="SELECT id FROM tree WHERE id < 0"
for i in 1 2 3; do pool_line $i "$empty" "$empty AND 1" 'SELECT kind FROM tree'; done >pool.jsonl
for i in 1 2 3; do printf '{"question_id": %s, "db_id": "orchard", "sql": "SELECT kind FROM tree"}\n' $i; done >gold.jsonl
run() { mapfleet run --benchmark plain --databases databases --pool pool.jsonl --gold gold.jsonl --method map --workers 1 --output-dir d "$@"; }
cp "$SOURCE_DIR/proto/weights/default.txt" same.txt
awk '/^[a-z]/ && NR > 1 && $1 != "lsize" && $1 != "bonus" { print $1, 0; next } { print }' same.txt >vote.txt

it "the file that is built in, given as one, chooses alike"
says 0 'map-s42 +100\.00' run
says 0 'map-weights=[0-9a-f]{8}-s42 +100\.00' run --evidence-weights same.txt
same "$(jq -r '.spent.tasks' d/run.json)" 0

it "other weights are other tasks and another run of the directory"
says 0 'map-weights=[0-9a-f]{8}-s42 +0\.00' run --evidence-weights vote.txt
[ "$(jq -r '.spent.tasks' d/run.json)" -gt 0 ] || bad "nothing was asked"
says 0 'map-s42 +100\.00' run

it "remarks are not part of the weights"
{ cat same.txt; echo '# a remark'; } >remark.txt
says 0 'nothing to do|map-weights' run --evidence-weights remark.txt
same "$(jq -r '.spent.tasks' d/run.json)" 0

it "a judge that does not read weights has none in its name"
says 0 'map-simulated-s42' run --judge simulated --evidence-weights same.txt

it "what is wrong names the file and the line"
sed 's/^fcov/fkov/' same.txt >bad.txt
says 1 'bad\.txt: line [0-9]+: no feature is called "fkov"' run --evidence-weights bad.txt
sed 's/^fcov.*/fcov many/' same.txt >bad.txt
says 1 'bad\.txt: line [0-9]+: "many" is no number' run --evidence-weights bad.txt
sed '/^fcov/d' same.txt >bad.txt
says 1 'bad\.txt: there is no row fcov.*mapfleet fit' run --evidence-weights bad.txt
says 1 'pool\.jsonl: line 1: a file of weights begins with' run --evidence-weights pool.jsonl
says 1 'none\.txt' run --evidence-weights none.txt
says 1 'bad\.txt: there is no row fcov' mapfleet validate --benchmark plain --databases databases --pool pool.jsonl --evidence-weights bad.txt
done_testing
