#!/bin/bash
# manual - ops/mapfleet.1 has the verbs of --help, flags that exist, and no warnings
set -euo pipefail
page=$SOURCE_DIR/ops/mapfleet.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

# Verbs: two spaces, a name of one or two words, two spaces or more, what it does.
"$MAPFLEET" --help | sed -nE 's/^  ([a-z]+( [a-z]+)?) {2,}.*/\1/p' >"$work/verbs"
sed -n '/^\.Sh VERBS/,/^\.Sh ENV/s/^\.It Cm //p' "$page" >"$work/page"
[ -s "$work/verbs" ] || wrong "no verb was found in --help"
diff "$work/verbs" "$work/page" || wrong "the page's verbs are not those of --help, in its order"

# Flags: each that the page names stands in some verb's help.
while read -r verb; do
	# shellcheck disable=SC2086
	"$MAPFLEET" $verb --help || wrong "$verb --help exits $?"
done <"$work/verbs" >"$work/help"
{
	grep -oE '^\.(Fl|Op Fl) -[a-z-]+' "$page" | sed -E 's/.* -/--/'
	grep -oE '(^| )--[a-z-]+' "$page" | tr -d ' '
} | sort -u >"$work/flags"
while read -r flag; do
	[ "$flag" = --version ] || grep -qE -e "(^|[ ,])$flag( |\$)" "$work/help" ||
		wrong "no verb has $flag"
done <"$work/flags"
grep -q -e --output-dir "$work/flags" || wrong "no flag was found in the page"

# Exit codes: those of --help.
"$MAPFLEET" --help | sed -n '/^exit:/,$p' | tr ';' '\n' | sed -nE 's/^[ a-z:]*([0-9]+) .*/\1/p' >"$work/codes"
sed -n '/^\.Sh EXIT/,/^\.Sh EXAMPLES/s/^\.It //p' "$page" | diff "$work/codes" - ||
	wrong "exit codes differ from those of --help"

# Formatters, where there are any: not a word on stderr.
reads() { # COMMAND...: over the page
	local said
	said=$("$@" "$page" 2>&1 >/dev/null) || wrong "$1 exits $?"
	[ -z "$said" ] || wrong "$*: $said"
}
if command -v groff >/dev/null; then reads groff -mdoc -Tascii -ww; else echo "no groff here"; fi
if command -v mandoc >/dev/null; then reads mandoc -Tlint -Wwarning; else echo "no mandoc here"; fi
if man --version 2>/dev/null | grep -q '^man [0-9]'; then # man-db's
	LC_ALL=C.UTF-8 MANPAGER=cat reads man --warnings -l
else
	echo "no man here"
fi
exit $failed
