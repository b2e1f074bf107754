/* journal.h - the journal's schema: the facts, on disk
 *
 * One SQLite file, WAL, synchronous=FULL, one writer (broker/journal.c). Rows are
 * inserted, never updated or deleted. Everything else (leases, queues, results) is
 * rebuilt from them. JOURNAL.md says what each table holds and how to change it.
 *
 * Version: PRAGMA user_version. A program refuses a newer one and says so.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

enum { JOURNAL_VERSION = 1, JOURNAL_APPLICATION = 0x4d664c54 /* "MfLT" */ };

extern const char journal_schema[]; /* CREATE TABLE ...; for an empty file */

enum blob_codec { CODEC_RAW, CODEC_ZSTD };

#endif
