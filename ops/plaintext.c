/* plaintext.c - see plaintext.h */
#include "ops/plaintext.h"

static int is_control(const unsigned char *p, size_t n)
{
	if (p[0] == 0xc2 && n > 1 && p[1] >= 0x80 && p[1] <= 0x9f)
		return 1;
	return (p[0] < 0x20 && p[0] != '\n' && p[0] != '\t') || p[0] == 0x7f;
}

void plaintext_put(FILE *to, const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	for (size_t i = 0; i < n; i++) {
		if (!is_control(u + i, n - i)) {
			putc(u[i], to);
			continue;
		}
		fprintf(to, "\\x%02x", u[i]);
		if (u[i] == 0xc2)
			fprintf(to, "\\x%02x", u[++i]);
	}
}
