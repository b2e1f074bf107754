# A04: an answer that was computed another way loses on its last bit; --float-tol forgives
# that, numerically, and the report says so.
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
gold() { printf '{"question_id": 1, "db_id": "orchard", "sql": "%s"}\n' "$1" >gold.jsonl; }
score() {
	rm -rf d
	mapfleet score --benchmark "${rule:-bird}" --predictions pool.jsonl --questions pool.jsonl --gold gold.jsonl \
		--databases databases --output-dir d "$@"
}

gold 'SELECT 0.3'
pool_line 1 'SELECT SUM(kg) FROM pick WHERE tree_id=3' >pool.jsonl
it "A04 floats must match to the last bit without it"
says 0 '0 of 1 right' score
it "A04 within the tolerance they are equal, and the table and results.json say that"
says 0 'numbers within 1e-09 are equal: not the official rule' score --float-tol 1e-9
grep -q '"note":"float-tol"' d/scores.jsonl || bad "no note"
grep -q '"float_tol":1e-09' <(tr -d ' ' <d/results.json) || bad "results.json does not tell"
says 0 '1 of 1 right' score --float-tol 1e-9
it "A04 a text is no number, whatever it spells"
gold "SELECT '0.3'"
says 0 '0 of 1 right' score --float-tol 1

it "order counts where gold has ORDER BY, and under plain each row pairs with one"
gold 'SELECT kg FROM pick WHERE tree_id=3 ORDER BY kg'
pool_line 1 'SELECT kg + 1e-12 FROM pick WHERE tree_id=3 ORDER BY kg DESC' >pool.jsonl
rule=plain
says 0 '0 of 1 right' score --float-tol 1e-9
says 0 '1 of 1 right' score --float-tol 0.2
gold 'SELECT kg FROM pick WHERE tree_id=3'
says 0 '1 of 1 right' score --float-tol 1e-9
done_testing
