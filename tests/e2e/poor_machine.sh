# A machine that lacks something: a home that cannot be written, few open files, pipes
# where files are wanted, a stdout that is full or gone. Each ends soon, with the exit
# code that the contract has for it, and says what to do.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
pool_line 1 'SELECT id FROM tree' 'SELECT id FROM tree WHERE 1' 'SELECT 2' >pool.jsonl
base=(run --benchmark plain --databases databases --workers 2 --quiet)
run() { timeout 60 "$MAPFLEET" "${base[@]}" --pool pool.jsonl "$@"; }

it "a home that cannot be written is no obstacle"
says 0 'map-s42' env -u XDG_CACHE_HOME HOME=/proc/nowhere timeout 60 "$MAPFLEET" "${base[@]}" --pool pool.jsonl --output-dir home

it "too few open files end it with exit 5 and a word about them, or do not matter"
for n in 14 18 20 24 32 48 64; do
	checks=$((checks + 1))
	(ulimit -n "$n" && run --output-dir "files$n") >out 2>&1
	got=$?
	case $got in
	0) [ -s "files$n/results.json" ] || bad "$n files: exit 0, no results" ;;
	1 | 5)
		[ ! -e "files$n/results.json" ] || bad "$n files: exit $got, but results"
		grep -qiE 'open files|ulimit|workers die|unable to open' out || bad "$n files: no word about them"
		;;
	*) bad "$n files: exit $got" ;;
	esac
done

it "a pipe is refused, for inputs are read more than once; none blocks"
mkfifo pipe
says 1 'pipe: is a pipe' timeout 20 "$MAPFLEET" "${base[@]}" --pool pipe
says 1 '/dev/stdin: is a pipe' bash -c 'cat pool.jsonl | timeout 20 "$MAPFLEET" run --benchmark plain --databases databases --pool /dev/stdin'
mkdir -p piped/orchard && mkfifo piped/orchard/orchard.sqlite
says 1 '1 of 1 databases are missing.*orchard .what stands there cannot be read, or is no file' timeout 20 "$MAPFLEET" run --benchmark plain --databases piped --pool pool.jsonl

it "a stdout that is full or closed is exit 5, and the results are there"
[ ! -e /dev/full ] || says 5 'stdout: could not be written' bash -c '"$MAPFLEET" run --quiet --benchmark plain --databases databases --pool pool.jsonl --output-dir full >/dev/full'
says 5 'stdout' bash -c '"$MAPFLEET" run --quiet --benchmark plain --databases databases --pool pool.jsonl --output-dir full >&-'
[ -s full/results.json ] || bad "no results"
done_testing
