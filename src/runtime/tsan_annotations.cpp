// What libraries tell ThreadSanitizer when they see that they are compiled for it: order that it cannot see, and accesses that
// they mean to race. Order counts here, too; races of ignored accesses are reported all the same, since C++ knows no such
// exception.
#include "runtime/control.hpp"

namespace rt = plumb::runtime;

extern "C" {

void __tsan_acquire(void* address) {
  if (rt::exploring()) rt::g_control->acquire(address);
}
void __tsan_release(void* address) {
  if (rt::exploring()) rt::g_control->release(address);
}
void AnnotateHappensBefore(const char* /*file*/, int /*line*/, void* address) { __tsan_release(address); }
void AnnotateHappensAfter(const char* /*file*/, int /*line*/, void* address) { __tsan_acquire(address); }

void AnnotateIgnoreReadsBegin(const char* /*file*/, int /*line*/) {}
void AnnotateIgnoreReadsEnd(const char* /*file*/, int /*line*/) {}
void AnnotateIgnoreWritesBegin(const char* /*file*/, int /*line*/) {}
void AnnotateIgnoreWritesEnd(const char* /*file*/, int /*line*/) {}
void AnnotateBenignRace(const char* /*file*/, int /*line*/, void* /*address*/, const char* /*why*/) {}
void AnnotateBenignRaceSized(const char* /*file*/, int /*line*/, void* /*address*/, unsigned long /*size*/,
                             const char* /*why*/) {}
void AnnotateNewMemory(const char* /*file*/, int /*line*/, void* /*address*/, unsigned long /*size*/) {}
void AnnotateThreadName(const char* /*file*/, int /*line*/, const char* /*name*/) {}

}  // extern "C"
