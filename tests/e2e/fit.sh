# Learning weights: from finished runs, from a pool; what is written can be used, and what
# cannot be learnt from is named.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
needs jq
town=$SOURCE_DIR/tests/data/smalltown
inputs=(--benchmark bird --questions "$town/questions.json" --databases "$town/databases"
	--gold "$town/gold.jsonl" --pool "$town/pool.jsonl" --sql-steps 2000000)
run() { mapfleet run "${inputs[@]}" --workers 2 --quiet "$@"; }

it "a run tells what evidence saw, group by group, and how sure it is"
says 0 'map-s42' run --method majority,map --judge evidence --passes 4 --output-dir d
one='select(.run == "map-s42" and (.groups[0].features != null))'
same true "$(jq -s "[.[] | $one] | length > 5" d/samples.jsonl)"
same true "$(jq -s "[.[] | $one | .groups[] | select(.status == \"rows\") |
	((.points | add // 0) - .score) | fabs | (. < 1e-4 or (. - 0.25 | fabs) < 1e-4)] | all" d/samples.jsonl)"
same true "$(jq -s "[.[] | $one | .probability] | all(. >= 0 and . <= 1)" d/samples.jsonl)"
same true "$(jq -s '[.[] | select(.run == "majority-s42") | .probability] | all(. == null)' d/samples.jsonl)"
same probability "$(jq -r '.runs[] | select(.run == "map-s42") | .calibration.of' d/results.json)"
same 10 "$(jq '.runs[] | select(.run == "map-s42") | .calibration.risk_coverage | length' d/results.json)"
grep -q 'How sure, and how right' d/report.md || bad "report.md tells no risk"
grep -q '<svg' d/report.html || bad "report.html has no plot"
id=$(jq -rs "[.[] | $one][0].question_id" d/samples.jsonl)
says 0 'score -?[0-9.]+ \(lsize' mapfleet show d "$id" --run map-s42

it "weights learnt from a directory: the file tells whence, and can be used"
says 0 'left out in turn' mapfleet fit d -o w.txt
grep -q '^# mapfleet fit d --output=w.txt' w.txt || bad "the command is not in the file"
grep -qE '^# from .*inputs [0-9a-f]{64}, 1 draws' w.txt || bad "the inputs are not in the file"
grep -qE '^chance.logit +-?[0-9.]+ +-?[0-9.]+$' w.txt || bad "there is no P(right)"
says 0 'map-weights=[0-9a-f]{8}-s42' run --method map --judge evidence --evidence-weights w.txt --output-dir d

it "methods that ask no one have no judge, and nothing to learn from"
says 0 'mbr-s42' run --method mbr,greedy,map --judge evidence --limit 20 --output-dir n
same '[["mbr",null],["greedy",null],["map","evidence"]]' "$(jq -c '[.runs[] | [.method, .judge]]' n/results.json)"
says 0 'in sample|left out in turn' mapfleet fit n -o n.txt

it "the same directory gives the same bytes"
sed '/^#/d' w.txt >first.txt
run --method majority,map --judge evidence --output-dir d >/dev/null 2>&1
mapfleet fit d -o again.txt >/dev/null
cmp -s first.txt <(sed '/^#/d' again.txt) || bad "the numbers differ"

it "from a pool: the run is made, and kept if a folder is named"
says 0 'left out in turn' mapfleet fit "${inputs[@]}" --candidates all,4 --seed 1 --output-dir kept -o p.txt --quiet
[ -s kept/results.json ] || bad "the run was not kept"
grep -q '2 draws' p.txt || bad "there are not two draws"
says 0 '"held_out": false|"held_out": 0' mapfleet fit kept -o n.txt --leave-out none --json
jq -e '.questions > 0 and .after >= .majority' out >/dev/null || bad "in sample it is below majority"

it "a ridge without end leaves the weights as they were"
mapfleet fit kept -o r.txt --ridge 1e6 >/dev/null
same "$(awk '/^fcov/ { print $3 + 0 }' "$SOURCE_DIR/proto/weights/default.txt")" "$(awk '/^fcov/ { print $3 + 0 }' r.txt)"

it "signs are kept, and several directories are one list of examples"
says 0 'parts left out' mapfleet fit d kept -o s.txt --leave-out dir --prior none
says 0 '' mapfleet fit d -o s.txt --keep-signs --ridge 0.01
same 0 "$(awk '/^(empty|zero|null|valmiss)/ && $3 > 0' s.txt | wc -l)"

it "coefficients of others are taken over"
{ cat "$SOURCE_DIR/proto/weights/default.txt"; echo 'lean.votes 0.5'; } >lean.txt
mapfleet fit d -o s.txt --evidence-weights lean.txt >/dev/null
grep -qE '^lean.votes +0.5000 +0.5000' s.txt || bad "lean.votes is gone"

it "what places cost a judge is reported, learnt without labels, and taken off in lean"
biased=(--method map --permute both --judge simulated:accuracy=0.8:bias=0.8 --seed 1,2,3)
run "${biased[@]}" --passes 8 --output-dir b >/dev/null 2>&1
same true "$(jq '[.runs[] | .places | (.[0].cost == 0) and (.[1].cost > 0.4)] | all' b/results.json)"
grep -q 'What a place costs' b/report.md || bad "report.md tells no costs"
says 0 'what places cost "simulated accuracy=0.8 bias=0.8 shared=0.5", from 3 runs: \+' mapfleet fit b -o places.txt
same true "$(awk '/^lean.place2/ { print ($2 > 0.4 && $2 < 1.6) ? "true" : $2 }' places.txt)"
says 0 'lean' run --method lean --judge simulated:accuracy=0.8:bias=0.8 --evidence-weights places.txt --output-dir b
says 0 'what places cost' mapfleet fit d b -o both.txt
same 1 "$(grep -c '^lean.place2 ' both.txt)"

it "costs of several judges are not mixed"
run --method lean --judge simulated:accuracy=0.8:bias=0.8,simulated:accuracy=0.7 --output-dir two >/dev/null 2>&1
says 1 'are several; name directories' mapfleet fit two -o x.txt
says 0 'no row lean.placeN' mapfleet fit d two -o mixed.txt
same 0 "$(grep -c '^lean.place' mixed.txt)"

it "what cannot be learnt from is named"
says 1 '-o WEIGHTS is missing' mapfleet fit d
says 1 '--pool is missing: fit learns from directories' mapfleet fit -o x.txt
says 1 '--gold is missing' mapfleet fit --pool "$town/pool.jsonl" --databases "$town/databases" -o x.txt
says 1 'directories or --pool, not both' mapfleet fit d --pool "$town/pool.jsonl" -o x.txt
says 1 'nothing/results\.json' mapfleet fit nothing -o x.txt
says 1 '"all" is none of none, db, dir' mapfleet fit d -o x.txt --leave-out all
run --method majority --output-dir m >/dev/null 2>&1
says 1 'm: no run there was judged by evidence and scored' mapfleet fit m -o x.txt
mkdir old && cp d/results.json old/ && jq -c 'del(.groups[].features)' d/samples.jsonl >old/samples.jsonl
says 1 'old: [0-9]+ questions tell no features' mapfleet fit old -o x.txt
says 1 'output: no/such/x\.txt: .*make that folder' mapfleet fit d -o no/such/x.txt
[ ! -e x.txt ] || bad "x.txt was written all the same"
done_testing
