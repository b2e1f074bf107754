/* replay.c - runs a fuzz target over every file of a folder, so that ctest keeps each
 * past find; a folder that is empty or missing is an error, not a pass */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>

static int replay_file(const char *dir, const char *name)
{
	static uint8_t bytes[1 << 20];
	char path[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f)
		return 0;
	n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	LLVMFuzzerTestOneInput(bytes, n);
	return 1;
}

int main(int argc, char **argv)
{
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *e;
	int passed = 0;

	if (!d) {
		fprintf(stderr, "usage: replay CORPUS-FOLDER (which must exist)\n");
		return 1;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			passed += replay_file(argv[1], e->d_name);
	closedir(d);
	printf("%d passed, 0 failed\n", passed);
	return passed == 0;
}
