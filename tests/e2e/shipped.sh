#!/usr/bin/env bash
# shipped.sh - the databases that ship are what their scripts write
set -euo pipefail

home=$SOURCE_DIR/tests/data/smalltown
if ! command -v sqlite3 >/dev/null; then
	echo "SKIP: no sqlite3 command here"
	exit 77
fi
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$home/make/make" "$new"
for old in "$home"/databases/*/*.sqlite; do
	db=$(basename "$old" .sqlite)
	if ! cmp -s <(sqlite3 "file:$old?mode=ro" .dump) <(sqlite3 "$new/$db/$db.sqlite" .dump); then
		echo "$db.sqlite is not what make/$db.sql writes: run make/make"
		exit 1
	fi
	test "$(stat -c %s "$old")" -lt 300000 || { echo "$db.sqlite is over 300 kB"; exit 1; }
	sqlite3 "file:$old?mode=ro" 'PRAGMA foreign_key_check' | { ! grep .; }
done
echo "6 databases are what their scripts write"
