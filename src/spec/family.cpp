// The names of families and roles, for messages.
#include <plumb/family.hpp>

namespace plumb {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::kNone:
      break;
    case Family::kRegister:
      return "register";
    case Family::kCounter:
      return "counter";
    case Family::kQueue:
      return "queue";
    case Family::kStack:
      return "stack";
    case Family::kDeque:
      return "deque";
    case Family::kPriorityQueue:
      return "priority queue";
    case Family::kSet:
      return "set";
    case Family::kMultiset:
      return "multiset";
    case Family::kMap:
      return "map";
    case Family::kKvAppend:
      return "store of strings";
    case Family::kMutex:
      return "mutex";
    case Family::kMultiRegister:
      return "set of registers";
    case Family::kSemaphore:
      return "semaphore";
  }
  return "none";
}

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kNone:
      break;
    case Role::kOutside:
      return "outside";
    case Role::kRead:
      return "read";
    case Role::kWrite:
      return "write";
    case Role::kWriteIfAbsent:
      return "write if absent";
    case Role::kCompareAndSwap:
      return "compare and swap";
    case Role::kAppend:
      return "append";
    case Role::kTransact:
      return "transact";
    case Role::kAdd:
      return "add";
    case Role::kFetchAdd:
      return "fetch and add";
    case Role::kInsert:
      return "insert";
    case Role::kRemove:
      return "remove";
    case Role::kContains:
      return "contains";
    case Role::kInsertFront:
      return "insert at the front";
    case Role::kInsertBack:
      return "insert at the back";
    case Role::kRemoveFront:
      return "remove from the front";
    case Role::kRemoveBack:
      return "remove from the back";
    case Role::kPeek:
      return "peek";
    case Role::kPeekFront:
      return "peek at the front";
    case Role::kPeekBack:
      return "peek at the back";
    case Role::kAcquire:
      return "acquire";
    case Role::kTryAcquire:
      return "try to acquire";
    case Role::kRelease:
      return "release";
  }
  return "none";
}

}  // namespace plumb
