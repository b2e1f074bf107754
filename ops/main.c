/* main.c - the one binary
 *
 * OpenBLAS starts its threads before main(), where the environment does not say
 * otherwise, and they spin for a while; here only a worker's searcher multiplies, a few
 * rows at a time. So the program begins again with one thread, once; whoever sets the
 * variable has it as it is.
 */
#include "ops/verb.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static void one_blas_thread(char **argv)
{
	char path[PATH_MAX]; /* its own, for it is what people see in ps */
	ssize_t n;

	if (getenv("OPENBLAS_NUM_THREADS") || setenv("OPENBLAS_NUM_THREADS", "1", 1))
		return;
	n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	execv(path, argv); /* where it fails, threads spin: no harm */
}

int main(int argc, char **argv)
{
	one_blas_thread(argv);
	return verb_main(argc, argv, environ);
}
