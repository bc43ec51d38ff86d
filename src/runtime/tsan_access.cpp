// The compiler's hooks for plain accesses: each is told to the race detector, none is a scheduling point. Function
// entries, and g++'s and clang's start-up calls, need nothing here.
#include "runtime/access.hpp"
#include "runtime/access_log.hpp"
#include "runtime/pause.hpp"
#include "runtime/reached_code.hpp"

namespace plumb::runtime {

static_assert(offsetof(LoggedAccess, size) == 8 && offsetof(LoggedAccess, write) == 12 &&
              sizeof(LoggedAccess) == 16);
static_assert(kReachedBytes == 0x1fffff + 1);

extern "C" {
LoggedAccess* plumb_log_next = nullptr;
LoggedAccess* plumb_log_end = nullptr;
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

namespace {

inline void access(const void* address, std::size_t size, bool write, const void* pc) {
  if (!rt::exploring()) return rt::maybe_pause();
  rt::g_is_instrumented = true;
  rt::note_reached(pc);
  rt::report_access(address, size, write, pc);
}

// To the race detector it is a write. Where values are shown as they are asked for, the one that is read has to be, too.
inline void update(const void* address, std::size_t size, const void* pc) {
  if (rt::exploring() && !rt::g_control->shows_memory_as_it_is()) access(address, size, false, pc);
  access(address, size, true, pc);
}

}  // namespace

// Where accesses are logged that is all a hook does, and it uses no stack (access_log.hpp); else it is the function plumb_….
#define PLUMB_LOGGED(name, bytes, write)                         \
  asm(".text\n"                                                  \
      ".globl __tsan_" #name                                     \
      "\n"                                                       \
      ".type __tsan_" #name ", @function\n__tsan_" #name         \
      ":\n"                                                      \
      "  movq plumb_log_next(%rip), %rax\n"                      \
      "  cmpq plumb_log_end(%rip), %rax\n"                       \
      "  jae plumb_" #name                                       \
      "\n"                                                       \
      "  cmpb $0, _ZN5plumb7runtime11g_in_engineE(%rip)\n"       \
      "  jne plumb_" #name                                       \
      "\n"                                                       \
      "  movq _ZN5plumb7runtime7t_fiberE@gottpoff(%rip), %rcx\n" \
      "  cmpl $0, %fs:(%rcx)\n"                                  \
      "  jl plumb_" #name                                        \
      "\n"                                                       \
      "  movq %rdi, 0(%rax)\n"                                   \
      "  movl $" #bytes                                          \
      ", 8(%rax)\n"                                              \
      "  movl $" #write                                          \
      ", 12(%rax)\n"                                             \
      "  movq (%rsp), %rcx\n"                                    \
      "  andl $0x1fffff, %ecx\n"                                 \
      "  addq plumb_reached(%rip), %rcx\n"                       \
      "  movb $1, (%rcx)\n"                                      \
      "  addq $16, %rax\n"                                       \
      "  movq %rax, plumb_log_next(%rip)\n"                      \
      "  xorl %eax, %eax\n"                                      \
      "  xorl %ecx, %ecx\n"                                      \
      "  ret\n"                                                  \
      ".size __tsan_" #name ", .-__tsan_" #name "\n")
#define PLUMB_ACCESS(name, bytes, writes)                                                   \
  extern "C" void __attribute__((visibility("hidden"), used)) plumb_##name(void* address) { \
    access(address, bytes, (writes) != 0, __builtin_return_address(0));                     \
  }                                                                                         \
  PLUMB_LOGGED(name, bytes, writes)
#define PLUMB_UPDATE(name, bytes)                                                           \
  extern "C" void __attribute__((visibility("hidden"), used)) plumb_##name(void* address) { \
    update(address, bytes, __builtin_return_address(0));                                    \
  }                                                                                         \
  PLUMB_LOGGED(name, bytes, 1)
#define PLUMB_ACCESSES(bytes)                              \
  PLUMB_ACCESS(read##bytes, bytes, 0);                     \
  PLUMB_ACCESS(write##bytes, bytes, 1);                    \
  PLUMB_ACCESS(unaligned_read##bytes, bytes, 0);           \
  PLUMB_ACCESS(unaligned_write##bytes, bytes, 1);          \
  PLUMB_ACCESS(volatile_read##bytes, bytes, 0);            \
  PLUMB_ACCESS(volatile_write##bytes, bytes, 1);           \
  PLUMB_ACCESS(unaligned_volatile_read##bytes, bytes, 0);  \
  PLUMB_ACCESS(unaligned_volatile_write##bytes, bytes, 1); \
  PLUMB_UPDATE(read_write##bytes, bytes);                  \
  PLUMB_UPDATE(unaligned_read_write##bytes, bytes)

PLUMB_ACCESSES(1);
PLUMB_ACCESSES(2);
PLUMB_ACCESSES(4);
PLUMB_ACCESSES(8);
PLUMB_ACCESSES(16);
PLUMB_ACCESS(vptr_read, 8, 0);

extern "C" {

// An object's constructor sets its table pointer again to what it is; only a change is a write that can race.
void __tsan_vptr_update(void** address, void* value) {
  access(address, 8, *address != value, __builtin_return_address(0));
}
void __tsan_read_range(void* address, unsigned long size) {
  if (size != 0) access(address, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long size) {
  if (size != 0) access(address, size, true, __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {
  if (rt::g_surveyed && rt::exploring()) rt::g_control->leaves_function(__builtin_return_address(0));
}

}  // extern "C"
