/* textfile.c - see textfile.h */
#include "ops/textfile.h"

#include "common/base/buf.h"
#include "common/base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int slurp(const char *path, struct buf *b, struct err *e)
{
	char part[65536];
	struct stat st;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode))) {
		close(fd);
		return err_set(e, ERR_INPUT, "%s: %s", path,
			       S_ISDIR(st.st_mode)
				       ? "is a folder, a file is wanted"
				       : "is a pipe; what is read more than "
					 "once must be a file");
	}
	while (!b->bad && (n = read(fd, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		buf_add(b, part, (size_t)n);
	}
	if (n < 0)
		err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	close(fd);
	if (n < 0)
		return ERR_INPUT;
	return b->bad ? err_set(e, b->bad, "%s: too large to read", path) : 0;
}

static const char *foreign(struct view v)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *what;
	} kinds[] = {
		{ "\xff\xfe\0\0", 4, "UTF-32 text" },
		{ "\xff\xfe", 2, "UTF-16 text (little endian)" },
		{ "\xfe\xff", 2, "UTF-16 text (big endian)" },
		{ "\x1f\x8b", 2, "packed by gzip" },
		{ "\x28\xb5\x2f\xfd", 4, "packed by zstd" },
		{ "PK\x03\x04", 4, "a zip archive" },
		{ "SQLite format 3", 16, "an SQLite database" },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (v.n >= kinds[i].n && memcmp(v.p, kinds[i].magic, kinds[i].n) == 0)
			return kinds[i].what;
	/* Without a mark: text in Latin letters has every other byte zero. */
	if (v.n >= 4 && !v.p[1] && !v.p[3] && v.p[0] && v.p[2])
		return "UTF-16 text (little endian)";
	if (v.n >= 4 && !v.p[0] && !v.p[2] && v.p[1] && v.p[3])
		return "UTF-16 text (big endian)";
	return NULL;
}

int textfile_read(struct arena *a, const char *path, struct textfile *ret,
		  struct err *e)
{
	struct buf b = { .max = TEXTFILE_BYTES };
	struct textfile f = { 0 };
	const char *what;
	int rc = slurp(path, &b, e);

	if (rc)
		goto out;
	f.text = buf_view(&b);
	what = foreign(f.text);
	if (what) {
		rc = err_set(e, ERR_INPUT, "%s: is %s; UTF-8 text is wanted", path,
			     what);
		goto out;
	}
	f.hash = hash_of(f.text.p, f.text.n);
	if (f.text.n >= 3 && memcmp(f.text.p, "\xef\xbb\xbf", 3) == 0)
		f.text.p += 3, f.text.n -= 3;
	f.path = arena_str(a, path);
	f.text.p = arena_dup(a, f.text.p ? f.text.p : "", f.text.n);
	if (!f.path || !f.text.p)
		rc = err_set(e, ERR_NOMEM, "%s", path);
	else
		*ret = f;
out:
	buf_free(&b);
	return rc;
}

int textfile_line(const struct textfile *f, size_t *at, struct line *l)
{
	const char *p = f->text.p + *at, *nl;
	size_t left = f->text.n - *at, n;

	if (*at == 0)
		l->number = 0;
	if (left == 0)
		return 0;
	nl = memchr(p, '\n', left);
	n = nl ? (size_t)(nl - p) : left;
	*at += n + (nl != NULL);
	if (n && p[n - 1] == '\r')
		n--;
	l->text = (struct view){ p, n };
	l->number++;
	return 1;
}

int line_is_blank(const struct line *l)
{
	for (size_t i = 0; i < l->text.n; i++)
		if (!strchr(" \t\r\v\f", l->text.p[i]))
			return 0;
	return 1;
}

const char *excerpt(struct view text, char ret[EXCERPT + 4])
{
	size_t n = utf8_cut(text, EXCERPT).n;

	for (size_t i = 0; i < n; i++)
		ret[i] = (unsigned char)text.p[i] < 32 ? ' ' : text.p[i];
	memcpy(ret + n, text.n > EXCERPT ? "..." : "", text.n > EXCERPT ? 4 : 1);
	return ret;
}
