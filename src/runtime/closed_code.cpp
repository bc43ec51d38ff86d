#include "runtime/closed_code.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace plumb::runtime {
namespace {

constexpr std::size_t kPage = 4096;

// A signal handler reads it, names as well: they lie in it.
struct Segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::array<char, 64> library{};

  void protect(int how) const { mprotect(reinterpret_cast<void*>(begin), end - begin, how); }  // NOLINT
};
std::vector<Segment> g_segments;
const char* g_called = nullptr;

void open_all() {
  for (const Segment& segment : g_segments) segment.protect(PROT_READ | PROT_EXEC);
}

int visit(dl_phdr_info* object, std::size_t /*size*/, void* closed) {
  const char* const slash = std::strrchr(object->dlpi_name, '/');
  const std::string file = slash == nullptr ? object->dlpi_name : slash + 1;
  if (std::ranges::count(*static_cast<const std::vector<std::string>*>(closed), file) == 0) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    Segment& segment = g_segments.emplace_back();
    segment.begin = begin / kPage * kPage;
    segment.end = (begin + header.p_memsz + kPage - 1) / kPage * kPage;
    file.copy(segment.library.data(), segment.library.size() - 1);
  }
  return 0;
}

}  // namespace

ClosedCode::ClosedCode(const std::vector<std::string>& libraries) {
  g_segments.clear();
  g_called = nullptr;
  dl_iterate_phdr(visit, const_cast<std::vector<std::string>*>(&libraries));  // NOLINT: it is only read
  for (const Segment& segment : g_segments) segment.protect(PROT_READ);
}

ClosedCode::~ClosedCode() {
  open_all();
  g_segments.clear();
}

const char* ClosedCode::called() { return g_called; }

bool ClosedCode::open_for(const void* pc) {
  if (g_called != nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(pc);
  const auto segment = std::ranges::find_if(
      g_segments, [&](const Segment& each) { return at >= each.begin && at < each.end; });
  if (segment == g_segments.end()) return false;
  g_called = segment->library.data();
  open_all();
  return true;
}

}  // namespace plumb::runtime
