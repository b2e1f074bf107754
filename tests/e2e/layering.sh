#!/bin/bash
# layering - a forbidden include does not compile, an allowed one does
#
# Takes each room's own compile command and adds one include to it.
set -u
commands=$BUILD_DIR/compile_commands.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v jq >/dev/null || { echo "SKIP: jq is absent"; exit 77; }

# compiles ROOM HEADER: with the flags of ROOM's first source
compiles() {
	local line
	line=$(jq -r --arg room "$SOURCE_DIR/$1/" \
		'[.[] | select(.file | startswith($room)) | select(.file[($room|length):] | contains("/") | not)][0].command' "$commands")
	[ "$line" != null ] || { echo "no source in $1"; exit 1; }
	line=$(sed -E 's/ -o [^ ]+//; s/ -c [^ ]+//; s/ -M[DTF]( [^ ]+\.o| [^ ]+\.d)?//g' <<<"$line")
	printf '#include "%s"\nextern int layering;\nint layering;\n' "$2" >"$dir/t.c"
	(cd "$BUILD_DIR" && eval "$line -fsyntax-only $dir/t.c") >"$dir/log" 2>&1
}

failed=0
allowed() {
	compiles "$1" "$2" || { echo "FAILED: $1 may not include $2"; cat "$dir/log"; failed=1; }
}
forbidden() {
	compiles "$1" "$2" && { echo "FAILED: $1 may include $2"; failed=1; }
	grep -q "$2" "$dir/log" || { echo "FAILED: $1 and $2: another error"; cat "$dir/log"; failed=1; }
}

allowed common/base common/base/err.h
forbidden common/base common/select/group.h
forbidden common/base proto/task.h
allowed common/select common/base/err.h
forbidden common/select common/io/zsock.h
forbidden common/select proto/task.h
forbidden common/sql common/select/group.h
forbidden common/sql worker/worker.h
allowed common/io common/base/err.h
forbidden common/io common/select/group.h
forbidden common/io proto/task.h
allowed proto common/base/err.h
forbidden proto common/select/group.h
forbidden proto broker/core.h
allowed broker proto/plan.h
forbidden broker worker/worker.h
forbidden broker results/gold.h
forbidden broker ops/fleet.h
allowed worker proto/task.h
forbidden worker broker/core.h
forbidden worker results/gold.h
allowed results proto/plan.h
forbidden results broker/core.h
forbidden results worker/worker.h

# ops sees the entry points of the others, and nothing else of them.
others=$(grep -hoE '#include "(broker|worker|results)/[^"]+"' "$SOURCE_DIR"/ops/*.[ch] | sort -u | sed 's/.*"\(.*\)"/\1/')
for h in $others; do
	case $h in
	broker/broker.h | broker/learn.h | broker/method/method.h | worker/worker.h | worker/reward_probe.h | results/results.h | results/gold.h | results/verdict_plan.h | results/fitting.h) ;;
	worker/prompt.h | worker/bank_make.h | worker/recall.h | worker/dbfile.h | worker/sqlbox.h | worker/sqlguard.h | worker/vestime.h) ;; # pure or file-only parts, see ARCHITECTURE.md
	*) echo "ops includes $h, which is no entry point"; failed=1 ;;
	esac
done
exit $failed
