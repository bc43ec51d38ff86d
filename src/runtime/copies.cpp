// memcpy, memset, memcmp and the rest of them: what they read and write is told to the race detector, as plain accesses are. The
// compilers leave the calls as they are (cmake/instrumented.h; clang makes copies of structures of them, too), and so do libraries that
// are not instrumented: whoever calls, it is the program's memory. The C library's own calls do not come here.
#include <strings.h>

#include <cstring>
#include <cwchar>

#include "runtime/access.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

namespace {

void copies(const void* to, const void* from, std::size_t size, const void* pc) {
  if (size == 0 || !rt::exploring()) return;
  rt::report_access(from, size, false, pc);
  rt::report_access(to, size, true, pc);
}
void sets(const void* to, std::size_t size, const void* pc) {
  if (size != 0 && rt::exploring()) rt::report_access(to, size, true, pc);
}
void reads(const void* from, std::size_t size, const void* pc) {
  if (size != 0 && rt::exploring()) rt::report_access(from, size, false, pc);
}
// All of both, wherever they differ: unlike a search, it may look at all of them.
void compares(const void* a, const void* b, std::size_t size, const void* pc) {
  if (size == 0 || !rt::exploring()) return;
  rt::report_access(a, size, false, pc);
  rt::report_access(b, size, false, pc);
}

// How many of the bytes are read until one is found, that one included.
std::size_t up_to(const void* begin, const void* found, std::size_t size) {
  if (found == nullptr) return size;
  return static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(begin)) + 1;
}
std::size_t wide(std::size_t count) { return count * sizeof(wchar_t); }

}  // namespace

extern "C" {

// In C++ most of these have two declarations each, for memory that may be changed and for that which may not: the names are given to the
// linker only.
const void* plumb_memchr(const void* from, int c, std::size_t size) asm("memchr");
const void* plumb_rawmemchr(const void* from, int c) asm("rawmemchr");
const void* plumb_memrchr(const void* from, int c, std::size_t size) asm("memrchr");
void plumb_explicit_bzero(void* to, std::size_t size) asm("explicit_bzero");
const wchar_t* plumb_wmemchr(const wchar_t* from, wchar_t c, std::size_t count) asm("wmemchr");
void* __memcpy_chk(void* __restrict to, const void* __restrict from, std::size_t size, std::size_t room);
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room);
void* __memset_chk(void* to, int value, std::size_t size, std::size_t room);

void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memcpy)(to, from, size);
}
void* memmove(void* to, const void* from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memmove)(to, from, size);
}
void* memset(void* to, int value, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  return PLUMB_REAL(memset)(to, value, size);
}

void* mempcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(mempcpy)(to, from, size);
}
void* memccpy(void* __restrict to, const void* __restrict from, int c, std::size_t size) {
  copies(to, from, up_to(from, PLUMB_REAL_OF(plumb_memchr, "memchr")(from, c, size), size), PLUMB_CALLER);
  return PLUMB_REAL(memccpy)(to, from, c, size);
}
void bcopy(const void* from, void* to, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  PLUMB_REAL(bcopy)(from, to, size);
}
void bzero(void* to, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  PLUMB_REAL(bzero)(to, size);
}
void plumb_explicit_bzero(void* to, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  PLUMB_REAL_OF(plumb_explicit_bzero, "explicit_bzero")(to, size);
}

int memcmp(const void* a, const void* b, std::size_t size) {
  compares(a, b, size, PLUMB_CALLER);
  return PLUMB_REAL(memcmp)(a, b, size);
}
int bcmp(const void* a, const void* b, std::size_t size) {
  compares(a, b, size, PLUMB_CALLER);
  return PLUMB_REAL(bcmp)(a, b, size);
}
const void* plumb_memchr(const void* from, int c, std::size_t size) {
  const void* found = PLUMB_REAL_OF(plumb_memchr, "memchr")(from, c, size);
  reads(from, up_to(from, found, size), PLUMB_CALLER);
  return found;
}
const void* plumb_rawmemchr(const void* from, int c) {
  const void* found = PLUMB_REAL_OF(plumb_rawmemchr, "rawmemchr")(from, c);
  reads(from, up_to(from, found, 0), PLUMB_CALLER);
  return found;
}
const void* plumb_memrchr(const void* from, int c, std::size_t size) {
  const void* found = PLUMB_REAL_OF(plumb_memrchr, "memrchr")(from, c, size);
  const std::size_t before = found == nullptr ? 0 : up_to(from, found, size) - 1;
  reads(static_cast<const char*>(from) + before, size - before, PLUMB_CALLER);
  return found;
}
void* memmem(const void* from, std::size_t size, const void* wanted, std::size_t wanted_size) {
  void* found = PLUMB_REAL(memmem)(from, size, wanted, wanted_size);
  reads(wanted, wanted_size, PLUMB_CALLER);
  reads(from, found == nullptr ? size : up_to(from, found, size) - 1 + wanted_size, PLUMB_CALLER);
  return found;
}

wchar_t* wmemcpy(wchar_t* __restrict to, const wchar_t* __restrict from, std::size_t count) {
  copies(to, from, wide(count), PLUMB_CALLER);
  return PLUMB_REAL(wmemcpy)(to, from, count);
}
wchar_t* wmempcpy(wchar_t* __restrict to, const wchar_t* __restrict from, std::size_t count) {
  copies(to, from, wide(count), PLUMB_CALLER);
  return PLUMB_REAL(wmempcpy)(to, from, count);
}
wchar_t* wmemmove(wchar_t* to, const wchar_t* from, std::size_t count) {
  copies(to, from, wide(count), PLUMB_CALLER);
  return PLUMB_REAL(wmemmove)(to, from, count);
}
wchar_t* wmemset(wchar_t* to, wchar_t value, std::size_t count) {
  sets(to, wide(count), PLUMB_CALLER);
  return PLUMB_REAL(wmemset)(to, value, count);
}
int wmemcmp(const wchar_t* a, const wchar_t* b, std::size_t count) {
  compares(a, b, wide(count), PLUMB_CALLER);
  return PLUMB_REAL(wmemcmp)(a, b, count);
}
const wchar_t* plumb_wmemchr(const wchar_t* from, wchar_t c, std::size_t count) {
  const wchar_t* found = PLUMB_REAL_OF(plumb_wmemchr, "wmemchr")(from, c, count);
  reads(from, found == nullptr ? wide(count) : wide(static_cast<std::size_t>(found - from) + 1),
        PLUMB_CALLER);
  return found;
}

// What libraries call that were compiled with _FORTIFY_SOURCE.
void* __memcpy_chk(void* __restrict to, const void* __restrict from, std::size_t size, std::size_t room) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(__memcpy_chk)(to, from, size, room);
}
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(__memmove_chk)(to, from, size, room);
}
void* __memset_chk(void* to, int value, std::size_t size, std::size_t room) {
  sets(to, size, PLUMB_CALLER);
  return PLUMB_REAL(__memset_chk)(to, value, size, room);
}

// The names that clang calls from version 15 on.
void* __tsan_memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memcpy)(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memmove)(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  return PLUMB_REAL(memset)(to, value, size);
}

}  // extern "C"
