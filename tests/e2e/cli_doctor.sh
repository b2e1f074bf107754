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

it "--json is one document"
mapfleet doctor --json >doc.json 2>/dev/null
same 0 "$(jq '[.[] | select(.state == "FAIL")] | length' doc.json)"
done_testing
