# roles.sh - the selector never sees gold: a walk of the journal by roles
#
# Who planned a task stands in table `asked` (proto/roles.def: 1 SELECT, 2 RESULTS).
# From the specs of all tasks with role SELECT the walk follows every hash to the blobs
# and tasks that it names, and on from those. Candidates often equal gold to the letter,
# so here gold is marked: another text with the same rows. The walk must meet the mark
# nowhere, and the same sweep without any gold must have asked for the same tasks.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 zstd curl python3

SELECT=1 RESULTS=2
match=$(sed -n 's/^KIND(match, \([0-9]*\),.*/\1/p' "$SOURCE_DIR/proto/kinds.def")
test "$match" -gt 0 || fail "proto/kinds.def has no match"

# Gold with marks, and questions whose own gold and level are marks too.
jq -c '.sql |= "SELECT * FROM (" + sub("[; \n]*$"; "") + ") AS gold_mark"
	| .difficulty = "level_mark"' "$town/gold.jsonl" >"$work/gold.jsonl"
jq 'map(. + {SQL: "SELECT '"'question_mark'"'", difficulty: "level_mark"})' \
	"$town/questions.json" >"$work/questions.json"

mock_start --threads 2
sweep() { # DIR flags...
	local dir=$1
	shift
	"$MAPFLEET" run --benchmark bird --name roles --output-dir "$dir" --limit 24 \
		--questions "$work/questions.json" --databases "$town/databases" \
		--pool "$town/pool.jsonl" --train "$town/train.jsonl" --sql-steps 2000000 \
		--workers 2 --method majority,map --judge evidence,llm --passes 2 \
		--model mock --base-url "$mock_url" --quiet "$@" >"$work/log" 2>&1 ||
		fail "exit $?: $(cat "$work/log")"
}

# The walk: from the tasks with that role over every hash (in msgpack the bytes c4 20 and
# 32 more) to what it names, a blob or a task's output, and on. Prints "HEX 1" for each
# name that has bytes with a mark in them, "HEX 0" for every other.
cat >"$work/reach.py" <<'PY'
import re, sqlite3, subprocess, sys

db = sqlite3.connect("file:%s/journal.db?mode=ro" % sys.argv[1], uri=True)
role = int(sys.argv[2])

def plain(codec, data):
    if codec == 0:
        return data
    return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout

named = {h: plain(c, d) for h, c, d in db.execute("SELECT hash, codec, data FROM blob")}
named.update((k, plain(c, d)) for k, c, d in db.execute(
    "SELECT key, codec, body FROM output JOIN task ON task = id"))
seen, new = set(), []

def follow(data):
    for m in re.finditer(rb"(?s)(?=\xc4\x20(.{32}))", data):
        if m.group(1) not in seen:
            seen.add(m.group(1))
            new.append(m.group(1))

for key, spec in db.execute(
        "SELECT key, spec FROM task JOIN asked ON task = id WHERE role = ?", (role,)):
    follow(spec)
    follow(b"\xc4\x20" + key)
while new:
    follow(named.get(new.pop(), b""))
for name in sorted(seen):
    print(name.hex(), int(bool(re.search(rb"(gold|level|question)_mark", named.get(name, b"")))))
PY

reach() { # DIR ROLE
	python3 "$work/reach.py" "$1" "$2"
}

walk() { # WHAT flags...
	local what=$1 dir=$work/$1 n
	shift
	sweep "$dir" --gold "$work/gold.jsonl" "$@"

	reach "$dir" $SELECT >"$dir/selects"
	test "$(wc -l <"$dir/selects")" -gt 100 || fail "$what: the walk found next to nothing"
	n=$(grep -c ' 1$' "$dir/selects" || true)
	test "$n" = 0 || fail "$what: $n names in the selector's reach hold gold"

	# The walk can find it: it does from where gold may be.
	n=$(reach "$dir" $RESULTS | grep -c ' 1$' || true)
	test "$n" -gt 10 || fail "$what: the mark is found nowhere: the walk is blind"

	n=$(journal "$dir" "SELECT count(*) FROM task JOIN asked ON task = id
		WHERE kind = $match AND role <> $RESULTS")
	test "$n" = 0 || fail "$what: $n tasks of kind match were asked by others than results"
	n=$(journal "$dir" "SELECT count(*) FROM asked WHERE role NOT IN ($SELECT, $RESULTS)")
	test "$n" = 0 || fail "$what: $n tasks were asked by nobody known"
	n=$(journal "$dir" 'SELECT count(*) FROM task WHERE id NOT IN (SELECT task FROM asked)')
	test "$n" = 0 || fail "$what: $n tasks were asked by nobody"
	n=$(journal "$dir" "SELECT count(*) FROM choice WHERE instr(body, CAST('gold_mark' AS BLOB))
		OR instr(body, CAST('level_mark' AS BLOB)) OR instr(body, CAST('question_mark' AS BLOB))")
	test "$n" = 0 || fail "$what: choices hold gold"

	# Without any gold the selector asks for the same tasks and chooses the same.
	sweep "$dir.bare" "$@"
	for d in "$dir" "$dir.bare"; do
		journal "$d" "SELECT hex(key) FROM task JOIN asked ON task = id
			WHERE role = $SELECT ORDER BY 1" >"$d/asked"
		jq -c '[.run, .question_id, .chosen, .why, .confidence]' "$d/samples.jsonl" >"$d/chosen"
	done
	cmp "$dir/asked" "$dir.bare/asked" || fail "$what: gold changed what was asked"
	cmp "$dir/chosen" "$dir.bare/chosen" || fail "$what: gold changed a choice"
	test "$(journal "$dir.bare" "SELECT count(*) FROM asked WHERE role = $RESULTS")" = 0 ||
		fail "$what: verdicts without gold"
	say "$what: $(wc -l <"$dir/selects") names in reach, $(wc -l <"$dir/asked") tasks, no gold"
}

walk bird
walk spider --rule spider
