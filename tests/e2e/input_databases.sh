# Databases that are not there or not sound (PAINS C16, D14).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
plan() { mapfleet run --dry-run --benchmark plain --pool pool.jsonl "$@"; }
pool_line 1 'SELECT id FROM tree' >pool.jsonl

it "C16 a wrong folder is named, and nothing is created"
says 1 'nowhere: No such file' plan --databases nowhere
[ ! -e nowhere ] || bad "nowhere was created"

it "C16 all missing databases are listed before anything starts"
for db in plum pear fig; do
	sed "s/\"orchard\"/\"$db\"/; s/: 1,/: \"$db\",/" pool.jsonl
done >three.jsonl
says 1 '3 of 3 databases are missing.*plum.*pear.*fig' mapfleet run --benchmark plain --pool three.jsonl --databases databases --output-dir out.d
[ ! -e out.d ] || bad "an output directory was made"
[ ! -e databases/plum ] || bad "a database was made"

it "D14 the nearest name is offered, with the flag that mends it"
sed 's/"orchard"/"orchards"/' pool.jsonl >spelt.jsonl
says 1 'orchards \(did you mean orchard\? --db-alias orchards=orchard\)' mapfleet run --dry-run --benchmark plain --pool spelt.jsonl --databases databases
says 0 'questions 1' mapfleet run --dry-run --benchmark plain --pool spelt.jsonl --databases databases --db-alias orchards=orchard
says 1 'not of the form A=B' mapfleet run --dry-run --benchmark plain --pool spelt.jsonl --databases databases --db-alias orchards

it "a flat folder of databases is taken"
mkdir flat && cp databases/orchard/orchard.sqlite flat/
says 0 'questions 1' plan --databases flat

it "an empty file is no database"
mkdir -p e/orchard && : >e/orchard/orchard.sqlite
says 1 'orchard.sqlite: is an empty file' plan --databases e

it "what is not SQLite is refused by name"
mkdir -p x/orchard
printf '12345678DUCK0000000000000' >x/orchard/orchard.sqlite
says 1 'is a DuckDB database; only SQLite' plan --databases x
printf 'PGDMP-----------' >x/orchard/orchard.sqlite
says 1 'is a PostgreSQL dump' plan --databases x
printf 'version https://git-lfs.github.com/spec/v1' >x/orchard/orchard.sqlite
says 1 'is a Git LFS pointer; run git lfs pull' plan --databases x
echo 'plain text of some kind' >x/orchard/orchard.sqlite
says 1 'is no SQLite database' plan --databases x
rm x/orchard/orchard.sqlite && : >x/orchard/orchard.duckdb
says 1 'there is orchard.duckdb; only an SQLite file' plan --databases x

it "a database cut short is found"
mkdir -p c/orchard && head -c 4096 databases/orchard/orchard.sqlite >c/orchard/orchard.sqlite
says 1 'is cut short' plan --databases c
head -c 60 databases/orchard/orchard.sqlite >c/orchard/orchard.sqlite
says 1 'is cut short' plan --databases c

it "a corrupt database is found"
mkdir -p k/orchard && cp databases/orchard/orchard.sqlite k/orchard/
printf '\377\377\377\377\377\377\377\377\377\377' | dd of=k/orchard/orchard.sqlite bs=1 seek=100 conv=notrunc 2>/dev/null
says 1 'orchard.sqlite: .*(malformed|not a database)' plan --databases k

it "a db_id does not walk out of the folder"
sed 's/"orchard"/"..\/databases\/orchard"/' pool.jsonl >walk.jsonl
says 1 'are missing' mapfleet run --dry-run --benchmark plain --pool walk.jsonl --databases databases

it "nothing was written beside the databases"
same orchard.sqlite "$(ls databases/orchard)"
done_testing
