# What stands in files is shown, never obeyed: no terminal sees an escape of theirs.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
evil='\u001b]0;title\u0007\u001b[2J\r\u009b31m</td><script>alert(1)</script>'
printf '{"question_id": "%s", "db_id": "orchard", "question": "%s", "candidates": [{"sql": "SELECT '"'%s'"'"}, {"sql": "SELECT 2"}]}\n' "x" "$evil" "$evil" >pool.jsonl
printf '{"question_id": "x", "db_id": "orchard", "sql": "SELECT '"'%s'"'"}\n' "$evil" >gold.jsonl

clean() { # FILE: no control byte but newline and tab, C1 neither
	checks=$((checks + 1))
	LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1" && bad "$1 holds control characters"
}

it "run, show and score --explain show it, harmless"
says 0 '' mapfleet run --benchmark plain --databases databases --pool pool.jsonl --gold gold.jsonl --output-dir d --workers 1
clean out
says 0 'x1b\]0;title.x07.x1b\[2J.x0d.xc2.x9b31m' mapfleet show d x
clean out
says 0 'x1b\[2J' mapfleet score --benchmark plain --databases databases --predictions gold.jsonl --gold gold.jsonl --workers 1 --explain x
clean out

it "an error that quotes a line quotes it harmless"
printf '{"question_id": "x", \033[2J\n' >torn.jsonl
says 1 'torn.jsonl:1:' mapfleet run --benchmark plain --databases databases --pool torn.jsonl --output-dir e
clean out

it "the report is text, not markup"
grep -q '<script>alert' d/report.html && bad "markup of a file stands in report.html"
done_testing
