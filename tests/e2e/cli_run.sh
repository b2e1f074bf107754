# A run and its directory: results, repeats, ownership, locks, exit codes (PAINS G04, G09).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
for i in 1 2 3; do pool_line $i 'SELECT id FROM tree' 'SELECT id FROM tree WHERE 1' 'SELECT kind FROM tree'; done >pool.jsonl
for i in 1 2 3; do printf '{"question_id": %s, "db_id": "orchard", "sql": "SELECT id FROM tree"}\n' $i; done >gold.jsonl
run() { mapfleet run --benchmark plain --databases databases --pool pool.jsonl --gold gold.jsonl --workers 2 "$@"; }

it "a run ends with its table and writes what it promises"
says 0 'majority-s42 +100\.00' run --output-dir d
for f in results.json samples.jsonl report.md report.html run.json journal.db; do
	[ -s "d/$f" ] || bad "d/$f is absent"
done
same 6 "$(wc -l <d/samples.jsonl)"

it "G04 the same command again has nothing to do and exits as before"
cp d/results.json first.json
says 0 'nothing to do' run --output-dir d
cmp -s d/results.json first.json || bad "results.json differs"

it "more passes or another seed cost only what is new, in the same directory"
says 0 'majority-s43' run --output-dir d --seed 42,43

it "--json makes stdout one document"
run --output-dir d --json --quiet >doc.json 2>/dev/null
same mapfleet-results-1 "$(jq -r .format doc.json)"

it "a directory belongs to its inputs"
sed 's/Which trees/What trees/' pool.jsonl >other.jsonl
says 1 'd: belongs to other inputs \(pool differ\)' run --output-dir d --pool other.jsonl
sed 's/WHERE 1/WHERE 2/' pool.jsonl >third.jsonl
says 1 'belongs to other inputs' mapfleet run --benchmark plain --databases databases --pool third.jsonl --output-dir d
cmp -s d/results.json doc.json >/dev/null # untouched: nothing was written
it "--overwrite moves the old directory aside"
says 0 'd held other inputs and is now d\.old-' mapfleet run --benchmark plain --databases databases --pool third.jsonl --output-dir d --overwrite
ls -d d.old-* >/dev/null 2>&1 || bad "nothing was moved"
[ -s d.old-*/results.json ] || bad "the old results are gone"

it "a folder that is no run's is left alone"
mkdir mine && echo keep >mine/file
says 1 'mine: is not empty and no run' run --output-dir mine
same file "$(ls mine)"

it "an output that cannot be written is this machine's fault"
echo x >plainfile
says 5 'plainfile' run --output-dir plainfile/d
if [ "$(id -u)" -ne 0 ]; then
	mkdir closed && chmod 500 closed
	says 5 'cannot be' run --output-dir closed/d
fi

it "G09 a second process is refused with the pid and host of the first"
pool_line 1 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT COUNT(*) FROM r' >endless.jsonl
"$MAPFLEET" run --benchmark plain --databases databases --pool endless.jsonl --sql-steps 1e12 --output-dir l --quiet >/dev/null 2>&1 &
first=$!
for _ in $(seq 100); do [ -s l/lock ] && break; sleep 0.1; done
says 1 "process $first on host $(hostname) is at work here" mapfleet run --benchmark plain --databases databases --pool endless.jsonl --output-dir l

it "an interrupted run says so, keeps what it has, exits 130"
kill -INT "$first"
wait "$first"
same 130 $?

it "G09 a stale lock is no obstacle"
says 0 '' mapfleet run --benchmark plain --databases databases --pool endless.jsonl --sql-steps 1e5 --output-dir l --overwrite

it "a killed command leaves a directory that goes on"
"$MAPFLEET" run --benchmark plain --databases databases --pool endless.jsonl --sql-steps 1e12 --output-dir k --quiet >/dev/null 2>&1 &
first=$!
for _ in $(seq 100); do [ -s k/journal.db ] && break; sleep 0.1; done
kill -9 "$first"
wait "$first" 2>/dev/null
says 0 '' mapfleet run --benchmark plain --databases databases --pool endless.jsonl --sql-steps 1e5 --output-dir k --method majority

it "one journal serves several directories and shares its facts"
says 0 '' run --output-dir j1 --journal shared.db
says 0 'nothing to do|majority-s42' run --output-dir j2 --journal shared.db
says 0 'sound' mapfleet journal check shared.db

it "--fail-on-error decides between 0 and 2"
pool_line 1 >bad.jsonl # no candidate: a degraded choice
says 2 'exit 2' mapfleet run --benchmark plain --databases databases --pool bad.jsonl --output-dir f --method majority
says 2 '' mapfleet run --benchmark plain --databases databases --pool bad.jsonl --output-dir f --method majority
says 0 '' mapfleet run --benchmark plain --databases databases --pool bad.jsonl --output-dir f --method majority --fail-on-error 1

it "a damaged journal is told from a full disk, and nothing is written"
says 0 '' run --output-dir whole
for damage in 'head -c 20000 whole/journal.db' 'echo hello, this is a text of some length' 'head -c 40000 /dev/urandom'; do
	rm -rf z && cp -r whole z && rm -f z/results.json
	$damage >torn.db && cp torn.db z/journal.db
	says 5 'journal z/journal.db: the file is damaged .*journal check' run --output-dir z
	[ ! -e z/results.json ] || bad "results were written"
	cmp -s torn.db z/journal.db || bad "the journal was changed"
done
says 1 "another program's database" run --output-dir y --journal databases/orchard/orchard.sqlite
rm -rf z && cp -r whole z && sqlite3 z/journal.db 'PRAGMA user_version=99'
says 1 'newer mapfleet' run --output-dir z

it "limits choose questions; the directory stays the same"
says 0 '' run --output-dir p --limit 1
same 2 "$(wc -l <p/samples.jsonl)"
says 0 '' run --output-dir p --limit 2-3
same 4 "$(wc -l <p/samples.jsonl)"
says 0 '' run --output-dir p --sample-id 3 --method majority
same 1 "$(wc -l <p/samples.jsonl)"

it "the default directory is named after benchmark and inputs, a sweep file's after it"
says 0 'results/runs/plain-[0-9a-f]{8}/report.html' run
printf 'method: majority\n' >tiny.yaml
says 0 'results/runs/tiny/report.html' run tiny.yaml
says 0 'results/runs/mine/report.html' run --name mine

it "show and report read what stands there"
says 0 'chosen' mapfleet show d 1
says 1 'no .*99|99' mapfleet show d 99
says 0 'report.html' mapfleet report d
says 1 '' mapfleet report nowhere
it "a directory without results is named, and no line of a file that is not there"
says 1 '^mapfleet: gone/results\.json: unable to open' mapfleet report gone

done_testing
