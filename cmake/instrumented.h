/* Comes before each source that g++ instruments (cmake/explore.cmake). g++ writes small copies, comparisons and strings out as
   instructions after it has put its hooks in, so nobody would see what they touch. As calls they are seen (src/runtime/copies.cpp,
   strings.cpp). -fno-builtin-NAME, which explore.cmake takes from the names below, does that for the plain names. This does it for the
   names that libstdc++ uses, and others who know the compiler. */
#ifndef PLUMB_INSTRUMENTED_H
#define PLUMB_INSTRUMENTED_H
#pragma GCC system_header

#ifdef __cplusplus
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
#endif

#define __builtin_memcpy memcpy
#define __builtin_mempcpy mempcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin_memcmp memcmp
#define __builtin_memchr memchr
#define __builtin_bcmp bcmp
#define __builtin_bcopy bcopy
#define __builtin_bzero bzero
#define __builtin_index index
#define __builtin_rindex rindex
#define __builtin_strlen strlen
#define __builtin_strnlen strnlen
#define __builtin_strcmp strcmp
#define __builtin_strncmp strncmp
#define __builtin_strcasecmp strcasecmp
#define __builtin_strncasecmp strncasecmp
#define __builtin_strcpy strcpy
#define __builtin_strncpy strncpy
#define __builtin_stpcpy stpcpy
#define __builtin_stpncpy stpncpy
#define __builtin_strcat strcat
#define __builtin_strncat strncat
#define __builtin_strchr strchr
#define __builtin_strrchr strrchr
#define __builtin_strstr strstr
#define __builtin_strpbrk strpbrk
#define __builtin_strspn strspn
#define __builtin_strcspn strcspn
#define __builtin_strdup strdup
#define __builtin_strndup strndup

#endif
