// The C library's functions for strings, of char and of wchar_t: what they read and write is told to the race detector, as copies.cpp
// does for memory. Each is told what the standard lets it touch, so that no race is made up: a search ends at what it finds, a comparison
// of strings at the first difference; but strings that are searched for, and what strcoll() compares, are read to their end.
//
// The bytes are counted before they are told, since a plain access may be a point at which others go on.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "runtime/access.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

namespace {

template <class C>
void reads(const C* from, std::size_t count, const void* pc) {
  if (count != 0) rt::report_access(from, count * sizeof(C), false, pc);
}
template <class C>
void writes(const C* to, std::size_t count, const void* pc) {
  if (count != 0) rt::report_access(to, count * sizeof(C), true, pc);
}

// How many characters are looked at until one of which `is` is true, that one included; at most `most`.
template <class C, class F>
std::size_t up_to(const C* from, std::size_t most, F is) {
  std::size_t at = 0;
  while (at < most && !is(from[at])) ++at;
  return at < most ? at + 1 : most;
}
constexpr std::size_t kNoLimit = SIZE_MAX;

// Its length without the end. The compilers know this loop and would make a call of strlen() of it, which is the one below.
std::size_t length(const char* string, std::size_t most = kNoLimit) {
  return PLUMB_REAL(strnlen)(string, most);
}
std::size_t length(const wchar_t* string, std::size_t most = kNoLimit) {
  return PLUMB_REAL(wcsnlen)(string, most);
}
// With the end, unless `most` comes first.
template <class C>
std::size_t whole(const C* string, std::size_t most = kNoLimit) {
  const std::size_t count = length(string, most);
  return count < most ? count + 1 : most;
}
template <class C>
std::size_t to_character(const C* string, C wanted) {
  return up_to(string, kNoLimit, [=](C c) { return c == wanted || c == 0; });
}
template <class C>
bool among(const C* set, C wanted) {
  for (; *set != 0; ++set) {
    if (*set == wanted) return true;
  }
  return false;
}

template <class C>
void reads_whole(const C* string, const void* pc, std::size_t most = kNoLimit) {
  if (rt::exploring()) reads(string, whole(string, most), pc);
}
template <class C>
void reads_to(const C* string, C wanted, const void* pc) {
  if (rt::exploring()) reads(string, to_character(string, wanted), pc);
}

// Both, until they differ.
template <class C, class F>
void compares(const C* a, const C* b, std::size_t most, const void* pc, F same) {
  if (!rt::exploring()) return;
  std::size_t at = 0;
  while (at < most && same(a[at], b[at]) && a[at] != 0) ++at;
  const std::size_t count = at < most ? at + 1 : most;
  reads(a, count, pc);
  reads(b, count, pc);
}
template <class C>
void compares(const C* a, const C* b, std::size_t most, const void* pc) {
  compares(a, b, most, pc, [](C x, C y) { return x == y; });
}
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// `padded`: all of the room is written, whatever the length.
template <class C>
void copies(const C* to, const C* from, std::size_t most, bool padded, const void* pc) {
  if (!rt::exploring()) return;
  const std::size_t count = whole(from, most);
  reads(from, count, pc);
  writes(to, padded ? most : count, pc);
}
template <class C>
void appends(const C* to, const C* from, std::size_t most, const void* pc) {
  if (!rt::exploring()) return;
  const std::size_t count = whole(from, most);
  const std::size_t begin = length(to);
  const std::size_t added = length(from, most) + 1;
  reads(to, begin + 1, pc);
  reads(from, count, pc);
  writes(to + begin, added, pc);
}

// As far as characters are, or are not, in the set.
template <class C>
void spans(const C* string, const C* set, bool in, const void* pc) {
  if (!rt::exploring()) return;
  const std::size_t count = up_to(string, kNoLimit, [=](C c) { return c == 0 || among(set, c) != in; });
  reads(set, whole(set), pc);
  reads(string, count, pc);
}

// To the end of what was found, or to its own.
template <class C>
void searches(const C* string, const C* wanted, const C* found, const void* pc) {
  const std::size_t count =
      found == nullptr ? whole(string) : static_cast<std::size_t>(found - string) + length(wanted);
  reads(wanted, whole(wanted), pc);
  reads(string, count, pc);
}

template <class C>
C* duplicate(const C* string, std::size_t most, const void* pc) {
  const std::size_t count = length(string, most);
  reads(string, whole(string, most), pc);
  auto* block = static_cast<C*>(std::malloc((count + 1) * sizeof(C)));
  if (block == nullptr) return nullptr;
  PLUMB_REAL(memcpy)(block, string, count * sizeof(C));
  block[count] = 0;
  writes(block, count + 1, pc);
  return block;
}

// Skips what is in the set, then reads up to the next that is, and ends the token there.
char* next_token(char* string, const char* set, char** rest, const void* pc) {
  if (string == nullptr) reads(rest, 1, pc);
  char* const from = string == nullptr ? *rest : string;
  char* const begin = from + PLUMB_REAL(strspn)(from, set);
  char* const end = begin + PLUMB_REAL(strcspn)(begin, set);
  reads(set, whole(set), pc);
  reads(from, static_cast<std::size_t>(end - from) + 1, pc);
  if (*end != 0) writes(end, 1, pc);
  writes(rest, 1, pc);
  return PLUMB_REAL(strtok_r)(string, set, rest);
}

}  // namespace

// In C++ these have two declarations each, for strings that may be changed and for those that may not: the names are given to the
// linker only.
extern "C" {

const char* plumb_strchr(const char* string, int c) asm("strchr");
const char* plumb_index(const char* string, int c) asm("index");
const char* plumb_strchrnul(const char* string, int c) asm("strchrnul");
const char* plumb_strrchr(const char* string, int c) asm("strrchr");
const char* plumb_rindex(const char* string, int c) asm("rindex");
const char* plumb_strstr(const char* string, const char* wanted) asm("strstr");
const char* plumb_strcasestr(const char* string, const char* wanted) asm("strcasestr");
const char* plumb_strpbrk(const char* string, const char* set) asm("strpbrk");
const wchar_t* plumb_wcschr(const wchar_t* string, wchar_t c) asm("wcschr");
const wchar_t* plumb_wcsrchr(const wchar_t* string, wchar_t c) asm("wcsrchr");
const wchar_t* plumb_wcsstr(const wchar_t* string, const wchar_t* wanted) asm("wcsstr");
const wchar_t* plumb_wcspbrk(const wchar_t* string, const wchar_t* set) asm("wcspbrk");

std::size_t strlen(const char* string) {
  reads_whole(string, PLUMB_CALLER);
  return PLUMB_REAL(strlen)(string);
}
std::size_t strnlen(const char* string, std::size_t most) {
  reads_whole(string, PLUMB_CALLER, most);
  return PLUMB_REAL(strnlen)(string, most);
}
const char* plumb_strchr(const char* string, int c) {
  reads_to(string, static_cast<char>(c), PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_strchr, "strchr")(string, c);
}
const char* plumb_index(const char* string, int c) {
  reads_to(string, static_cast<char>(c), PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_index, "index")(string, c);
}
const char* plumb_strchrnul(const char* string, int c) {
  reads_to(string, static_cast<char>(c), PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_strchrnul, "strchrnul")(string, c);
}
const char* plumb_strrchr(const char* string, int c) {
  reads_whole(string, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_strrchr, "strrchr")(string, c);
}
const char* plumb_rindex(const char* string, int c) {
  reads_whole(string, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_rindex, "rindex")(string, c);
}
std::size_t strspn(const char* string, const char* set) {
  spans(string, set, true, PLUMB_CALLER);
  return PLUMB_REAL(strspn)(string, set);
}
std::size_t strcspn(const char* string, const char* set) {
  spans(string, set, false, PLUMB_CALLER);
  return PLUMB_REAL(strcspn)(string, set);
}
const char* plumb_strpbrk(const char* string, const char* set) {
  spans(string, set, false, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_strpbrk, "strpbrk")(string, set);
}
int strcmp(const char* a, const char* b) {
  compares(a, b, kNoLimit, PLUMB_CALLER);
  return PLUMB_REAL(strcmp)(a, b);
}
int strncmp(const char* a, const char* b, std::size_t most) {
  compares(a, b, most, PLUMB_CALLER);
  return PLUMB_REAL(strncmp)(a, b, most);
}
int strcasecmp(const char* a, const char* b) {
  compares(a, b, kNoLimit, PLUMB_CALLER, same_letter);
  return PLUMB_REAL(strcasecmp)(a, b);
}
int strncasecmp(const char* a, const char* b, std::size_t most) {
  compares(a, b, most, PLUMB_CALLER, same_letter);
  return PLUMB_REAL(strncasecmp)(a, b, most);
}
int strcoll(const char* a, const char* b) {
  reads_whole(a, PLUMB_CALLER);
  reads_whole(b, PLUMB_CALLER);
  return PLUMB_REAL(strcoll)(a, b);
}
char* strcpy(char* __restrict to, const char* __restrict from) {
  copies(to, from, kNoLimit, false, PLUMB_CALLER);
  return PLUMB_REAL(strcpy)(to, from);
}
char* stpcpy(char* __restrict to, const char* __restrict from) {
  copies(to, from, kNoLimit, false, PLUMB_CALLER);
  return PLUMB_REAL(stpcpy)(to, from);
}
char* strncpy(char* __restrict to, const char* __restrict from, std::size_t most) {
  copies(to, from, most, true, PLUMB_CALLER);
  return PLUMB_REAL(strncpy)(to, from, most);
}
char* stpncpy(char* __restrict to, const char* __restrict from, std::size_t most) {
  copies(to, from, most, true, PLUMB_CALLER);
  return PLUMB_REAL(stpncpy)(to, from, most);
}
char* strcat(char* __restrict to, const char* __restrict from) {
  appends(to, from, kNoLimit, PLUMB_CALLER);
  return PLUMB_REAL(strcat)(to, from);
}
char* strncat(char* __restrict to, const char* __restrict from, std::size_t most) {
  appends(to, from, most, PLUMB_CALLER);
  return PLUMB_REAL(strncat)(to, from, most);
}
const char* plumb_strstr(const char* string, const char* wanted) {
  const char* found = PLUMB_REAL_OF(plumb_strstr, "strstr")(string, wanted);
  if (rt::exploring()) searches(string, wanted, found, PLUMB_CALLER);
  return found;
}
const char* plumb_strcasestr(const char* string, const char* wanted) {
  const char* found = PLUMB_REAL_OF(plumb_strcasestr, "strcasestr")(string, wanted);
  if (rt::exploring()) searches(string, wanted, found, PLUMB_CALLER);
  return found;
}
char* strdup(const char* string) {
  if (!rt::exploring()) return PLUMB_REAL(strdup)(string);
  return duplicate(string, kNoLimit, PLUMB_CALLER);
}
char* strndup(const char* string, std::size_t most) {
  if (!rt::exploring()) return PLUMB_REAL(strndup)(string, most);
  return duplicate(string, most, PLUMB_CALLER);
}
std::size_t wcslen(const wchar_t* string) {
  reads_whole(string, PLUMB_CALLER);
  return PLUMB_REAL(wcslen)(string);
}
std::size_t wcsnlen(const wchar_t* string, std::size_t most) {
  reads_whole(string, PLUMB_CALLER, most);
  return PLUMB_REAL(wcsnlen)(string, most);
}
const wchar_t* plumb_wcschr(const wchar_t* string, wchar_t c) {
  reads_to(string, c, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_wcschr, "wcschr")(string, c);
}
const wchar_t* plumb_wcsrchr(const wchar_t* string, wchar_t c) {
  reads_whole(string, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_wcsrchr, "wcsrchr")(string, c);
}
std::size_t wcsspn(const wchar_t* string, const wchar_t* set) {
  spans(string, set, true, PLUMB_CALLER);
  return PLUMB_REAL(wcsspn)(string, set);
}
std::size_t wcscspn(const wchar_t* string, const wchar_t* set) {
  spans(string, set, false, PLUMB_CALLER);
  return PLUMB_REAL(wcscspn)(string, set);
}
const wchar_t* plumb_wcspbrk(const wchar_t* string, const wchar_t* set) {
  spans(string, set, false, PLUMB_CALLER);
  return PLUMB_REAL_OF(plumb_wcspbrk, "wcspbrk")(string, set);
}
int wcscmp(const wchar_t* a, const wchar_t* b) {
  compares(a, b, kNoLimit, PLUMB_CALLER);
  return PLUMB_REAL(wcscmp)(a, b);
}
int wcsncmp(const wchar_t* a, const wchar_t* b, std::size_t most) {
  compares(a, b, most, PLUMB_CALLER);
  return PLUMB_REAL(wcsncmp)(a, b, most);
}
int wcscoll(const wchar_t* a, const wchar_t* b) {
  reads_whole(a, PLUMB_CALLER);
  reads_whole(b, PLUMB_CALLER);
  return PLUMB_REAL(wcscoll)(a, b);
}
wchar_t* wcscpy(wchar_t* __restrict to, const wchar_t* __restrict from) {
  copies(to, from, kNoLimit, false, PLUMB_CALLER);
  return PLUMB_REAL(wcscpy)(to, from);
}
wchar_t* wcpcpy(wchar_t* __restrict to, const wchar_t* __restrict from) {
  copies(to, from, kNoLimit, false, PLUMB_CALLER);
  return PLUMB_REAL(wcpcpy)(to, from);
}
wchar_t* wcsncpy(wchar_t* __restrict to, const wchar_t* __restrict from, std::size_t most) {
  copies(to, from, most, true, PLUMB_CALLER);
  return PLUMB_REAL(wcsncpy)(to, from, most);
}
wchar_t* wcpncpy(wchar_t* __restrict to, const wchar_t* __restrict from, std::size_t most) {
  copies(to, from, most, true, PLUMB_CALLER);
  return PLUMB_REAL(wcpncpy)(to, from, most);
}
wchar_t* wcscat(wchar_t* __restrict to, const wchar_t* __restrict from) {
  appends(to, from, kNoLimit, PLUMB_CALLER);
  return PLUMB_REAL(wcscat)(to, from);
}
wchar_t* wcsncat(wchar_t* __restrict to, const wchar_t* __restrict from, std::size_t most) {
  appends(to, from, most, PLUMB_CALLER);
  return PLUMB_REAL(wcsncat)(to, from, most);
}
const wchar_t* plumb_wcsstr(const wchar_t* string, const wchar_t* wanted) {
  const wchar_t* found = PLUMB_REAL_OF(plumb_wcsstr, "wcsstr")(string, wanted);
  if (rt::exploring()) searches(string, wanted, found, PLUMB_CALLER);
  return found;
}
wchar_t* wcsdup(const wchar_t* string) {
  if (!rt::exploring()) return PLUMB_REAL(wcsdup)(string);
  return duplicate(string, kNoLimit, PLUMB_CALLER);
}

char* strtok_r(char* __restrict string, const char* __restrict set, char** __restrict rest) {
  if (!rt::exploring()) return PLUMB_REAL(strtok_r)(string, set, rest);
  return next_token(string, set, rest, PLUMB_CALLER);
}
// The C library keeps the rest in a variable of its own. Two threads that use it race, so it is one of ours that can.
char* strtok(char* __restrict string, const char* __restrict set) {
  static char* rest = nullptr;
  if (!rt::exploring()) return PLUMB_REAL(strtok)(string, set);
  return next_token(string, set, &rest, PLUMB_CALLER);
}

}  // extern "C"
