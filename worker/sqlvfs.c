/* sqlvfs.c - see sqlvfs.h */
#include "worker/sqlvfs.h"

#include "common/base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file {
	sqlite3_file base;
	int fd;
};

static int next_fd = -1;
static int64_t now_ms;
static struct rng chance;

void sqlvfs_file(int fd)
{
	next_fd = fd;
}

void sqlvfs_clock(int64_t unix_ms)
{
	now_ms = unix_ms;
}

void sqlvfs_reseed(void)
{
	chance.at = 0;
	sqlite3_randomness(0, NULL);
}

uint64_t sqlvfs_random(void)
{
	return rng_u64(&chance);
}

static int close_file(sqlite3_file *f)
{
	(void)f;
	return SQLITE_OK;
}

static int read_file(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	struct file *file = (struct file *)f;
	ssize_t got;

	do
		got = pread(file->fd, to, (size_t)n, at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return SQLITE_IOERR_READ;
	if (got == n)
		return SQLITE_OK;
	memset((char *)to + got, 0, (size_t)(n - got));
	return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	(void)f, (void)p, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 n)
{
	(void)f, (void)n;
	return SQLITE_READONLY;
}

static int with_int(sqlite3_file *f, int ignored)
{
	(void)f, (void)ignored;
	return SQLITE_OK;
}

/* The system call itself: the library's fstat() asks by name, which the filter of a
 * child cannot tell from asking for another file. */
static int size_of(sqlite3_file *f, sqlite3_int64 *ret)
{
	struct stat s;

	if (syscall(SYS_fstat, ((struct file *)f)->fd, &s))
		return SQLITE_IOERR_FSTAT;
	*ret = s.st_size;
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *f, int *ret)
{
	(void)f;
	*ret = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *f)
{
	(void)f;
	return 4096;
}

static int traits(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = with_int,
	.xFileSize = size_of,
	.xLock = with_int,
	.xUnlock = with_int,
	.xCheckReservedLock = is_reserved,
	.xFileControl = control,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = traits,
};

static int open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags,
		     int *ret_flags)
{
	(void)v, (void)name;
	f->pMethods = NULL;
	if (!(flags & SQLITE_OPEN_MAIN_DB) || next_fd < 0)
		return SQLITE_CANTOPEN;
	((struct file *)f)->fd = next_fd;
	next_fd = -1;
	f->pMethods = &methods;
	if (ret_flags)
		*ret_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
	return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *v, const char *name, int sync)
{
	(void)v, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

static int exists(sqlite3_vfs *v, const char *name, int flags, int *ret)
{
	(void)v, (void)name, (void)flags;
	*ret = 0;
	return SQLITE_OK;
}

static int full_name(sqlite3_vfs *v, const char *name, int n, char *ret)
{
	(void)v;
	sqlite3_snprintf(n, ret, "%s", name);
	return SQLITE_OK;
}

static int randomness(sqlite3_vfs *v, int n, char *ret)
{
	(void)v;
	for (int i = 0; i < n; i += 8) {
		uint64_t u = rng_u64(&chance);

		memcpy(ret + i, &u, (size_t)(n - i < 8 ? n - i : 8));
	}
	return n;
}

static int sleep_not(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

static int time_ms(sqlite3_vfs *v, sqlite3_int64 *ret)
{
	(void)v;
	*ret = now_ms + 210866760000000; /* the Julian day of 1970 in ms */
	return SQLITE_OK;
}

static int time_days(sqlite3_vfs *v, double *ret)
{
	sqlite3_int64 ms;

	time_ms(v, &ms);
	*ret = (double)ms / 86400000.0;
	return SQLITE_OK;
}

static int last_error(sqlite3_vfs *v, int n, char *text)
{
	(void)v, (void)n, (void)text;
	return 0;
}

static sqlite3_vfs vfs = {
	.iVersion = 2,
	.szOsFile = sizeof(struct file),
	.mxPathname = 64,
	.zName = "mapfleet",
	.xOpen = open_file,
	.xDelete = delete_file,
	.xAccess = exists,
	.xFullPathname = full_name,
	.xRandomness = randomness,
	.xSleep = sleep_not,
	.xCurrentTime = time_days,
	.xGetLastError = last_error,
	.xCurrentTimeInt64 = time_ms,
};

int sqlvfs_register(void)
{
	sqlite3_vfs *other;

	rng_init(&chance, "sql", 0, (struct view){ "", 0 }, 0);
	/* The others go: not even a bug of ours can open a file by name. */
	while ((other = sqlite3_vfs_find(NULL)) && other != &vfs)
		sqlite3_vfs_unregister(other);
	return sqlite3_vfs_register(&vfs, 1);
}
