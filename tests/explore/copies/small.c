/* Small copies in C. _GNU_SOURCE must count although something is included before it: cmake/instrumented.h. */
#define _GNU_SOURCE
#include "explore/copies/small.h"

#include <sched.h>
#include <string.h>

int c_copy_of(const struct CTriple* triple) {
  struct CTriple copy = *triple;
  return copy.a + copy.b + copy.c;
}
void c_clear(struct CTriple* triple) {
  const struct CTriple zero = {0, 0, 0};
  memcpy(triple, &zero, sizeof zero);
}
int c_is_zero(const struct CTriple* triple) {
  const struct CTriple zero = {0, 0, 0};
  return memcmp(triple, &zero, sizeof zero) == 0;
}
int c_is_hello(const char* text) { return strcmp(text, "hello") == 0; }
void c_say_hello(char* text) { strcpy(text, "hello"); }

int c_needs_gnu_source(cpu_set_t* set) { return CPU_COUNT(set); }
