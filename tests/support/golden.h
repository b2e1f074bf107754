/* golden.h - text that must stay as it is
 *
 * golden_check("results/table.txt", text) compares with tests/golden/results/table.txt
 * and fails the running cmocka test with the first line that differs. With
 * UPDATE_GOLDEN=1 in the environment it writes the file instead.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

void golden_check(const char *name, const char *text);

#endif
