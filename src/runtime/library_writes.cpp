// Functions of the C library that write the program's memory, beside those for memory and strings (copies.cpp, strings.cpp): text that is
// formatted, arrays that are sorted. What they write is told to the race detector; how long a text is, is found out before it is told.
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "runtime/access.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

#define PLUMB_CALLER __builtin_return_address(0)

namespace {

// With the end, as far as there is room.
void prints(const char* to, std::size_t room, const char* format, va_list arguments, const void* pc) {
  if (!rt::exploring()) return;
  va_list again;
  va_copy(again, arguments);
  const int length = PLUMB_REAL(vsnprintf)(nullptr, 0, format, again);
  va_end(again);
  const std::size_t bytes = length < 0 ? 0 : static_cast<std::size_t>(length) + 1;
  if (bytes != 0 && room != 0) rt::report_access(to, bytes < room ? bytes : room, true, pc);
}
constexpr std::size_t kAnyRoom = SIZE_MAX;  // of callers that do not say how much there is

// To sort an array is to write all of it, whatever order it was in: the C library copies it back and forth.
void sorts(void* array, std::size_t count, std::size_t size, const void* pc) {
  if (count > 1 && size != 0 && rt::exploring()) rt::report_access(array, count * size, true, pc);
}

}  // namespace

extern "C" {

int vsnprintf(char* to, std::size_t room, const char* format, va_list arguments) {
  prints(to, room, format, arguments, PLUMB_CALLER);
  return PLUMB_REAL(vsnprintf)(to, room, format, arguments);
}
int snprintf(char* to, std::size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  prints(to, room, format, arguments, PLUMB_CALLER);
  const int length = PLUMB_REAL(vsnprintf)(to, room, format, arguments);
  va_end(arguments);
  return length;
}
int vsprintf(char* to, const char* format, va_list arguments) {
  prints(to, kAnyRoom, format, arguments, PLUMB_CALLER);
  return PLUMB_REAL(vsprintf)(to, format, arguments);
}
int sprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  prints(to, kAnyRoom, format, arguments, PLUMB_CALLER);
  const int length = PLUMB_REAL(vsprintf)(to, format, arguments);
  va_end(arguments);
  return length;
}

void qsort(void* array, std::size_t count, std::size_t size, int (*compare)(const void*, const void*)) {
  sorts(array, count, size, PLUMB_CALLER);
  PLUMB_REAL(qsort)(array, count, size, compare);
}
void qsort_r(void* array, std::size_t count, std::size_t size,
             int (*compare)(const void*, const void*, void*), void* argument) {
  sorts(array, count, size, PLUMB_CALLER);
  PLUMB_REAL(qsort_r)(array, count, size, compare, argument);
}

}  // extern "C"
