#!/usr/bin/env bash
# kill.sh - kill -9 of anything, anywhere: the command repeated ends with the same bytes
#
# Each named point of common/base/crash.h kills whoever comes to it for the Nth time;
# then broker, workers or all are killed at random times. Once with evidence, once with
# a model that counts its calls: no ask whose answer is on disk is paid again.
#
# Environment: ROUNDS random kills (3), SEED of the times, POINTS to try (all), LLM_POINTS
# to try with the model.
. "${SOURCE_DIR:?}/tests/e2e/common.bash" || exit 1
needs jq sqlite3 curl pgrep

rounds=${ROUNDS:-3}
seed=${SEED:-$RANDOM}
all=$(sed -n 's/^\tX(\([a-z_]*\), ".*/\1/p' "$SOURCE_DIR/common/base/crash.h")
points=${POINTS-$all}
llm_points=${LLM_POINTS-broker_result journal_commit journal_done worker_sent}
connections=4 # of each worker
evidence=(--method majority,map --seed 42 --workers 2)

# At which count a point is worth dying: in the middle of the work.
count_of() { # POINT
	case $1 in
	broker_start | results_write) echo 1 ;;
	broker_lease | worker_lease | worker_sent) echo 3 ;;
	journal_commit | journal_done) echo 4 ;;
	*) echo 40 ;;
	esac
}

# Until it exits 0. What was in flight at deaths so far is $lost.
lost=0
slack=0
commands=0
kills=0
repeat() { # DIR flags...
	local dir=$1 rc=1 tries=0
	shift
	while [ "$rc" != 0 ]; do
		tries=$((tries + 1))
		test $tries -le 6 || fail "$dir: does not end: $(tail -3 "$dir.log")"
		rc=0
		town_run "$dir" "$@" >"$dir.log" 2>&1 || rc=$?
		if [ "$rc" != 0 ]; then settle "$dir"; fi
	done
	commands=$tries
}

# ---- with a model: what is paid ----

asks_done() { # DIR
	journal "$1" 'SELECT count(*) FROM output JOIN task ON task.id = task
		WHERE kind IN (7, 10)' 2>/dev/null || echo 0
}

# Answers that the server gave and nobody has on disk.
settle() { # DIR
	if [ -z "$mock_pid" ]; then return 0; fi
	sleep 0.3 # children of a killed command notice; requests under way are answered
	lost=$(($(mock_stat answered) - $(asks_done "$1")))
}

model_flags() {
	printf '%s\n' --method majority,map --seed 42 --workers 2 --judge llm \
		--model mock --base-url "$mock_url" --max-connections $connections
}

# After the last command: every prompt once, but for what was lost at a kill. A worker
# that dies alone loses what it held: slack, its credit.
paid() { # DIR KILLS WHAT
	local answered distinct
	answered=$(mock_stat answered)
	distinct=$(mock_stat distinct)
	test "$distinct" = "$prompts" ||
		fail "$3: $distinct distinct prompts, $prompts when undisturbed"
	test $((answered - distinct)) -le $((lost + slack)) ||
		fail "$3: $answered answers to $distinct prompts, and $lost were in flight"
	# Under way, or answered while a commit was: 200 answers a second.
	test "$lost" -le $(($2 * (2 * 2 * connections + 60))) ||
		fail "$3: $lost in flight in $2 kills"
	test "$(asks_done "$1")" = "$prompts" || fail "$3: $(asks_done "$1") asks on disk"
	test "$(jq .spent_total.calls "$1/run.json")" = "$prompts" ||
		fail "$3: spent_total has $(jq -c .spent_total "$1/run.json")"
	say "$3: $answered answers to $distinct prompts, $lost in flight at $2 kills"
}

# ---- named points ----

try_point() { # POINT KIND REFERENCE flags...
	local point=$1 kind=$2 reference=$3 dir=$work/$2-$1
	shift 3
	export MAPFLEET_CRASH="$point:$(count_of "$point"):$dir.mark"
	lost=0 slack=0
	case $point in worker_*) slack=$connections ;; esac
	repeat "$dir" "$@"
	unset MAPFLEET_CRASH
	test -e "$dir.mark" || fail "$kind, $point: nobody came there often enough"
	same_bytes "$reference" "$dir" "$kind, killed at $point"
	say "$kind: killed at $point, ended by command $commands, same bytes"
}

# ---- random times ----

# A process of a running command: its broker, a worker, the command, or all of them.
kill_some() { # PID
	local broker workers who
	broker=$(broker_of "$1")
	workers=$(workers_of "$1")
	case $((RANDOM % 4)) in
	0) who=$broker ;;
	1) who=${workers%%$'\n'*} slack=$((slack + connections)) ;;
	2) who=$1 ;;
	3) who="$1 $broker $workers" ;;
	esac
	# shellcheck disable=SC2086 # a list
	if [ -n "$who" ]; then kill -9 $who 2>/dev/null || true; fi
}

# One directory: killed until it is done or no kill is left, then let be. A kill that came
# too late says how long a command takes by now: the next ones come before that.
kill_until_done() { # DIR flags...
	local dir=$1 pid ms
	shift
	while [ $((kills + here)) -lt "$rounds" ]; do
		ms=$((50 + RANDOM % span))
		town_start "$dir" "$@"
		pid=$!
		sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
		if kill -0 "$pid" 2>/dev/null; then
			kill_some "$pid"
			here=$((here + 1))
		else
			span=$((ms > 100 ? ms - 50 : 50))
		fi
		if wait "$pid" 2>/dev/null; then return 0; fi
		settle "$dir"
	done
	repeat "$dir" "$@"
}

try_random() { # KIND REFERENCE MOST_MS
	local kind=$1 reference=$2 span=$3 dir=$work/$1-random round=0 here flags
	kills=0
	RANDOM=$seed
	while [ $kills -lt "$rounds" ]; do
		here=0 lost=0 slack=0 round=$((round + 1))
		test $round -le $((4 * rounds)) || fail "$kind: too fast to be killed"
		flags=("${evidence[@]}")
		if [ "$kind" = llm ]; then
			mock_start --latency 40 --threads 2
			mapfile -t flags < <(model_flags)
		fi
		kill_until_done "$dir" "${flags[@]}"
		same_bytes "$reference" "$dir" "$kind, killed at random (seed $seed)"
		if [ "$kind" = llm ]; then
			paid "$dir" $here "llm, random (seed $seed)"
			mock_stop
		fi
		kills=$((kills + here))
		rm -rf "$dir"
	done
	say "$kind: $kills kills at random times (seed $seed), same bytes"
}

town_run "$work/calm" "${evidence[@]}" >"$work/calm.log"
for point in $points; do
	try_point "$point" evidence "$work/calm" "${evidence[@]}"
	rm -rf "$work/evidence-$point"
done
try_random evidence "$work/calm" 900

mock_start --latency 40 --threads 2
mapfile -t flags < <(model_flags)
town_run "$work/calm-llm" "${flags[@]}" >"$work/calm-llm.log"
prompts=$(mock_stat distinct)
test "$(mock_stat total)" = "$prompts" || fail "undisturbed, yet asks were repeated"
mock_stop
for point in $llm_points; do
	mock_start --latency 40 --threads 2
	mapfile -t flags < <(model_flags)
	try_point "$point" llm "$work/calm-llm" "${flags[@]}"
	paid "$work/llm-$point" 1 "llm, $point"
	mock_stop
	rm -rf "$work/llm-$point"
done
try_random llm "$work/calm-llm" 2000
say "each killed sweep ended with the bytes of an undisturbed one"
