/* main.c - the one binary */
#include <stdio.h>

int main(void)
{
	puts("mapfleet " MAPFLEET_VERSION);
	return 0;
}
