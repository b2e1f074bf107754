/* journal.c - the one place where the journal's tables are written down; JOURNAL.md
 * explains them */
#include "proto/journal.h"

const char journal_schema[] =
	/* A command: inputs and configuration. key = sweep.h's key. */
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
	" inputs BLOB NOT NULL, name TEXT NOT NULL, config TEXT NOT NULL,"
	" started_ms INTEGER NOT NULL);\n"
	/* One start of a broker: the fence. host and pid say who writes. */
	"CREATE TABLE epoch(id INTEGER PRIMARY KEY, sweep INTEGER NOT NULL,"
	" boot INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,"
	" version TEXT NOT NULL, started_ms INTEGER NOT NULL);\n"
	/* The end of a command: how it ended and what it spent (JSON). */
	"CREATE TABLE finish(epoch INTEGER PRIMARY KEY, code INTEGER NOT NULL,"
	" spent TEXT NOT NULL, ended_ms INTEGER NOT NULL);\n"
	"CREATE TABLE question(sweep INTEGER NOT NULL, position INTEGER NOT NULL,"
	" id TEXT NOT NULL, db TEXT NOT NULL, hash BLOB NOT NULL,"
	" PRIMARY KEY(sweep, position)) WITHOUT ROWID;\n"
	/* What specs and outputs name by hash. codec 0 raw, 1 zstd. */
	"CREATE TABLE blob(id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE,"
	" size INTEGER NOT NULL, codec INTEGER NOT NULL, data BLOB NOT NULL);\n"
	"CREATE TABLE task(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
	" kind INTEGER NOT NULL, spec BLOB NOT NULL);\n"
	/* Who planned it: proto/roles.def. */
	"CREATE TABLE asked(task INTEGER NOT NULL, role INTEGER NOT NULL,"
	" PRIMARY KEY(task, role)) WITHOUT ROWID;\n"
	/* The first valid output of a task. codec as in blob. */
	"CREATE TABLE output(task INTEGER PRIMARY KEY, epoch INTEGER NOT NULL,"
	" attempt INTEGER NOT NULL, worker TEXT NOT NULL, spent_us INTEGER NOT NULL,"
	" codec INTEGER NOT NULL, body BLOB NOT NULL);\n"
	/* An attempt without output, of one sweep. final 1: not tried again in it. */
	"CREATE TABLE failure(id INTEGER PRIMARY KEY, sweep INTEGER NOT NULL,"
	" task INTEGER NOT NULL, epoch INTEGER NOT NULL, attempt INTEGER NOT NULL,"
	" worker TEXT NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL,"
	" final INTEGER NOT NULL);\n"
	"CREATE INDEX failure_of ON failure(sweep, task) WHERE final = 1;\n"
	/* One HTTP request to a model; body = proto/call.h. useful 0: wasted. */
	"CREATE TABLE call(id INTEGER PRIMARY KEY, task INTEGER NOT NULL,"
	" epoch INTEGER NOT NULL, attempt INTEGER NOT NULL, seq INTEGER NOT NULL,"
	" worker TEXT NOT NULL, useful INTEGER NOT NULL, body BLOB NOT NULL);\n"
	"CREATE INDEX call_of ON call(task);\n"
	/* Records of planners; the newest of (sweep, run, position) counts. */
	"CREATE TABLE choice(id INTEGER PRIMARY KEY, sweep INTEGER NOT NULL,"
	" run TEXT NOT NULL, position INTEGER NOT NULL, body BLOB NOT NULL);\n"
	"CREATE INDEX choice_of ON choice(sweep, run, position);\n"
	"CREATE TABLE verdict(id INTEGER PRIMARY KEY, sweep INTEGER NOT NULL,"
	" position INTEGER NOT NULL, body BLOB NOT NULL);\n"
	"CREATE INDEX verdict_of ON verdict(sweep, position);\n";
