/* Comes before each source that g++ instruments (cmake/explore.cmake). g++ writes small copies, comparisons and strings out as
   instructions after it has put its hooks in, so nobody would see what they touch. As calls they are seen (src/runtime/copies.cpp,
   strings.cpp, library_writes.cpp). -fno-builtin-NAME, which explore.cmake takes from the names below, does that for the plain names (not
   for strlen, which constant expressions use, and which g++ hardly ever writes out). This does it for the names that libstdc++ uses, and
   others who know the compiler. */
#ifndef PLUMB_INSTRUMENTED_H
#define PLUMB_INSTRUMENTED_H
#pragma GCC system_header

#ifdef __cplusplus
#include <stdio.h>
#include <string.h>
#include <strings.h>
#else
/* No header: what a C source defines in front of its own includes (_GNU_SOURCE, _POSIX_C_SOURCE) decides what they declare. */
void* memcpy(void* to, const void* from, __SIZE_TYPE__ size);
void* mempcpy(void* to, const void* from, __SIZE_TYPE__ size);
void* memmove(void* to, const void* from, __SIZE_TYPE__ size);
void* memset(void* to, int value, __SIZE_TYPE__ size);
int memcmp(const void* a, const void* b, __SIZE_TYPE__ size);
void* memchr(const void* from, int c, __SIZE_TYPE__ size);
int bcmp(const void* a, const void* b, __SIZE_TYPE__ size);
void bcopy(const void* from, void* to, __SIZE_TYPE__ size);
void bzero(void* to, __SIZE_TYPE__ size);
char* index(const char* string, int c);
char* rindex(const char* string, int c);
__SIZE_TYPE__ strlen(const char* string);
__SIZE_TYPE__ strnlen(const char* string, __SIZE_TYPE__ most);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, __SIZE_TYPE__ most);
int strcasecmp(const char* a, const char* b);
int strncasecmp(const char* a, const char* b, __SIZE_TYPE__ most);
char* strcpy(char* to, const char* from);
char* strncpy(char* to, const char* from, __SIZE_TYPE__ most);
char* stpcpy(char* to, const char* from);
char* stpncpy(char* to, const char* from, __SIZE_TYPE__ most);
char* strcat(char* to, const char* from);
char* strncat(char* to, const char* from, __SIZE_TYPE__ most);
char* strchr(const char* string, int c);
char* strrchr(const char* string, int c);
char* strstr(const char* string, const char* wanted);
char* strpbrk(const char* string, const char* set);
__SIZE_TYPE__ strspn(const char* string, const char* set);
__SIZE_TYPE__ strcspn(const char* string, const char* set);
char* strdup(const char* string);
char* strndup(const char* string, __SIZE_TYPE__ most);
int sprintf(char* to, const char* format, ...);
int snprintf(char* to, __SIZE_TYPE__ room, const char* format, ...);
int vsprintf(char* to, const char* format, __builtin_va_list arguments);
int vsnprintf(char* to, __SIZE_TYPE__ room, const char* format, __builtin_va_list arguments);
#endif

#ifdef __cplusplus
#define PLUMB_CALL(name) ::name
/* Constant expressions are the compiler's: there is nothing to see, and a call is none. */
#define PLUMB_CALL_UNLESS_CONSTANT(name, ...) (__builtin_is_constant_evaluated() ? __builtin_##name(__VA_ARGS__) : ::name(__VA_ARGS__))
#else
#define PLUMB_CALL(name) name
#define PLUMB_CALL_UNLESS_CONSTANT(name, ...) name(__VA_ARGS__)
#endif

#define __builtin_memcpy PLUMB_CALL(memcpy)
#define __builtin_mempcpy PLUMB_CALL(mempcpy)
#define __builtin_memmove PLUMB_CALL(memmove)
#define __builtin_memset PLUMB_CALL(memset)
#define __builtin_memcmp(...) PLUMB_CALL_UNLESS_CONSTANT(memcmp, __VA_ARGS__)
#define __builtin_memchr(...) PLUMB_CALL_UNLESS_CONSTANT(memchr, __VA_ARGS__)
#define __builtin_bcmp PLUMB_CALL(bcmp)
#define __builtin_bcopy PLUMB_CALL(bcopy)
#define __builtin_bzero PLUMB_CALL(bzero)
#define __builtin_index PLUMB_CALL(index)
#define __builtin_rindex PLUMB_CALL(rindex)
#define __builtin_strlen(...) PLUMB_CALL_UNLESS_CONSTANT(strlen, __VA_ARGS__)
#define __builtin_strnlen PLUMB_CALL(strnlen)
#define __builtin_strcmp(...) PLUMB_CALL_UNLESS_CONSTANT(strcmp, __VA_ARGS__)
#define __builtin_strncmp(...) PLUMB_CALL_UNLESS_CONSTANT(strncmp, __VA_ARGS__)
#define __builtin_strcasecmp PLUMB_CALL(strcasecmp)
#define __builtin_strncasecmp PLUMB_CALL(strncasecmp)
#define __builtin_strcpy PLUMB_CALL(strcpy)
#define __builtin_strncpy PLUMB_CALL(strncpy)
#define __builtin_stpcpy PLUMB_CALL(stpcpy)
#define __builtin_stpncpy PLUMB_CALL(stpncpy)
#define __builtin_strcat PLUMB_CALL(strcat)
#define __builtin_strncat PLUMB_CALL(strncat)
#define __builtin_strchr(...) PLUMB_CALL_UNLESS_CONSTANT(strchr, __VA_ARGS__)
#define __builtin_strrchr PLUMB_CALL(strrchr)
#define __builtin_strstr PLUMB_CALL(strstr)
#define __builtin_strpbrk PLUMB_CALL(strpbrk)
#define __builtin_strspn PLUMB_CALL(strspn)
#define __builtin_strcspn PLUMB_CALL(strcspn)
#define __builtin_strdup PLUMB_CALL(strdup)
#define __builtin_strndup PLUMB_CALL(strndup)
#define __builtin_sprintf PLUMB_CALL(sprintf)
#define __builtin_snprintf PLUMB_CALL(snprintf)
#define __builtin_vsprintf PLUMB_CALL(vsprintf)
#define __builtin_vsnprintf PLUMB_CALL(vsnprintf)

/* A pause changes nothing but how long a real processor waits, and a library that backs off makes ten thousands of them in a row before
   it yields: under exploration nobody else runs meanwhile. So there are none, neither as a builtin nor in the assembler. */
#ifdef __x86_64__
#define __builtin_ia32_pause() ((void)0)
__asm__(".macro pause\n.endm");
#endif

#endif
