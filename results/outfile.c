/* outfile.c - see outfile.h */
#include "results/outfile.h"

#include "common/base/buf.h"
#include "common/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(struct err *e, const char *path, int errnum)
{
	return err_set(e, ERR_STORE,
		       "cannot write %s: %s; give another --output-dir or "
		       "make room",
		       path, strerror(errnum));
}

static int make_folders(const char *path, struct err *e)
{
	char *copy = mem_dup(path, strlen(path));
	int rc = 0;

	if (!copy)
		return err_set(e, ERR_NOMEM, "path %s", path);
	for (char *p = copy + 1; rc == 0 && (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			rc = cannot(e, copy, errno);
		*p = '/';
	}
	mem_free(copy);
	return rc;
}

static char *join(const char *dir, const char *name, const char *suffix)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s/%s%s", dir, name, suffix);
	return buf_take(&b, NULL);
}

int outfile_open(struct outfile *o, const char *dir, const char *name, struct err *e)
{
	int rc = 0;

	*o = (struct outfile){ .path = join(dir, name, ""),
			       .draft = join(dir, name, ".part") };
	if (!o->path || !o->draft)
		rc = err_set(e, ERR_NOMEM, "path %s/%s", dir, name);
	else
		rc = make_folders(o->path, e);
	if (rc == 0) {
		o->f = fopen(o->draft, "wb");
		if (!o->f)
			rc = cannot(e, o->path, errno);
	}
	if (rc)
		outfile_drop(o);
	return rc;
}

void outfile_add(struct outfile *o, struct view v)
{
	if (!o->errnum && v.n && fwrite(v.p, 1, v.n, o->f) != v.n)
		o->errnum = errno ? errno : EIO;
}

static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd;

	snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd); /* some filesystems cannot; the rename stands all the same */
	close(fd);
}

int outfile_close(struct outfile *o, struct err *e)
{
	int rc = 0;

	if (!o->errnum && (fflush(o->f) != 0 || fsync(fileno(o->f)) != 0))
		o->errnum = errno;
	if (fclose(o->f) != 0 && !o->errnum)
		o->errnum = errno;
	o->f = NULL;
	if (!o->errnum && rename(o->draft, o->path) != 0)
		o->errnum = errno;
	if (o->errnum)
		rc = cannot(e, o->path, o->errnum);
	else
		sync_folder(o->path);
	if (rc == 0) { /* nothing is left to drop */
		mem_free(o->draft);
		o->draft = NULL;
	}
	outfile_drop(o);
	return rc;
}

void outfile_drop(struct outfile *o)
{
	if (o->f)
		fclose(o->f);
	if (o->draft)
		unlink(o->draft);
	mem_free(o->path);
	mem_free(o->draft);
	*o = (struct outfile){ 0 };
}

int outfile_put(const char *dir, const char *name, struct view bytes, struct err *e)
{
	struct outfile o;
	int rc = outfile_open(&o, dir, name, e);

	if (rc)
		return rc;
	outfile_add(&o, bytes);
	return outfile_close(&o, e);
}
