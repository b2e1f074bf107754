# Flags, variables, sweep files and .env; help, version, exit codes (PEERS 5).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
pool_line 1 'SELECT id FROM tree' 'SELECT 1' >pool.jsonl
base="--dry-run --benchmark plain --databases databases --pool pool.jsonl"
plan() { mapfleet run $base "$@"; }

it "help is there on every level"
says 0 'usage: mapfleet VERB' mapfleet --help
says 0 'usage: mapfleet run' mapfleet run --help
says 0 'memory build' mapfleet memory --help
says 0 'usage: mapfleet pool make' mapfleet pool make --help
says 1 'usage: mapfleet VERB' mapfleet

it "the version names SQLite's build"
says 0 'SQLite 3\.[0-9.]+ 20[0-9-]+ [0-9:]+ [0-9a-f]{40,}' mapfleet --version

it "an unknown flag names the nearest and exits 1"
says 1 'unknown flag --seeds; did you mean --seed' plan --seeds 3
says 1 'unknown flag --max_conections; did you mean --max-connections' plan --max_conections=3
says 1 'unknown flag --pass; did you mean --passes' plan --pass 4
says 1 'unknown flag --connect' plan --connect x

it "an unknown verb names the nearest"
says 1 'unknown verb scor; did you mean score' mapfleet scor
says 1 'verb broker is not in this version' mapfleet broker

it "impossible numbers are refused with their range"
says 1 '--window: 1 is outside 2 .. 26' plan --window 1
says 1 '--window: "eight" is no number' plan --window eight
says 1 '--sql-steps: "1.5" is no whole number' plan --sql-steps 1.5
says 1 '--sql-timeout: -3 is outside' plan --sql-timeout=-3
says 1 '--confidence: 2 is outside' plan --confidence 2
says 1 '--confidence: "nan" is no number' plan --confidence nan
says 1 '--seed: "-1" is no whole number' plan --seed=-1
says 1 '--seed: "18446744073709551616" is no whole' plan --seed 18446744073709551616
says 1 '--passes: "0" is no whole number from 1' plan --passes 0
says 1 'the larger number stands behind' plan --passes 8..2
says 1 '--candidates: "0" is no whole' plan --candidates 0
says 1 '--workers: 0 is outside 1' plan --workers 0
says 1 '"21" is neither none nor a number up to 20' plan --preview 21
says 1 'is no time like' plan --clock yesterday
says 1 'is no time like' plan --clock 2025-13-01T00:00:00Z
says 1 'step 9 is larger than --window 8' plan --step 9
says 1 'limit 0: N or A-B' plan --limit 0
says 1 'limit 3-2: N or A-B' plan --limit 3-2
says 1 'the filters leave none' plan --limit 5-9
says 1 'sample-id 9: no such question' plan --sample-id 9
says 1 'filter db_id=fig: no such question' plan --filter db_id=fig
says 0 'queries   2 distinct' plan --sql-steps 1e9

it "a value is said in either form; one that is missing is named"
says 0 'map-k8-s7' plan --passes=8 --seed 7
says 1 '--seed needs a value' plan --seed
says 1 'an empty value' plan --seed=

it "a URL or header that could never be sent is refused before anything starts"
llm() { plan --judge llm --model m "$@"; }
says 1 'base-url: a URL begins' llm --base-url 'http://[::1'
says 1 'base-url: a URL begins' llm --base-url http:///v1
says 1 'base-url: a URL begins' llm --base-url 'http://a b/v1'
says 1 'base-url: a URL begins' llm --base-url ftp://a/v1
says 1 'header: X holds a control character' llm --base-url http://a/v1 --header $'X: a\r\nEvil: 1'
says 1 'header: "NAME: VALUE" is wanted' llm --base-url http://a/v1 --header 'no colon'
OPENAI_API_KEY=$'sk-te\nst' says 1 'key in OPENAI_API_KEY holds a control character' llm --base-url http://a/v1
never 'sk-te'
OPENAI_API_KEY=$'sk-test\n' says 0 'calls' llm --base-url http://a/v1
says 0 'calls' llm --base-url 'http://[::1]:8000/v1,https://user:pass@b/v1?key=x' --header 'X: a,b'

it "methods and judges: unknown ones, and their keys"
says 1 'unknown method majorty; did you mean majority; known: greedy, majority' plan --method majorty
says 1 'unknown value evidenc; did you mean evidence' plan --judge evidenc
says 1 'simulated answers from labels: it needs --gold' plan --judge simulated
says 1 '--judge llm needs --model' plan --judge llm
says 1 'needs --base-url' plan --model m
says 1 'begins with http' plan --model m --base-url localhost:8000
says 1 'majority: it has no key window; --help lists them' plan --method majority:window=4
says 1 'map: it has no key windw; did you mean window' plan --method map:windw=4
printf '{"question_id": 1, "db_id": "orchard", "sql": "SELECT 1", "difficulty": "simple"}\n' >g.jsonl
says 1 'no number from 0.5' plan --gold g.jsonl --judge simulated:accuracy=0.2
says 0 'map-k2..8-stop=beta-s42 ' plan --stop beta --passes 2..8 --method map --judge evidence
says 1 'unknown value two_stage; did you mean two-stage' plan --stop two_stage
says 1 'two-stage first looks at pass 4, and --passes 3 ends before it: say --passes 4..8' plan --method map:stop=two-stage --passes 3
says 1 '--passes-ahead: -1 is outside 0' plan --passes-ahead=-1
says 1 'reward needs --reward-model' plan --tie-break reward

it "a method may name its own draw instead of the axis"
says 0 '^  majority-n2-s42 ' plan --method majority:candidates=2,greedy --candidates all,4
says 0 '^  greedy-n4-s42 ' plan --method majority:candidates=2,greedy --candidates all,4
says 1 'no whole number from 1' plan --method majority:candidates=0

it "RUN names what differs from the defaults, an axis that is not read is not in it"
says 0 '^  majority-s42 .*at most 0 asks' plan --judge evidence --passes 4,8
same 1 "$(grep -c 'majority-' out)"
says 0 'map-k2\.\.8-n2-window=4-s1 ' plan --passes 2..8 --candidates 2 --method map:window=4 --seed 1
says 0 'map-llm-model=a_b_c-s42' plan --method map --model 'a/b c' --base-url http://127.0.0.1:9/v1
says 0 'map-permute=both-unit=candidate-window=6-s42' plan --method map --unit candidate --permute both --window 6

it "a judge's keys are in the name where they differ, cleaned"
says 0 'map-simulated-accuracy=0\.7-s42' plan --gold g.jsonl --method map --judge simulated:accuracy=0.7
says 0 'map-simulated-bias=_1-s42' plan --gold g.jsonl --method map --judge simulated:bias=-1

it "a name over 120 bytes ends in a piece of its parameters' hash"
says 0 'map-llm-model=m{60,}~[0-9a-f]{8}-s42' plan --method map --base-url http://127.0.0.1:9/v1 --model "$(printf 'm%.0s' $(seq 150))"

it "order: flag, variable, sweep file, .env, default"
echo 'MAPFLEET_SEED=1' >.env
says 0 'map-s1 ' plan
printf 'seed: 2\nmethod: [majority, map]\n' >s.yaml
says 0 'map-s2 ' plan s.yaml
MAPFLEET_SEED=3 says 0 'map-s3 ' plan s.yaml
export MAPFLEET_SEED=3
says 0 'map-s3 ' plan s.yaml
says 0 'map-s4 ' plan s.yaml --seed 4
unset MAPFLEET_SEED
rm .env
says 0 'map-s42 ' plan

it "a sweep file may hold the whole command, lists too"
printf 'benchmark: plain\npool: pool.jsonl\ndatabases: databases\nseed: [1, 2]\nmethod:\n  - majority\n  - map:window=4\ndry_run: true\n' >whole.yaml
says 0 'plan      whole' mapfleet run whole.yaml
same 4 "$(grep -c 'at most .* asks' out)"

it "unknown keys of a sweep file have their line and the nearest"
printf 'seed: 2\nmetod: map\n' >bad.yaml
says 1 'bad.yaml:2: unknown key metod; did you mean method' plan bad.yaml
printf 'seed: two\n' >bad.yaml
says 1 'bad.yaml:1: seed: "two" is no' plan bad.yaml
printf 'seed: 1\nseed: 2\n' >bad.yaml
says 1 'bad.yaml:2: this key stands here a second time' plan bad.yaml
printf 'window: {a: 1}\n' >bad.yaml
says 1 'bad.yaml:1: a value or a list' plan bad.yaml
printf 'seed: [1\n' >bad.yaml
says 1 'bad.yaml:2:' plan bad.yaml
: >bad.yaml
says 1 'bad.yaml: is empty' plan bad.yaml
says 1 'gone.yaml: No such file' plan gone.yaml

it "unknown keys of .env have their line"
printf '# mine\nMAPFLEET_SEDE=1\n' >.env
says 1 '\.env:2: unknown key SEDE; did you mean seed' plan
printf 'MAPFLEET_SEED\n' >.env
says 1 '\.env:1: NAME=VALUE expected' plan
rm .env
says 1 'other.env: No such file' plan --env-file other.env
echo 'MAPFLEET_SEED="9"' >other.env
says 0 'map-s9 ' plan --env-file other.env

it "E27 a key or credential is in no output"
printf '{"question_id": 1, "db_id": "orchard", "sql": "SELECT 1"}\n' >g.jsonl
export OPENAI_API_KEY=sk-test-123
says 0 '' plan --model m --base-url 'http://user:secretpass@127.0.0.1:9/v1?key=sk-test-123' --header 'X-Secret: sk-test-123' --json
never 'sk-test-123|secretpass'
says 5 'http://\*\*\*@127.0.0.1:9/v1\?\*\*\*' mapfleet doctor --base-url 'http://user:secretpass@127.0.0.1:9/v1?key=sk-test-123'
never 'sk-test-123|secretpass'
unset OPENAI_API_KEY

it "--json makes stdout one document, --quiet silences warnings"
plan --json 2>/dev/null >plan.json
same plain "$(jq -r .benchmark plan.json)"
{ cat pool.jsonl; cat pool.jsonl; } >twice.jsonl
says 0 'warning' mapfleet run --dry-run --benchmark plain --databases databases --pool twice.jsonl
says 0 '' mapfleet run --dry-run --benchmark plain --databases databases --pool twice.jsonl --quiet
never warning
says 0 '"text=warning' mapfleet run --dry-run --benchmark plain --databases databases --pool twice.jsonl --log-format json || true
says 1 'neither text nor json' plan --log-format xml

it "a plan has a price"
echo '{"m": {"prompt": 1.5, "completion": 6}}' >prices.json
says 0 'cost at most [0-9.]+' plan --model m --base-url http://127.0.0.1:9/v1 --price-file prices.json
echo '{"m": 3}' >prices.json
says 1 'prices.json: m: ' plan --model m --base-url http://127.0.0.1:9/v1 --price-file prices.json
done_testing
