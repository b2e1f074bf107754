/* doctor.c - see doctor.h; the endpoint is in doctor_endpoint.c */
#include "ops/doctor.h"

#include "ops/schemaread.h"
#include "worker/sqlbox.h"

#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>
#include <zmq.h>
#include <zstd.h>

void doctor_library(struct checks *c, const char *name, int have, int need,
		    const char *shown, const char *package)
{
	char mend[200];

	snprintf(mend, sizeof mend, "./ops/setup, or apt-get install %s", package);
	check_line(c, have >= need ? CHECK_OK : CHECK_FAIL, "packages", mend, "%s %s%s",
		   name, shown, have >= need ? "" : " is too old");
}

void doctor_libraries(struct checks *c)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	int major, minor, patch;
	char zmq[32];

	doctor_library(c, "SQLite", sqlite3_libversion_number(), 3040000,
		       sqlite3_libversion(), "libsqlite3-0");
	zmq_version(&major, &minor, &patch);
	snprintf(zmq, sizeof zmq, "%d.%d.%d", major, minor, patch);
	doctor_library(c, "ZeroMQ", major * 100 + minor, 403, zmq, "libzmq5");
	doctor_library(c, "libuv", (int)uv_version(), 1 << 16 | 44 << 8,
		       uv_version_string(), "libuv1");
	doctor_library(c, "zstd", (int)ZSTD_versionNumber(), 10400,
		       ZSTD_versionString(), "libzstd1");
	doctor_library(c, "curl", (int)curl->version_num, 0x074000, curl->version,
		       "libcurl4");
	check_line(c, curl->features & CURL_VERSION_SSL ? CHECK_OK : CHECK_NOTE,
		   "packages", "apt-get install libcurl4 ca-certificates",
		   "curl's TLS: %s", curl->ssl_version ? curl->ssl_version : "none");
}

void doctor_sqlite(struct checks *c)
{
	static const char *const asks[] = { "SELECT \"no column, a string\"",
					    "SELECT json_extract('{\"a\":1}', '$.a')",
					    "SELECT sqrt(2.0)" };
	static const char *const what[] = { "double-quoted strings", "JSON functions",
					    "mathematical functions" };
	sqlite3 *db = NULL;

	sqlite3_open(":memory:", &db);
	for (size_t i = 0; i < 3; i++) {
		int bad = sqlite3_exec(db, asks[i], NULL, NULL, NULL) != SQLITE_OK;

		check_line(c, bad ? CHECK_FAIL : CHECK_OK, "sqlite",
			   "use Debian's libsqlite3-0: this build lacks them, and gold "
			   "SQL of the "
			   "benchmarks needs them",
			   "%s: %s", what[i], bad ? sqlite3_errmsg(db) : "yes");
	}
	sqlite3_close(db);
}

/* ---- sandbox ---- */

static void locked_in(int fd, int try_to_open)
{
	struct err e;
	char said = 'y';

	signal(SIGSYS, SIG_DFL);
	if (sqlbox_enter(fd, 0, &e))
		_exit(2);
	if (try_to_open && open("/etc/passwd", O_RDONLY) >= 0)
		said = 'n';
	if (write(fd, &said, 1) != 1)
		_exit(3);
	_exit(0);
}

/* The status of a child in the box, -1: none could be made. *ret_said: its byte, or 0.
 */
static int try_box(int try_to_open, char *ret_said)
{
	struct rlimit none = { 0, 0 };
	int pair[2], status = -1;
	pid_t pid;

	*ret_said = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	pid = fork();
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		locked_in(pair[1], try_to_open);
	}
	close(pair[1]);
	if (pid > 0) {
		if (read(pair[0], ret_said, 1) != 1)
			*ret_said = 0;
		waitpid(pid, &status, 0);
	}
	close(pair[0]);
	return status;
}

void doctor_sandbox(struct checks *c)
{
	static const char mend[] =
		"the kernel must have seccomp filters; in a container allow the "
		"seccomp system call";
	char said;
	int status = try_box(0, &said);

	if (status != 0 || said != 'y') {
		check_line(c, CHECK_FAIL, "sandbox", mend,
			   "a process cannot be locked in");
		return;
	}
	status = try_box(1, &said);
	if (said == 'n')
		check_line(c, CHECK_FAIL, "sandbox", mend,
			   "a locked-in process opened a file");
	else
		check_line(c, CHECK_OK, "sandbox", NULL, "a locked-in process %s",
			   WIFSIGNALED(status) ? "that opens a file is killed"
					       : "cannot open a file");
}

/* ---- sockets ---- */

static int try_socket(const char *folder, const char **ret_why)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), bad;

	if (fd < 0) {
		*ret_why = strerror(errno);
		return 0;
	}
	bad = snprintf(at.sun_path, sizeof at.sun_path, "%s/mapfleet-doctor-%d", folder,
		       (int)getpid()) >= (int)sizeof at.sun_path;
	if (bad) {
		*ret_why = "the path is longer than a socket's may be";
	} else if (bind(fd, (struct sockaddr *)&at, sizeof at)) {
		*ret_why = strerror(errno);
		bad = 1;
	} else {
		unlink(at.sun_path);
	}
	close(fd);
	return !bad;
}

void doctor_sockets(struct checks *c, const char *folder, unsigned long connections)
{
	struct rlimit files = { 0, 0 };
	unsigned long need = connections + 100;
	const char *why = "";
	char mend[100];

	if (try_socket(folder, &why))
		check_line(c, CHECK_OK, "sockets", NULL,
			   "%s: a local socket can be made", folder);
	else
		check_line(c, CHECK_FAIL, "sockets", "make the folder writable for you",
			   "%s: %s", folder, why);
	getrlimit(RLIMIT_NOFILE, &files);
	snprintf(mend, sizeof mend, "ulimit -n %lu, or fewer --max-connections", need);
	check_line(c, files.rlim_cur >= need ? CHECK_OK : CHECK_FAIL, "sockets", mend,
		   "%lu files may be open, %lu are wanted",
		   (unsigned long)files.rlim_cur, need);
}

/* ---- disk ---- */

static const char *network(const char *folder)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} kinds[] = { { 0x6969, "NFS" },        { 0xff534d42, "SMB" },
		      { 0xfe534d42, "SMB" },    { 0x517b, "SMB" },
		      { 0x5346414f, "AFS" },    { 0x00c36400, "Ceph" },
		      { 0x0bd00bd0, "Lustre" }, { 0x01021997, "9P" } };
	struct statfs st;

	if (statfs(folder, &st))
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((unsigned long)st.f_type == kinds[i].magic)
			return kinds[i].name;
	return NULL;
}

void doctor_disk(struct checks *c, const char *folder)
{
	const char *net = network(folder);
	struct statvfs st;
	double mb;

	if (access(folder, W_OK | X_OK)) {
		check_line(c, CHECK_FAIL, "disk",
			   "say an --output-dir that you may write to", "%s: %s",
			   folder, strerror(errno));
		return;
	}
	mb = statvfs(folder, &st) ? 0 : (double)st.f_bavail * (double)st.f_frsize / 1e6;
	check_line(c, mb >= 100 ? CHECK_OK : CHECK_FAIL, "disk",
		   "make room: a journal needs 100 MB", "%s: %.0f MB free", folder, mb);
	check_line(c, net ? CHECK_FAIL : CHECK_OK, "disk",
		   "a journal on a network file system is refused: use a disk of this "
		   "machine",
		   "%s: %s%s", folder, net ? "is on " : "is on a disk of this machine",
		   net ? net : "");
}

/* ---- databases ---- */

static int deep_check(struct checks *c, const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *q = NULL;
	struct err e = { 0 };
	const char *said = NULL;
	int rc = database_check(path, &e);

	if (rc) {
		check_line(c, CHECK_FAIL, "databases", "fetch it again", "%s", e.text);
		return 0;
	}
	rc = database_open_quietly(path, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &q, NULL);
	if (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
		said = (const char *)sqlite3_column_text(q, 0);
	rc = said && strcmp(said, "ok") == 0;
	if (!rc)
		check_line(c, CHECK_FAIL, "databases", "fetch it again", "%s: %s", path,
			   said ? said : sqlite3_errmsg(db));
	sqlite3_finalize(q);
	sqlite3_close(db);
	return rc;
}

void doctor_databases(struct checks *c, const struct databases_how *how)
{
	struct arena a = { 0 };
	DIR *d = opendir(how->dir);
	struct dirent *entry;
	uint32_t n = 0, sound = 0;

	if (!d) {
		check_line(c, CHECK_FAIL, "databases",
			   "say --databases with the folder of "
			   "DB_ID/DB_ID.sqlite",
			   "%s: %s", how->dir, strerror(errno));
		return;
	}
	while ((entry = readdir(d))) {
		char name[256];
		const char *path;
		char *dot;

		snprintf(name, sizeof name, "%s", entry->d_name);
		dot = strrchr(name, '.');
		if (dot && strcmp(dot, ".sqlite") == 0)
			*dot = 0;
		path = name[0] == '.' ? NULL : database_path(&a, how, view_of(name));
		if (!path)
			continue;
		n++;
		sound += (uint32_t)deep_check(c, path);
	}
	closedir(d);
	arena_free(&a);
	if (n == 0)
		check_line(c, CHECK_FAIL, "databases",
			   "say the folder of DB_ID/DB_ID.sqlite",
			   "%s: no database in it", how->dir);
	else if (sound == n)
		check_line(c, CHECK_OK, "databases", NULL, "%s: %u of %u are sound",
			   how->dir, sound, n);
}
