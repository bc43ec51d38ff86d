/* What small.cpp asks of code in C. */
#ifndef PLUMB_TESTS_SMALL_H
#define PLUMB_TESTS_SMALL_H

struct CTriple {
  int a, b, c;
};

#ifdef __cplusplus
extern "C" {
#endif
int c_copy_of(const struct CTriple* triple);
void c_clear(struct CTriple* triple);
int c_is_zero(const struct CTriple* triple);
int c_is_hello(const char* text);
void c_say_hello(char* text);
#ifdef __cplusplus
}
#endif

#endif
