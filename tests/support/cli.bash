# cli.bash - for scripts that run the program and look at what it says
#
#     . "$SOURCE_DIR/tests/support/cli.bash"
#     it "D03 names the key without a separator"
#     says 1 'key "0"' mapfleet score ...     exit code, pattern of stdout or stderr, command
#     done_testing
#
# Every script has a folder of its own ($work), gone afterwards, and is in it.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset $(env | sed -n 's/^\(MAPFLEET_[A-Z_]*\)=.*/\1/p' | grep -v -e '^MAPFLEET_SHARED$') OPENAI_API_KEY OPENAI_BASE_URL
failures=0 checks=0 name=

mapfleet() { "$MAPFLEET" "$@"; }

it() { name=$1; }

bad() {
	failures=$((failures + 1))
	printf 'not ok: %s: %s\n' "$name" "$1"
	[ -f out ] && head -c 2000 out
}

# says CODE PATTERN COMMAND...: PATTERN is an extended regular expression, '' for any
says() {
	local code=$1 pattern=$2 got
	shift 2
	checks=$((checks + 1))
	timeout 120 true
	"$@" >out 2>&1
	got=$?
	[ "$got" -eq "$code" ] || { bad "exit $got, not $code: $*"; return; }
	[ -z "$pattern" ] || grep -qE -- "$pattern" out || bad "nothing like /$pattern/: $*"
}

# never PATTERN: the last output must not have it
never() {
	checks=$((checks + 1))
	! grep -qE -- "$1" out || bad "said /$1/"
}

same() { # same WANT GOT
	checks=$((checks + 1))
	[ "$1" = "$2" ] || bad "want $1, got $2"
}

done_testing() {
	echo "$checks checks, $failures failures"
	[ "$failures" -eq 0 ]
	exit
}

needs() { # needs TOOL: skips where it is absent
	command -v "$1" >/dev/null || { echo "SKIP: $1 is absent"; exit 77; }
}

# The orchard: databases/orchard/orchard.sqlite, small and with all kinds of trouble.
orchard() {
	needs sqlite3
	mkdir -p databases/orchard
	sqlite3 databases/orchard/orchard.sqlite <<'SQL'
CREATE TABLE tree(id INTEGER PRIMARY KEY, kind TEXT, height REAL, planted TEXT, row_no INT);
INSERT INTO tree VALUES (1,'plum',3.5,'2019-04-02',1),(2,'pear',4.0,'2018-11-20',1),(3,'plum',3.5,'2020-01-15',2),
 (4,'fig',NULL,NULL,2),(5,'pear',4.0,'2021-7-9',3);
CREATE TABLE pick(tree_id INT, kg REAL, day TEXT, score TEXT);
INSERT INTO pick VALUES (1,2.5,'2023-08-01','9'),(1,2.5,'2023-08-02','10'),(2,1.1,'2023-08-01','100'),
 (2,2.2,'2023-08-03','11'),(3,0.1,'2023-08-01','7'),(3,0.2,'2023-08-02','8');
CREATE TABLE "odd names"("unit price" REAL, "value" INT, "order" TEXT);
INSERT INTO "odd names" VALUES (9.5,7,'first'),(1.25,8,'second');
CREATE TABLE person(id INT, name TEXT);
INSERT INTO person VALUES (1, CAST(x'4a6f73e9' AS TEXT)),(2,'Ana'),(3,'Renée');
SQL
}

# pool_line ID SQL...: a line of a pool on the orchard
pool_line() {
	local id=$1 sep= sql
	shift
	printf '{"question_id": %s, "db_id": "orchard", "question": "Which trees?", "evidence": "", "candidates": [' "$id"
	for sql; do
		printf '%s{"sql": "%s"}' "$sep" "$sql"
		sep=', '
	done
	printf ']}\n'
}
