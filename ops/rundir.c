/* rundir.c - see rundir.h */
#include "ops/rundir.h"

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "ops/jsonfile.h"
#include "ops/notice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUTS_FILE "inputs.json"
#define LOCK_FILE "lock"

enum { WAIT_MS = 5000, WAIT_STEP_MS = 50 };

int rundir_make(const char *path, struct err *e)
{
	char part[PATH_MAX];
	size_t n = strlen(path);

	if (n == 0 || n >= sizeof part)
		return err_set(e, ERR_STORE, "%.100s: no path for a folder", path);
	memcpy(part, path, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (part[i] && part[i] != '/')
			continue;
		part[i] = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return err_set(e, ERR_STORE, "%s: cannot be made: %s", part,
				       strerror(errno));
		part[i] = path[i];
	}
	if (access(path, W_OK | X_OK))
		return err_set(e, ERR_STORE, "%s: cannot be written to: %s", path,
			       strerror(errno));
	return 0;
}

/* ---- the lock ---- */

struct holder {
	long pid;
	char host[128], since[64];
};

static void this_holder(struct holder *h)
{
	char now[CLOCK_ISO];

	clock_iso(clock_wall_ms(), now);
	h->pid = (long)getpid();
	if (gethostname(h->host, sizeof h->host))
		strcpy(h->host, "?");
	h->host[sizeof h->host - 1] = 0;
	snprintf(h->since, sizeof h->since, "%s", now);
}

static int read_holder(int fd, struct holder *h)
{
	char text[300];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return sscanf(text, "%ld %127s %63s", &h->pid, h->host, h->since) == 3;
}

static int write_holder(int fd)
{
	struct holder h;
	char text[300];
	int n;

	this_holder(&h);
	n = snprintf(text, sizeof text, "%ld %s %s\n", h.pid, h.host, h.since);
	return ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n;
}

/* A killed command's children hold its lock until they have noticed: wait for them. */
static int is_dying(const struct holder *h)
{
	struct holder me;

	this_holder(&me);
	return strcmp(h->host, me.host) == 0 && kill((pid_t)h->pid, 0) &&
	       errno == ESRCH;
}

static int held(const char *what, int fd, struct err *e)
{
	struct holder h;

	if (!read_holder(fd, &h))
		return err_set(e, ERR_INPUT, "%s: another process is at work here",
			       what);
	return err_set(e, ERR_INPUT,
		       "%s: process %ld on host %s is at work here since %s; wait for "
		       "it, stop "
		       "it, or say another --output-dir",
		       what, h.pid, h.host, h.since);
}

static int take_lock(const char *path, const char *what, int *ret, struct err *e)
{
	struct timespec nap = { 0, WAIT_STEP_MS * 1000000L };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), waited = 0, busy;

	if (fd < 0)
		return err_set(e, ERR_STORE, "%s: %s", path, strerror(errno));
	while ((busy = flock(fd, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK) {
		struct holder h;

		if (waited >= WAIT_MS || !read_holder(fd, &h) || !is_dying(&h))
			break;
		nanosleep(&nap, NULL);
		waited += WAIT_STEP_MS;
	}
	if (busy) {
		int rc = errno == EWOULDBLOCK ? held(what, fd, e)
					      : err_set(e, ERR_STORE, "%s: %s", path,
							strerror(errno));
		close(fd);
		return rc;
	}
	if (write_holder(fd)) {
		close(fd);
		return err_set(e, ERR_STORE, "%s: cannot be written: %s", path,
			       strerror(errno));
	}
	*ret = fd;
	return 0;
}

/* ---- whose it is ---- */

static const char *const inputs_of[] = { "questions", "databases", "pool", "gold" };

static json_t *inputs_document(const struct job *j)
{
	const struct hash *hashes[] = { &j->questions_hash, &j->databases_hash,
					&j->pool_hash, &j->gold_hash };
	json_t *doc = json_object();
	char hex[HASH_HEX + 1];

	for (size_t i = 0; i < 4; i++) {
		hash_hex(hashes[i], hex);
		json_object_set_new(doc, inputs_of[i], json_string(hex));
	}
	return doc;
}

/* Which inputs differ, as words; NULL: none. */
static const char *differing(const json_t *have, const json_t *want, struct buf *b)
{
	for (size_t i = 0; i < 4; i++)
		if (!json_equal(json_object_get(have, inputs_of[i]),
				json_object_get(want, inputs_of[i])))
			buf_addf(b, "%s%s", b->n ? ", " : "", inputs_of[i]);
	return b->p;
}

static int is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int others = 0;

	while (d && (entry = readdir(d)))
		others += entry->d_name[0] != '.' &&
			  strcmp(entry->d_name, LOCK_FILE) != 0;
	if (d)
		closedir(d);
	return others == 0;
}

static int move_aside(const char *dir, struct err *e)
{
	char to[PATH_MAX], stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &tm);
	for (int i = 0; i < 100; i++) {
		snprintf(to, sizeof to, i ? "%s.old-%s-%d" : "%s.old-%s", dir, stamp,
			 i);
		if (access(to, F_OK) == 0)
			continue;
		if (rename(dir, to))
			return err_set(e, ERR_STORE, "%s: cannot be moved to %s: %s",
				       dir, to, strerror(errno));
		notice_say("%s held other inputs and is now %s", dir, to);
		return 0;
	}
	return err_set(e, ERR_STORE, "%s: no free name to move it to", dir);
}

static int write_inputs(const char *dir, const json_t *doc, struct err *e)
{
	char path[PATH_MAX], part[PATH_MAX];
	int rc;

	snprintf(path, sizeof path, "%s/%s", dir, INPUTS_FILE);
	snprintf(part, sizeof part, "%s/.%s.part", dir, INPUTS_FILE);
	rc = json_dump_file(doc, part, JSON_INDENT(1)) || rename(part, path);
	return rc ? err_set(e, ERR_STORE, "%s: cannot be written: %s", path,
			    strerror(errno))
		  : 0;
}

enum { MINE, NOBODYS, OTHERS };

static int whose(struct arena *a, const char *dir, const json_t *want, int *ret,
		 struct err *e)
{
	struct textfile f;
	struct buf b = { 0 };
	json_t *have = NULL;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof path, "%s/%s", dir, INPUTS_FILE);
	if (access(path, F_OK)) {
		*ret = is_empty(dir) ? NOBODYS : OTHERS;
		if (*ret == OTHERS)
			err_set(e, ERR_INPUT,
				"%s: is not empty and no run's directory; say another "
				"--output-dir, or --overwrite to move it aside",
				dir);
		return 0;
	}
	if ((rc = textfile_read(a, path, &f, e)) || (rc = json_document(&f, &have, e)))
		return rc;
	*ret = differing(have, want, &b) ? OTHERS : MINE;
	if (*ret == OTHERS)
		err_set(e, ERR_INPUT,
			"%s: belongs to other inputs (%s differ); say another "
			"--output-dir, or "
			"--overwrite to move it aside",
			dir, b.p);
	json_decref(have);
	buf_free(&b);
	return 0;
}

static const char *path_in(struct arena *a, const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return arena_str(a, path);
}

static int open_dir(struct arena *a, struct rundir *r, struct err *e)
{
	int rc = rundir_make(r->path, e);

	return rc ? rc
		  : take_lock(path_in(a, r->path, LOCK_FILE), r->path, &r->lock, e);
}

/* Nothing of ours stays in a folder that is none of ours. */
static void leave_as_it_was(struct arena *a, const char *dir)
{
	if (access(path_in(a, dir, INPUTS_FILE), F_OK))
		unlink(path_in(a, dir, LOCK_FILE));
}

static int claim(struct options *o, struct job *j, struct rundir *r, struct err *e)
{
	struct arena *a = &j->sweep.arena;
	json_t *want = inputs_document(j);
	int who = OTHERS, rc = whose(a, r->path, want, &who, e);

	if (!rc && who == OTHERS && !opt_on(o, FLAG_overwrite)) {
		rc = ERR_INPUT;
		leave_as_it_was(a, r->path);
	}
	if (!rc && who == OTHERS) {
		rc = move_aside(r->path, e);
		close(r->lock); /* it went with the directory */
		r->lock = -1;
		if (!rc)
			rc = open_dir(a, r, e);
	}
	r->is_new = who != MINE;
	if (!rc && who != MINE)
		rc = write_inputs(r->path, want, e);
	json_decref(want);
	return rc;
}

const char *rundir_path(struct options *o, struct job *j)
{
	const char *said = opt_text(o, FLAG_output_dir);
	char path[PATH_MAX];

	if (said)
		return said;
	snprintf(path, sizeof path, "results/runs/%s", job_name(o, j));
	return arena_str(&j->sweep.arena, path);
}

int rundir_open(struct options *o, struct job *j, struct rundir *ret, struct err *e)
{
	struct arena *a = &j->sweep.arena;
	struct rundir r = { .lock = -1, .journal_lock = -1 };
	const char *journal = opt_text(o, FLAG_journal);
	char path[PATH_MAX];
	int rc;

	r.path = rundir_path(o, j);
	rc = open_dir(a, &r, e);
	if (!rc)
		rc = claim(o, j, &r, e);
	r.journal = journal ? journal : path_in(a, r.path, "journal.db");
	if (!rc && journal) {
		snprintf(path, sizeof path, "%s.lock", journal);
		rc = take_lock(path, journal, &r.journal_lock, e);
	}
	if (rc) {
		rundir_close(&r);
		return rc;
	}
	j->sweep.output_dir = r.path;
	j->sweep.journal = r.journal;
	*ret = r;
	return 0;
}

void rundir_close(struct rundir *r)
{
	if (r->lock >= 0)
		close(r->lock);
	if (r->journal_lock >= 0)
		close(r->journal_lock);
	r->lock = r->journal_lock = -1;
}
