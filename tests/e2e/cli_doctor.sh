# doctor: each line is broken once, and says how to mend.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard

it "a machine that is fit says so"
says 0 'ok +sandbox +a locked-in process' mapfleet doctor --databases databases
says 0 'ok +databases +databases: 1 of 1 are sound' mapfleet doctor --databases databases

it "sockets: too few files may be open"
says 5 'FAIL +sockets +64 files may be open, 132 are wanted' bash -c 'ulimit -n 64; "$MAPFLEET" doctor'
grep -q 'mend: ulimit -n 132' out || bad "no remedy"

it "disk: a folder that is not there"
says 5 'FAIL +disk +nowhere' mapfleet doctor --output-dir nowhere

it "databases: none, and a corrupt one"
mkdir empty
says 5 'FAIL +databases +empty: no database in it' mapfleet doctor --databases empty
says 5 'FAIL +databases +nowhere: No such' mapfleet doctor --databases nowhere
mkdir -p torn/orchard && head -c 4096 databases/orchard/orchard.sqlite >torn/orchard/orchard.sqlite
says 5 'FAIL +databases +.*is cut short' mapfleet doctor --databases torn

it "endpoint: nobody listens"
says 5 'FAIL +endpoint +http://127.0.0.1:9/v1: ' mapfleet doctor --base-url http://127.0.0.1:9/v1
grep -q 'mend: start the server' out || bad "no remedy"

it "reward: nobody listens, no model, no such kind"
says 5 'FAIL +reward +connect: ' mapfleet doctor --reward-url http://127.0.0.1:9/v1 --reward-model m
says 5 'FAIL +reward +--reward-url without' mapfleet doctor --reward-url http://127.0.0.1:9/v1
says 5 'none of classify pooling' mapfleet doctor --reward-url http://127.0.0.1:9 --reward-model m --reward-kind no

it "reward: each kind says whether it is served, and the trap is told"
serve() { # WHAT: a mock server in the background, $url
	exec 3< <("$BUILD_DIR/tests/mock_llm" --reward "$1")
	read -r url <&3
	pid=$!
}
serve pooling
says 0 'ok +reward +classify: no: http_404' mapfleet doctor --reward-url "$url" --reward-model m
grep -q 'pooling: yes, 1 number a text' out || bad "pooling is not found"
grep -q 'reward-kind pooling is what a run takes' out || bad "no kind is named"
says 0 'reward-kind yes-no$' mapfleet doctor --reward-url "$url" --reward-model m --reward-kind yes-no
kill "$pid"
serve softmax:1
says 5 'FAIL +reward +a head with one label under softmax is always 1.0: update' mapfleet doctor --reward-url "$url" --reward-model m
kill "$pid"

it "--json is one document"
mapfleet doctor --json >doc.json 2>/dev/null
same 0 "$(jq '[.[] | select(.state == "FAIL")] | length' doc.json)"
done_testing
