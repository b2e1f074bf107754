/* tempdir.c - see tempdir.h */
#include "ops/tempdir.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tempdir_make(char ret[TEMPDIR_PATH], struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char dir[TEMPDIR_PATH];

	*ret = 0;
	snprintf(dir, sizeof dir, "%s/mapfleet-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return err_set(e, ERR_STORE, "%s: %s", dir, strerror(errno));
	memcpy(ret, dir, sizeof dir);
	return 0;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
	(void)s, (void)type, (void)f;
	return remove(path);
}

void tempdir_remove(const char *dir)
{
	if (*dir)
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
