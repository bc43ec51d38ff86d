#include "runtime/reached_code.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

// The hooks by their names alone: compilers know what they take.
#define PLUMB_EACH_SIZE(F, name) F(name##1) F(name##2) F(name##4) F(name##8) F(name##16)
#define PLUMB_EACH_ACCESS(F)                   \
  PLUMB_EACH_SIZE(F, read)                     \
  PLUMB_EACH_SIZE(F, write)                    \
  PLUMB_EACH_SIZE(F, unaligned_read)           \
  PLUMB_EACH_SIZE(F, unaligned_write)          \
  PLUMB_EACH_SIZE(F, volatile_read)            \
  PLUMB_EACH_SIZE(F, volatile_write)           \
  PLUMB_EACH_SIZE(F, unaligned_volatile_read)  \
  PLUMB_EACH_SIZE(F, unaligned_volatile_write) \
  PLUMB_EACH_SIZE(F, read_write)               \
  PLUMB_EACH_SIZE(F, unaligned_read_write)     \
  F(vptr_read) F(vptr_update) F(read_range) F(write_range)
#define PLUMB_EACH_WIDTH(F, name) \
  F(atomic8_##name) F(atomic16_##name) F(atomic32_##name) F(atomic64_##name) F(atomic128_##name)
#define PLUMB_EACH_ATOMIC(F)                   \
  PLUMB_EACH_WIDTH(F, load)                    \
  PLUMB_EACH_WIDTH(F, store)                   \
  PLUMB_EACH_WIDTH(F, exchange)                \
  PLUMB_EACH_WIDTH(F, fetch_add)               \
  PLUMB_EACH_WIDTH(F, fetch_sub)               \
  PLUMB_EACH_WIDTH(F, fetch_and)               \
  PLUMB_EACH_WIDTH(F, fetch_or)                \
  PLUMB_EACH_WIDTH(F, fetch_xor)               \
  PLUMB_EACH_WIDTH(F, fetch_nand)              \
  PLUMB_EACH_WIDTH(F, compare_exchange_strong) \
  PLUMB_EACH_WIDTH(F, compare_exchange_weak)   \
  PLUMB_EACH_WIDTH(F, compare_exchange_val)

#define PLUMB_DECLARE(name) extern const char hook_##name asm("__tsan_" #name);  // NOLINT
extern "C" {
PLUMB_EACH_ACCESS(PLUMB_DECLARE)
PLUMB_EACH_ATOMIC(PLUMB_DECLARE)
}
#undef PLUMB_DECLARE

namespace plumb::runtime {
namespace {

std::uint8_t* make_table() {
  void* const table =
      mmap(nullptr, kReachedBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (table == MAP_FAILED) std::abort();
  return static_cast<std::uint8_t*>(table);
}

std::vector<std::uintptr_t> hooks() {
#define PLUMB_ADDRESS(name) reinterpret_cast<std::uintptr_t>(&hook_##name),
  std::vector<std::uintptr_t> all = {PLUMB_EACH_ACCESS(PLUMB_ADDRESS) PLUMB_EACH_ATOMIC(PLUMB_ADDRESS)};
#undef PLUMB_ADDRESS
  std::ranges::sort(all);
  return all;
}

// Every call of a near function: an 0xE8 and how far it is from what comes next. Bytes that are none, but look like one, would have to
// lead to the very beginning of a hook.
void add_calls(std::span<const unsigned char> code, const std::vector<std::uintptr_t>& wanted,
               std::vector<const void*>& all) {
  constexpr unsigned char kCall = 0xE8;
  constexpr std::size_t kSize = 5;
  for (std::size_t at = 0; at + kSize <= code.size(); ++at) {
    if (code[at] != kCall) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, &code[at + 1], sizeof distance);
    const auto next = reinterpret_cast<std::uintptr_t>(code.data() + at + kSize);
    if (std::ranges::binary_search(wanted, next + static_cast<std::uintptr_t>(std::intptr_t{distance})))
      all.push_back(code.data() + at + kSize);
  }
}

int visit(dl_phdr_info* object, std::size_t /*size*/, void* to) {
  const std::vector<std::uintptr_t> wanted = hooks();
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const auto* const begin = reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr);
    add_calls({begin, header.p_memsz}, wanted, *static_cast<std::vector<const void*>*>(to));
  }
  return 1;  // only the first object: the program itself
}

}  // namespace

extern "C" {
std::uint8_t* plumb_reached = make_table();
}

void forget_reached() { std::memset(plumb_reached, 0, kReachedBytes); }

std::vector<const void*> calls_of_hooks() {
  std::vector<const void*> all;
  dl_iterate_phdr(visit, &all);
  return all;
}

}  // namespace plumb::runtime
