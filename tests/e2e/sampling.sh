# B17: results.json states the sampling that the judge was asked with, and two settings
# never share an answer.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq curl

mock_start --threads 2
asks() { # TEMPERATURE
	town_run "$work/run" --workers 1 --judge llm --model mock --base-url "$mock_url" \
		--method map --passes 1 --limit 6 --quiet --temperature "$1" >"$work/log" 2>&1 ||
		fail "exit $?: $(cat "$work/log")"
	jq -c '.runs[0].parameters | [.model, .temperature, .top_p, .max_tokens]' "$work/run/results.json"
}
test "$(asks 0)" = '["mock",0,1,1024]' || fail "B17 temperature 0: $(asks 0)"
cold=$(mock_stat total)
test "$(asks 0.8)" = '["mock",0.8,1,1024]' || fail "B17 temperature 0.8: $(asks 0.8)"
test "$(mock_stat total)" -gt "$cold" || fail "B17 answers of temperature 0 were taken for 0.8"
say "B17: results.json names what was sent, and $cold asks were asked again at 0.8"
