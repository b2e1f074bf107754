/* main.c - the one binary */
#include "ops/verb.h"

#include <unistd.h>

int main(int argc, char **argv)
{
	return verb_main(argc, argv, environ);
}
