/* filehash.c - see filehash.h */
#include "common/base/filehash.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int hash_of_file(const char *path, struct hash *ret, uint64_t *ret_size, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t size = 0;
	char chunk[1 << 16];
	struct hasher h;
	ssize_t n;

	if (fd < 0)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	hash_begin(&h);
	while ((n = read(fd, chunk, sizeof chunk)) > 0) {
		hash_raw(&h, chunk, (size_t)n);
		size += (uint64_t)n;
	}
	if (n < 0)
		err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	close(fd);
	if (n < 0)
		return ERR_INPUT;
	*ret = hash_end(&h);
	if (ret_size)
		*ret_size = size;
	return 0;
}
