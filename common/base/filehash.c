/* filehash.c - see filehash.h */
#include "common/base/filehash.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int hash_of_fd(int fd, struct hash *ret, uint64_t *ret_size)
{
	char chunk[1 << 16];
	struct hasher h;
	ssize_t n;
	off_t at = 0;

	hash_begin(&h);
	while ((n = pread(fd, chunk, sizeof chunk, at)) > 0) {
		hash_raw(&h, chunk, (size_t)n);
		at += n;
	}
	if (n < 0)
		return ERR_INPUT;
	*ret = hash_end(&h);
	if (ret_size)
		*ret_size = (uint64_t)at;
	return 0;
}

int hash_of_file(const char *path, struct hash *ret, uint64_t *ret_size, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? ERR_INPUT : hash_of_fd(fd, ret, ret_size);

	if (rc)
		err_set(e, rc, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}
