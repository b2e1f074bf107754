# limits.sh - --token-limit, --call-limit and --cost-limit pause a sweep with exit 3;
# repeating the command goes on from what was paid, and ends with the same bytes
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl

mock_start --threads 2 --latency 20
model=(--workers 1 --max-connections 2 --judge llm --model mock --base-url "$mock_url"
	--method majority,map --passes 1 --quiet)
echo '{"mock": {"prompt": 1000, "completion": 2000}}' >"$work/prices.json"

town_run "$work/whole" "${model[@]}" >"$work/log" 2>&1 || fail "exit $?: $(cat "$work/log")"
all=$(mock_stat total)

# pauses WHAT WHOLE FLAG...: exits 3 until everything is paid, never asks twice
pauses() {
	local what=$1 whole=$work/$2 dir=$work/$1 code rounds=0 before
	shift 2
	before=$(mock_stat total)
	while :; do
		code=0
		town_run "$dir" "${model[@]}" "$@" >"$work/log" 2>&1 || code=$?
		test $code = 0 && break
		test $code = 3 || fail "$what: exit $code: $(cat "$work/log")"
		grep -q -- "--$what-limit is reached.*run the same command again" "$work/log" ||
			fail "$what: it says $(cat "$work/log")"
		rounds=$((rounds + 1))
		test $rounds -lt 60 || fail "$what: no end"
	done
	test $rounds -gt 0 || fail "$what: never reached"
	test $(($(mock_stat total) - before)) = "$all" ||
		fail "$what: $(($(mock_stat total) - before)) calls, not $all: something was paid twice"
	same_bytes "$whole" "$dir" "$what"
	say "$what: $rounds pauses, $all calls in all, the same bytes"
}

# Nothing is left to ask: the same with prices.
town_run "$work/priced" "${model[@]}" --price-file "$work/prices.json" \
	--journal "$work/whole/journal.db" >"$work/log" 2>&1 ||
	fail "exit $?: $(cat "$work/log")"
test "$(mock_stat total)" = "$all" || fail "a journal that is shared was not used"

third=$((all / 3 + 1))
tokens=$(jq '.spent.prompt_tokens + .spent.completion_tokens' "$work/whole/run.json")
pauses call whole --call-limit "$third"
pauses token whole --token-limit $((tokens / 3))
pauses cost priced --price-file "$work/prices.json" --cost-limit \
	"$(jq '(.spent.prompt_tokens * 1000 + .spent.completion_tokens * 2000) / 3e6' "$work/whole/run.json")"

# What cannot be priced is not begun.
refused() { # PATTERN flags...
	local pattern=$1 code=0
	shift
	town_run "$work/no" "${model[@]}" "$@" >"$work/log" 2>&1 || code=$?
	test $code = 1 || fail "$*: exit $code"
	grep -qE -- "$pattern" "$work/log" || fail "$*: it says $(cat "$work/log")"
}
refused 'cost-limit needs --price-file' --cost-limit 1
echo '{"other": {"prompt": 1, "completion": 2}}' >"$work/other.json"
refused 'other.json has no price for mock' --cost-limit 1 --price-file "$work/other.json"
echo '{"mock": {"prompt": "1"}}' >"$work/bad.json"
refused 'bad.json: mock: .*per million tokens is wanted' --cost-limit 1 --price-file "$work/bad.json"
refused 'cost-limit: 0 is outside' --cost-limit 0
test ! -e "$work/no" || fail "a directory was made"
