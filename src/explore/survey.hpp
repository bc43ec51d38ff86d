// Memory that changes although no hook told of a write: what code without hooks did to it. Races there are not seen, and that is to be
// said at the end of the run.
//
// Of an execution that is surveyed a copy is kept of all that threads can share: blocks of the arena, the program's globals, the stack of
// the body while it stands. Whenever a thread comes to a hook the memory is compared: what differs, and was not announced by this thread in
// the operation that it is in, it wrote without hooks since its hook before. Blocks that were allocated when threads ran already are
// mostly one thread's own: of those only counts what another thread touched, too. Objects that the runtime keeps up itself (mutexes,
// semaphores …) do not count, nor blocks that shared libraries without hooks allocate for themselves (exceptions, for one).
//
// That is far slower than an execution that is not surveyed, so only a few are; none of the search itself. It is told of accesses where
// several threads run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "explore/trace_recorder.hpp"
#include "runtime/arena.hpp"
#include "runtime/control.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

// Bytes that code without hooks has changed.
struct UnhookedWrite {
  std::uintptr_t address = 0;
  std::size_t size = 0;
  int thread = 0;
  std::optional<std::uint32_t> operation;  // in which the thread was
  const void* before = nullptr;            // return addresses of the hooks around it; null: there is none
  const void* after = nullptr;
  CallStack stack;  // at the hook after it
  Frame owner;      // the frame that holds the bytes, if one does
};

class Survey {
 public:
  void begin();                            // a new execution
  void open(const runtime::Arena& arena);  // from now on there are several threads
  void close();                            // there are no more
  [[nodiscard]] bool is_open() const { return open_; }

  // A thread came to a hook. `plain`: to one of a plain access, of which there are many.
  void look(int thread, std::optional<std::uint32_t> operation, const void* pc, bool plain);
  // What a hook told, after the look.
  void told(int thread, const void* address, std::size_t size, bool write);
  void executed(int thread, const runtime::Step& step, bool wrote);
  void calls_operation(int thread);
  void allocated(const void* block, std::size_t size, const void* pc);
  void freed(const void* block);
  // The body stands, and this much of its stack is in use, until it comes to a hook again.
  void body_stands(const runtime::Stack& stack);

  [[nodiscard]] const std::vector<UnhookedWrite>& found() const { return found_; }  // when it is closed

 private:
  using Threads = std::uint16_t;  // a set

  struct Byte {
    Threads touched = 0;    // as hooks told
    Threads announced = 0;  // that it is written, in the operation that the thread is in
    Threads unhooked = 0;   // written so
  };
  struct Region {
    std::vector<char> copy;  // empty: to be made at the next look
    std::vector<Byte> bytes;
    bool shared = false;  // allocated before there were threads
  };
  using Regions = std::map<std::uintptr_t, Region>;

  static Threads only(int thread) { return static_cast<Threads>(1U << static_cast<unsigned>(thread)); }
  void add(const void* begin, std::size_t size, bool shared);
  void compare(std::uintptr_t begin, Region& region, const UnhookedWrite& write);
  void keep(UnhookedWrite write);
  void settle(std::uintptr_t begin, const Region& region);
  void forget_body();
  [[nodiscard]] bool of_runtime(std::uintptr_t byte) const;
  template <class F>
  void each_byte(const void* address, std::size_t size, F f);

  bool open_ = false;
  Regions regions_;
  std::size_t bytes_ = 0;     // in them
  std::size_t compared_ = 0;  // in this execution
  std::uintptr_t body_ = 0;   // the region of its stack; 0: there is none
  CallStack body_stack_;
  std::array<const void*, runtime::kMaxThreads> last_{};  // hook of each thread
  std::map<std::uintptr_t, std::size_t> objects_;         // of the runtime, and their sizes
  std::set<std::uintptr_t> of_libraries_;                 // blocks
  std::set<std::tuple<std::uintptr_t, int, std::optional<std::uint32_t>>> known_;
  std::vector<UnhookedWrite> changes_;  // of regions that are there
  std::vector<UnhookedWrite> found_;
};

}  // namespace plumb::engine
