# reward.sh - the reward role: every kind of server breaks ties, is counted as its own
# role, and its traps are refused with what mends them
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq curl

export REWARD_API_KEY=rk-very-secret-1
tie_run() { # DIR flags...
	local dir=$1
	shift
	town_run "$dir" --limit 24 --method map --permute both --passes 2 --judge llm --model mock \
		--base-url "$mock_url" --workers 2 --reward-model rm \
		--reward-url "${mock_url/http:\/\//http://user:pass-word-1@}" \
		--reward-header "X-Team: team-secret-1" "$@" >"$work/log" 2>&1
}

ties() { jq -c 'select(.tie_break) | [.question_id, .tie_break]' "$1/samples.jsonl"; }

kind_of() { # the kind that a run found out
	sed -n 's/.*serves --reward-kind //p' "$work/log"
}

# A model that ranks what stands first: much is tied, and equal prompts have equal answers.
say "every kind is found out and breaks ties"
for row in classify:1=classify classify:2=classify softmax:2=classify pooling=pooling \
	tokens=pooling score=score score:old=score rerank=rerank rerank:bare=rerank \
	embedding=yes-no; do
	serves=${row%=*} kind=${row#*=}
	mock_start --threads 2 --script 'first*' --reward "$serves"
	tie_run "$work/$serves" || fail "$serves: exit $?: $(cat "$work/log")"
	test "$(kind_of)" = "$kind" || fail "$serves: $(cat "$work/log")"
	n=$(ties "$work/$serves" | wc -l)
	test "$n" -gt 5 || fail "$serves: $n ties"
	calls=$(jq -s '[.[] | select(.role == "reward" and .useful)] | length' "$work/$serves/calls.jsonl")
	told=$(jq '.runs[0].usage.by_role.reward.calls' "$work/$serves/results.json")
	test "$calls" = "$told" || fail "$serves: $calls calls, $told told"
	test "$calls" -le $((2 * n)) || fail "$serves: $calls calls for $n ties"
	all=$(jq '.runs[0].usage | .calls - ([.by_role[].calls] | add)' "$work/$serves/results.json")
	test "$all" = 0 || fail "$serves: roles do not add up"
	jq -e '.runs[0].parameters | .tie_break == "reward" and .reward_kind == "'$kind'"' \
		"$work/$serves/results.json" >/dev/null || fail "$serves: parameters"
	if grep -rqE 'very-secret|pass-word-1|team-secret' "$work/$serves" "$work/log"; then
		fail "$serves: a secret is in $(grep -rlE 'very-secret|pass-word-1|team-secret' "$work/$serves" "$work/log")"
	fi
	mock_stop
	cp "$work/$serves/results.json" "$work/before"
	tie_run "$work/$serves" || fail "$serves, without a server: exit $?: $(cat "$work/log")"
	grep -q "nothing to do" "$work/log" || fail "$serves, again: $(cat "$work/log")"
	cmp "$work/before" "$work/$serves/results.json" || fail "$serves: other results"
done
code=0
tie_run "$work/pooling" --reward-url http://127.0.0.1:9 || code=$?
test $code = 4 || fail "another server's kind is taken from run.json: $(cat "$work/log")"

say "the higher score wins, whatever shape it came in"
for one in classify:1 pooling tokens score rerank rerank:bare; do
	jq -e 'select(.tie_break) | .tie_break as $t
		| select(.chosen != (if $t.scores[1] > $t.scores[0] then $t.b else $t.a end))' \
		"$work/$one/samples.jsonl" >/dev/null && fail "$one: the lower won"
done
cmp <(ties "$work/pooling") <(ties "$work/tokens") || fail "the last row is the score"
cmp <(ties "$work/pooling") <(ties "$work/classify:1") || fail "one label is a raw number"
cmp <(ties "$work/rerank") <(ties "$work/rerank:bare") || fail "rerank's two forms"
cmp <(ties "$work/score") <(ties "$work/score:old") || fail "score's two forms"

say "said kinds that chat"
mock_start --threads 2 --script 'first*'
for kind in yes-no grade; do
	tie_run "$work/$kind" --reward-kind $kind || fail "$kind: $(cat "$work/log")"
	test "$(ties "$work/$kind" | wc -l)" -gt 5 || fail "$kind: no ties"
	test -z "$(kind_of)" || fail "$kind: asked though it was said"
done
before=$(mock_stat total)
tie_run "$work/grade" --reward-kind grade || fail "again: $(cat "$work/log")"
test "$(mock_stat total)" = "$before" || fail "a finished run asks again"
tie_run "$work/judge" --reward-kind grade --tie-break judge || fail "$(cat "$work/log")"
test "$(jq '.runs[0].usage.by_role | has("reward")' "$work/judge/results.json")" = false ||
	fail "--tie-break judge asks the reward model"
mock_stop

say "one label under softmax is refused, found out or said"
mock_start --threads 2 --script 'first*' --reward softmax:1
for flags in "" "--reward-kind classify"; do
	code=0
	tie_run "$work/softmax1" --overwrite $flags || code=$?
	test $code = 4 || fail "exit $code: $(cat "$work/log")"
	grep -q 'always 1.0: update the server, or serve with --pooler-config' "$work/log" ||
		fail "$(cat "$work/log")"
done
mock_stop

say "a raw 1.0 of a server that is none is a score"
mock_start --threads 2 --script 'first*' --reward ones
code=0
tie_run "$work/ones" --reward-kind classify || fail "exit $?: $(cat "$work/log")"
wasted=$(jq -s '[.[] | select(.role == "reward" and (.useful | not))] | length' "$work/ones/calls.jsonl")
useful=$(jq -s '[.[] | select(.role == "reward" and .useful)] | length' "$work/ones/calls.jsonl")
test "$wasted" = "$useful" || fail "$useful scores of 1.0, doubted $wasted times"
mock_stop

say "what cannot be"
mock_start --threads 2 --script 'first*'
refused() { # CODE PATTERN flags...
	local code=0 want=$1 pattern=$2
	shift 2
	tie_run "$work/none" "$@" || code=$?
	test $code = "$want" || fail "exit $code, not $want: $*: $(cat "$work/log")"
	grep -qE -- "$pattern" "$work/log" || fail "no /$pattern/ in $(cat "$work/log")"
	test ! -e "$work/none" || test $code = 4 || fail "$* made a directory"
}
refused 1 'none of classify pooling score rerank yes-no grade' --reward-kind magic
refused 1 'unknown value rewards' --tie-break rewards
refused 1 'begins with http' --reward-url ftp://h
refused 1 'NAME: VALUE' --reward-header nothing
printf 'plain {{question}} {{sql}}\n' >"$work/t.txt"
refused 1 'no line \{\{assistant\}\}' --reward-kind rerank --reward-template "$work/t.txt"
printf 'plain {{question}}\n' >"$work/t.txt"
refused 1 'no \{\{candidates\|sql\}\}' --reward-kind classify --reward-template "$work/t.txt"
printf '{{question}} {{candidates}}\n{{assistant}}\nx\n' >"$work/t.txt"
refused 1 'do not chat' --reward-kind grade --reward-template "$work/t.txt"
mock_stop
refused 4 'reward-kind is not said, and the server could not be asked' --reward-url http://127.0.0.1:9
code=0
town_run "$work/none" --method map --tie-break reward >"$work/log" 2>&1 || code=$?
test $code = 1 || fail "exit $code"
grep -q 'needs --reward-model and --reward-url' "$work/log" || fail "$(cat "$work/log")"

say "a template without {{user}} is the text itself"
mock_start --threads 2 --script 'first*' --reward pooling
printf 'Q: {{question}}\nA: {{sql}}\n' >"$work/t.txt"
tie_run "$work/plain" --reward-template "$work/t.txt" || fail "$(cat "$work/log")"
curl -s "${mock_url%/v1}/last" | jq -e '.input | startswith("Q: ")' >/dev/null || fail "no input"
mock_stop
say ok
