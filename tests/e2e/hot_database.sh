# A database that a writer left with a hot -wal or -journal beside it: what is committed
# counts, what is not does not, and nothing is written beside it (PAINS C14).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
export XDG_CACHE_HOME=$work/cache

# hot MODE: a copy of a database in the middle of a transaction, with its journal
hot() {
	local live=$work/live.sqlite fifo=$work/fifo dir=$work/$1/orchard pid
	rm -f "$live"* && cp databases/orchard/orchard.sqlite "$live"
	mkdir -p "$dir" && rm -f "$fifo" && mkfifo "$fifo"
	sqlite3 "$live" <"$fifo" >"$work/said" 2>&1 &
	pid=$!
	exec 8>"$fifo"
	printf '%s\n' "PRAGMA journal_mode=$1;" 'PRAGMA wal_autocheckpoint=0;' 'PRAGMA cache_size=1;' \
		"INSERT INTO tree VALUES(6,'quince',1,'2024-01-01',9);" \
		'BEGIN; CREATE TABLE junk AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT 3000) SELECT n, hex(zeroblob(40)) x FROM r;' \
		"DELETE FROM tree WHERE id < 4; SELECT 'ready';" >&8
	for _ in $(seq 100); do grep -q ready "$work/said" && break; sleep 0.05; done
	cp "$live" "$dir/orchard.sqlite"
	for end in wal journal; do
		[ ! -e "$live-$end" ] || cp "$live-$end" "$dir/orchard.sqlite-$end"
	done
	exec 8>&-
	wait "$pid"
	(cd "$dir" && sha256sum ./*) >"$work/$1.sums"
}

pool_line 1 'SELECT COUNT(*) FROM tree' 'SELECT 6' 'SELECT 5' >pool.jsonl
echo '{"question_id": 1, "db_id": "orchard", "sql": "SELECT COUNT(*) FROM tree"}' >gold.jsonl
for i in 1; do echo "{\"question_id\": $i, \"db_id\": \"orchard\", \"sql\": \"SELECT 6\"}"; done >pred.jsonl
all() { mapfleet "$@" --benchmark plain --gold gold.jsonl --workers 1; }

for mode in wal delete; do
	hot $mode
	it "a hot journal ($mode) is recovered: six trees, whoever asks"
	same 2 "$(ls $mode/orchard | wc -l)"
	says 0 'private copy is read' all run --pool pool.jsonl --databases $mode --output-dir $mode.d --method majority
	same '["rows","rows"] 2' "$(jq -r '"\([.groups[].status] | tojson) \(.groups[0].size)"' $mode.d/samples.jsonl | tr -d ' ' | sed 's/\]/] /')"
	same true "$(jq -r .correct $mode.d/samples.jsonl)"
	says 0 '1 of 1 right' all score --predictions pred.jsonl --databases $mode
	it "a hot journal ($mode): the same command has nothing to do"
	says 0 'nothing to do' all run --pool pool.jsonl --databases $mode --output-dir $mode.d --method majority
	it "a hot journal ($mode): nothing changed beside the original"
	(cd $mode/orchard && sha256sum ./*) >now.sums
	cmp -s $mode.sums now.sums || bad "$(diff $mode.sums now.sums)"
	it "a hot journal ($mode): once it is recovered in place, the inputs are others or the same, never mixed"
	says 0 '' sqlite3 $mode/orchard/orchard.sqlite 'SELECT COUNT(*) FROM tree'
	same 6 "$(cat out)"
done

it "a bank is derived with the tables that stand in the -wal only"
mkdir -p young/orchard
sqlite3 young/orchard/o.sqlite 'PRAGMA journal_mode=wal; VACUUM' >/dev/null
mkfifo fifo2
sqlite3 young/orchard/o.sqlite <fifo2 >said 2>&1 &
pid=$!
exec 7>fifo2
printf '%s\n' 'PRAGMA wal_autocheckpoint=0;' "CREATE TABLE bird(song TEXT); INSERT INTO bird VALUES('tit'); SELECT 'ready';" >&7
for _ in $(seq 100); do grep -q ready said && break; sleep 0.05; done
cp young/orchard/o.sqlite young/orchard/orchard.sqlite
cp young/orchard/o.sqlite-wal young/orchard/orchard.sqlite-wal
exec 7>&-
wait "$pid"
rm young/orchard/o.sqlite*
echo '{"id": 1, "db_id": "orchard", "question": "Which songs?", "sql": "SELECT song FROM bird"}' >train.jsonl
says 0 '1 memories of 1 training questions .0 do not run' mapfleet memory build --train train.jsonl --databases young -o young.bank
says 0 '' mapfleet memory check young.bank

it "a journal that is no journal does not hurt"
mkdir -p odd/orchard && cp databases/orchard/orchard.sqlite odd/orchard/
echo 'not a wal at all, only some text that is long enough to look like a header' >odd/orchard/orchard.sqlite-wal
sed 's/SELECT 6/SELECT 5/' pred.jsonl >five.jsonl
says 0 '1 of 1 right' all score --predictions five.jsonl --databases odd
done_testing
