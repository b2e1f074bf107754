# Pools as people's tools leave them: clear errors, nothing lost (PAINS D06, D12, D13).
. "$SOURCE_DIR/tests/support/cli.bash" || exit 1
orchard
plan() { mapfleet run --dry-run --benchmark plain --databases databases --pool "$@"; }

pool_line 1 'SELECT id FROM tree' 'SELECT 1' >good.jsonl
pool_line 2 'SELECT kind FROM tree' >>good.jsonl

it "a good pool has a plan"
says 0 'questions 2 on 1 databases' plan good.jsonl

it "a missing pool is named"
says 1 'nowhere.jsonl: No such file' plan nowhere.jsonl

it "an empty pool is named"
: >empty.jsonl
says 1 'empty.jsonl: is empty' plan empty.jsonl

it "a pool of blank lines holds no question"
printf '\n\n' >blank.jsonl
says 1 'blank.jsonl: is empty' plan blank.jsonl

it "an unreadable pool is named"
if [ "$(id -u)" -ne 0 ]; then
	cp good.jsonl locked.jsonl && chmod 000 locked.jsonl
	says 1 'locked.jsonl: Permission denied' plan locked.jsonl
fi
says 1 'databases: is a folder' plan databases

it "D12 a UTF-8 byte order mark is skipped"
{ printf '\xef\xbb\xbf'; cat good.jsonl; } >bom.jsonl
says 0 'questions 2' plan bom.jsonl

it "D12 UTF-16 is named"
iconv -f UTF-8 -t UTF-16LE good.jsonl >wide.jsonl
says 1 'wide.jsonl: is UTF-16' plan wide.jsonl
{ printf '\xff\xfe'; cat wide.jsonl; } >wide_mark.jsonl
says 1 'is UTF-16 text \(little endian\)' plan wide_mark.jsonl
iconv -f UTF-8 -t UTF-16BE good.jsonl >wide_big.jsonl
says 1 'is UTF-16 text \(big endian\)' plan wide_big.jsonl

it "D12 CRLF is taken"
sed 's/$/\r/' good.jsonl >crlf.jsonl
says 0 'questions 2 on 1 databases' plan crlf.jsonl

it "D13 a blank line is skipped and counted"
{ head -1 good.jsonl; echo; tail -1 good.jsonl; } >gap.jsonl
says 0 '1 blank lines' plan gap.jsonl
says 0 'questions 2' plan gap.jsonl

it "D13 a bad line has file, line, column and its beginning"
{ cat good.jsonl; echo '{"question_id": 3, "db_id": oops}'; } >torn.jsonl
says 1 'torn.jsonl:3:[0-9]+: .*\{"question_id": 3' plan torn.jsonl

it "D13 a truncated last line has its place"
{ head -1 good.jsonl; tail -1 good.jsonl | head -c 40; } >cut.jsonl
says 1 'cut.jsonl:2:[0-9]+: ' plan cut.jsonl

it "--skip-bad goes on and counts"
says 0 '1 malformed' plan torn.jsonl --skip-bad
says 0 'questions 2' plan torn.jsonl --skip-bad

it "no more than 80 bytes of a long line are shown"
printf '{"question_id": 1, "x": "%02000d", oops}\n' 7 >long.jsonl
says 1 'long.jsonl:1:[0-9]+' plan long.jsonl
never '0{81}'

it "wrong encoding has its place"
printf '{"question_id": 1, "db_id": "orchard", "question": "\xe9t\xe9", "candidates": []}\n' >latin.jsonl
says 1 'latin.jsonl:1:[0-9]+: .*(UTF-8|decode)' plan latin.jsonl

it "a line that is no object is refused"
{ cat good.jsonl; echo '[1, 2]'; } >list.jsonl
says 1 'list.jsonl:3:1: an object' plan list.jsonl

it "a candidate without sql is refused"
echo '{"question_id": 1, "db_id": "orchard", "candidates": [{"source": "x"}]}' >nosql.jsonl
says 1 'nosql.jsonl:1:1: a candidate without "sql"' plan nosql.jsonl

it "a repeated key is refused"
echo '{"question_id": 1, "question_id": 2, "db_id": "orchard", "candidates": []}' >twokeys.jsonl
says 1 'twokeys.jsonl:1:.*duplicate' plan twokeys.jsonl

it "an id that is neither text nor whole number is refused"
echo '{"question_id": 1.5, "db_id": "orchard", "candidates": [{"sql": "SELECT 1"}]}' >half.jsonl
says 1 'half.jsonl:1:1: question_id is neither' plan half.jsonl

it "D06 duplicate ids are kept apart, with a warning that names them and the gap"
{ pool_line 5 'SELECT 1'; pool_line 5 'SELECT 2'; pool_line 7 'SELECT 3'; } >twice.jsonl
says 0 'stand twice.*5 \(0 and 1\).*absent between them: 6.*2 unique of 3' plan twice.jsonl
says 0 'questions 3' plan twice.jsonl

it "the benchmark is asked for where no file tells it"
says 1 'say --benchmark' mapfleet run --dry-run --databases databases --pool good.jsonl

it "zipped files are named"
gzip -k good.jsonl
says 1 'packed by gzip' plan good.jsonl.gz
done_testing
