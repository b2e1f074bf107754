# disk_full.sh - the disk under the journal fills up: the command says so and exits 5,
# and after room is made the same command ends with the same bytes
#
# The disk is a small tmpfs in a mount namespace of this script's own; where that is not
# allowed there is nothing to test.
if [ -z "${DISK_FULL_INSIDE:-}" ]; then
	DISK_FULL_INSIDE=1 unshare --mount true 2>/dev/null ||
		{ echo "SKIP: no mount namespace of our own here"; exit 77; }
	DISK_FULL_INSIDE=1 exec unshare --mount bash "$0" "$@"
fi
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs sqlite3

disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=600k none "$disk" 2>/dev/null || skip "no tmpfs can be mounted here"
trap 'umount "$disk" 2>/dev/null; clean_up' EXIT
base=(--workers 2 --judge evidence --method majority,map --quiet)

town_run "$work/whole" "${base[@]}" >"$work/whole.log" 2>&1

# fills WHAT DIR flags...: the command meets the full disk, the second one finishes
fills() {
	local what=$1 dir=$2 code=0 before
	shift 2
	mount -o remount,size=600k "$disk"
	town_run "$dir" "${base[@]}" "$@" >"$work/log" 2>&1 || code=$?
	test $code = 5 || fail "$what: exit $code, not 5: $(cat "$work/log")"
	grep -q 'journal .*full.*what was committed is safe.*run the same command again' \
		"$work/log" || fail "$what: it says $(cat "$work/log")"
	test ! -e "$dir/results.json" || fail "$what: results of half a sweep were written"
	# Full still: nothing is lost, and it says the same.
	code=0
	town_run "$dir" "${base[@]}" "$@" >"$work/log" 2>&1 || code=$?
	test $code = 5 || fail "$what: exit $code when still full: $(cat "$work/log")"
	mount -o remount,size=64m "$disk"
	before=$(sqlite3 "$disk/$what/journal.db" 'SELECT count(*) FROM output')
	town_run "$dir" "${base[@]}" "$@" >"$work/log" 2>&1 ||
		fail "$what: exit $? with room again: $(cat "$work/log")"
	same_bytes "$work/whole" "$dir" "$what"
	say "$what: $before outputs were safe, then the same bytes"
}

mkdir "$disk/aside"
fills aside "$work/aside" --journal "$disk/aside/journal.db"
rm -rf "$disk/aside"
fills inside "$disk/inside"
rm -rf "$disk/inside"

# No room at all, not even for the journal's first page.
mount -o remount,size=64k "$disk"
head -c 60000 /dev/zero >"$disk/ballast" || true
code=0
town_run "$disk/none" "${base[@]}" >"$work/log" 2>&1 || code=$?
test $code = 5 || fail "no room at all: exit $code: $(cat "$work/log")"
grep -qE 'full|space' "$work/log" || fail "no room at all: it says $(cat "$work/log")"
say "no room at all: exit 5"

# Room for the facts, none for what is written from them: nothing half written.
rm -rf "$disk"/*
mount -o remount,size=64m "$disk"
town_run "$disk/out" "${base[@]}" --journal "$work/facts.db" >"$work/log" 2>&1
cp "$disk/out/results.json" "$work/results.json"
rm "$disk/out/samples.jsonl"
used=$(du -sk "$disk" | cut -f1)
mount -o remount,size=$((used + 40))k "$disk"
code=0
town_run "$disk/out" "${base[@]}" --journal "$work/facts.db" >"$work/log" 2>&1 || code=$?
test $code = 5 || fail "no room for results: exit $code: $(cat "$work/log")"
grep -qE 'samples.jsonl.*(full|space)' "$work/log" ||
	fail "no room for results: it says $(cat "$work/log")"
test ! -e "$disk/out/samples.jsonl" || fail "samples.jsonl is half written"
cmp "$work/results.json" "$disk/out/results.json"
mount -o remount,size=64m "$disk"
town_run "$disk/out" "${base[@]}" --journal "$work/facts.db" >"$work/log" 2>&1
same_bytes "$work/whole" "$disk/out" "results again"
say "no room for results: exit 5, then the same bytes"
