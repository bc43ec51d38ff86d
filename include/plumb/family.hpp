// What an object is, apart from what its operations are called: its family and the roles that its operations play in it.
//
// The linear monitors, the sentences of explanations and the rules for cores depend on the family. A built-in model belongs
// to its family; a model of your own says `behaves_as(Family::kQueue)` (see object_model.hpp). That is a claim: it is tested
// against the class itself before it is believed, and a claim that does not hold is an error.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

namespace plumb {

enum class Family : std::uint8_t {
  kNone,
  kRegister,
  kCounter,
  kQueue,
  kStack,
  kDeque,
  kPriorityQueue,
  kSet,
  kMultiset,
  kMap,
  kKvAppend,
  kMutex,
  kMultiRegister,
  kSemaphore,
};

// Of an operation. In one family, no two operations of the built-in model have the same.
enum class Role : std::uint8_t {
  kNone,           // not said
  kOutside,        // the family has no such operation: a history that calls it is judged by the model alone
  kRead,           // read, get
  kWrite,          // write, put
  kWriteIfAbsent,  // put_if_absent
  kCompareAndSwap,
  kAppend,    // to a string
  kTransact,  // several reads and writes at once
  kAdd,       // to a counter
  kFetchAdd,
  kInsert,
  kRemove,
  kContains,
  kInsertFront,
  kInsertBack,
  kRemoveFront,
  kRemoveBack,
  kPeek,  // at what a removal would take
  kPeekFront,
  kPeekBack,
  kAcquire,
  kTryAcquire,
  kRelease,
};

[[nodiscard]] std::string_view to_string(Family family);  // "priority queue"
[[nodiscard]] std::string_view to_string(Role role);      // "compare and swap"

// Of a collection: it looks at what a removal would take.
[[nodiscard]] constexpr bool is_peek(Role role) {
  return role == Role::kPeek || role == Role::kPeekFront || role == Role::kPeekBack;
}

struct TestedClaim;

// What the author of a model says of it, and, once it has been tested, what came of that. Safe to use from several threads.
class Claim {
 public:
  explicit Claim(Family family) : family_(family) {}
  [[nodiscard]] Family family() const { return family_; }

  // What `test` made of it: it is called once.
  template <class Test>
  const TestedClaim& tested(const Test& test) const {
    std::call_once(once_, [&] { tested_ = test(); });
    return *tested_;
  }

 private:
  Family family_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const TestedClaim> tested_;
};

}  // namespace plumb
