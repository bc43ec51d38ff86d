#include "spec/java_classes.hpp"

namespace plumb {
namespace {

enum Group : unsigned {
  kAll = 1,
  kCollection = 2,
  kArray = 4,  // lists its elements as they lie, whatever that is
  kQueue = 8,
  kWaiting = 16,
  kDeque = 32,
  kWaitingDeque = 64,
  kTransfer = 128,
  kSortedSet = 256,
  kMap = 512,
  kHashMap = 1024,
  kSortedMap = 2048,
};
constexpr unsigned kPlainQueue = kAll | kCollection | kArray | kQueue;

constexpr JavaClass kClasses[] = {
    {.name = "java:ArrayBlockingQueue",
     .summary = "a bounded queue; the capacity is the initial value, [3]",
     .kind = JavaKind::kList,
     .groups = kPlainQueue | kWaiting,
     .has_capacity = true,
     .needs_capacity = true},
    {.name = "java:ConcurrentHashMap",
     .summary = "a map without order",
     .kind = JavaKind::kHashMap,
     .groups = kAll | kMap | kHashMap},
    {.name = "java:ConcurrentLinkedDeque",
     .summary = "a queue with two ends",
     .kind = JavaKind::kList,
     .groups = kPlainQueue | kDeque,
     .removes_no_null = true,
     .adds_all_or_throws = true,
     .family = Family::kQueue},
    {.name = "java:ConcurrentLinkedQueue",
     .summary = "an unbounded queue",
     .kind = JavaKind::kList,
     .groups = kPlainQueue,
     .adds_all_or_throws = true,
     .family = Family::kQueue},
    {.name = "java:ConcurrentSkipListMap",
     .summary = "a map sorted by key",
     .kind = JavaKind::kSortedMap,
     .groups = kAll | kMap | kSortedMap},
    {.name = "java:ConcurrentSkipListSet",
     .summary = "a sorted set",
     .kind = JavaKind::kSortedSet,
     .groups = kAll | kCollection | kArray | kSortedSet,
     .family = Family::kSet},
    {.name = "java:LinkedBlockingDeque",
     .summary = "a queue with two ends; the capacity, if any, is the initial value, [3]",
     .kind = JavaKind::kList,
     .groups = kPlainQueue | kWaiting | kDeque | kWaitingDeque,
     .has_capacity = true,
     .adds_all_or_throws = true,
     .family = Family::kQueue},
    {.name = "java:LinkedBlockingQueue",
     .summary = "a queue; the capacity, if any, is the initial value, [3]",
     .kind = JavaKind::kList,
     .groups = kPlainQueue | kWaiting,
     .has_capacity = true,
     .family = Family::kQueue},
    {.name = "java:LinkedTransferQueue",
     .summary = "an unbounded queue whose producers may wait; here none of them waits",
     .kind = JavaKind::kList,
     .groups = kPlainQueue | kWaiting | kTransfer,
     .family = Family::kQueue},
    {.name = "java:PriorityBlockingQueue",
     .summary = "a binary heap, the smallest element first",
     .kind = JavaKind::kHeap,
     .groups = kPlainQueue | kWaiting,
     .family = Family::kPriorityQueue},
};

// One method: `groups` are those that have it under this name.
struct Row {
  JavaMethod method;
  std::string_view name;
  std::string_view
      takes;  // e: an element, l: a list of them, m: the entries of a map, o: a number that may be left out
  Effect effect;
  unsigned groups;
};

using enum Effect;
using M = JavaMethod;

constexpr Row kMethods[] = {
    {M::kSize, "size", "", kNeverChanges, kAll},
    {M::kIsEmpty, "isEmpty", "", kNeverChanges, kAll},
    {M::kClear, "clear", "", kMayChange, kAll},
    {M::kToString, "toString", "", kNeverChanges, kAll},
    {M::kToArray, "toArray", "", kNeverChanges, kArray},
    {M::kAdd, "add", "e", kUnlessFalse, kCollection},
    {M::kRemove, "remove", "e", kUnlessFalse, kCollection},
    {M::kContains, "contains", "e", kNeverChanges, kCollection},
    {M::kAddAll, "addAll", "l", kUnlessFalse, kCollection},
    {M::kContainsAll, "containsAll", "l", kNeverChanges, kCollection},
    {M::kRemoveAll, "removeAll", "l", kUnlessFalse, kCollection},
    {M::kRetainAll, "retainAll", "l", kUnlessFalse, kCollection},

    {M::kOfferLast, "offer", "e", kUnlessFalse, kQueue},
    {M::kRemoveFirst, "removeHead", "", kMayChange, kQueue},
    {M::kPollFirst, "poll", "", kUnlessNull, kQueue},
    {M::kGetFirst, "element", "", kNeverChanges, kQueue},
    {M::kPeekFirst, "peek", "", kNeverChanges, kQueue},
    {M::kPutLast, "put", "e", kMayChange, kWaiting},
    {M::kTakeFirst, "take", "", kMayChange, kWaiting},
    {M::kRemainingCapacity, "remainingCapacity", "", kNeverChanges, kWaiting},
    {M::kDrainTo, "drainTo", "lo", kMayChange, kWaiting},
    {M::kTryTransfer, "tryTransfer", "e", kNeverChanges, kTransfer},
    {M::kNobodyWaits, "hasWaitingConsumer", "", kNeverChanges, kTransfer},
    {M::kNumberOfNobody, "getWaitingConsumerCount", "", kNeverChanges, kTransfer},

    {M::kAddFirst, "addFirst", "e", kMayChange, kDeque},
    {M::kAddLast, "addLast", "e", kMayChange, kDeque},
    {M::kOfferFirst, "offerFirst", "e", kUnlessFalse, kDeque},
    {M::kOfferLast, "offerLast", "e", kUnlessFalse, kDeque},
    {M::kRemoveFirst, "removeFirst", "", kMayChange, kDeque},
    {M::kRemoveLast, "removeLast", "", kMayChange, kDeque},
    {M::kPollFirst, "pollFirst", "", kUnlessNull, kDeque | kSortedSet},
    {M::kPollLast, "pollLast", "", kUnlessNull, kDeque | kSortedSet},
    {M::kGetFirst, "getFirst", "", kNeverChanges, kDeque},
    {M::kGetLast, "getLast", "", kNeverChanges, kDeque},
    {M::kPeekFirst, "peekFirst", "", kNeverChanges, kDeque},
    {M::kPeekLast, "peekLast", "", kNeverChanges, kDeque},
    {M::kAddFirst, "push", "e", kMayChange, kDeque},
    {M::kRemoveFirst, "pop", "", kMayChange, kDeque},
    {M::kRemove, "removeFirstOccurrence", "e", kUnlessFalse, kDeque},
    {M::kRemoveLastOccurrence, "removeLastOccurrence", "e", kUnlessFalse, kDeque},
    {M::kPutFirst, "putFirst", "e", kMayChange, kWaitingDeque},
    {M::kPutLast, "putLast", "e", kMayChange, kWaitingDeque},
    {M::kTakeFirst, "takeFirst", "", kMayChange, kWaitingDeque},
    {M::kTakeLast, "takeLast", "", kMayChange, kWaitingDeque},

    {M::kGetFirst, "first", "", kNeverChanges, kSortedSet},
    {M::kGetLast, "last", "", kNeverChanges, kSortedSet},
    {M::kCeiling, "ceiling", "e", kNeverChanges, kSortedSet},
    {M::kFloor, "floor", "e", kNeverChanges, kSortedSet},
    {M::kHigher, "higher", "e", kNeverChanges, kSortedSet},
    {M::kLower, "lower", "e", kNeverChanges, kSortedSet},

    {M::kGet, "get", "e", kNeverChanges, kMap},
    {M::kGetOrDefault, "getOrDefault", "ee", kNeverChanges, kMap},
    {M::kPut, "put", "ee", kMayChange, kMap},
    {M::kPutIfAbsent, "putIfAbsent", "ee", kMayChange, kMap},
    {M::kPutAll, "putAll", "m", kMayChange, kMap},
    {M::kContainsKey, "containsKey", "e", kNeverChanges, kMap},
    {M::kContainsValue, "containsValue", "e", kNeverChanges, kMap},
    {M::kContainsValue, "contains", "e", kNeverChanges, kHashMap},
    {M::kSize, "mappingCount", "", kNeverChanges, kHashMap},
    {M::kRemoveKey, "removeKey", "e", kUnlessNull, kMap},
    {M::kRemoveEntry, "removeEntry", "ee", kUnlessFalse, kMap},
    {M::kReplace, "replace", "ee", kUnlessNull, kMap},
    {M::kReplaceIf, "replaceIf", "eee", kUnlessFalse, kMap},
    {M::kGetFirst, "firstKey", "", kNeverChanges, kSortedMap},
    {M::kGetLast, "lastKey", "", kNeverChanges, kSortedMap},
    {M::kCeiling, "ceilingKey", "e", kNeverChanges, kSortedMap},
    {M::kFloor, "floorKey", "e", kNeverChanges, kSortedMap},
    {M::kHigher, "higherKey", "e", kNeverChanges, kSortedMap},
    {M::kLower, "lowerKey", "e", kNeverChanges, kSortedMap},
    {M::kFirstEntry, "firstEntry", "", kNeverChanges, kSortedMap},
    {M::kLastEntry, "lastEntry", "", kNeverChanges, kSortedMap},
    {M::kCeilingEntry, "ceilingEntry", "e", kNeverChanges, kSortedMap},
    {M::kFloorEntry, "floorEntry", "e", kNeverChanges, kSortedMap},
    {M::kHigherEntry, "higherEntry", "e", kNeverChanges, kSortedMap},
    {M::kLowerEntry, "lowerEntry", "e", kNeverChanges, kSortedMap},
    {M::kPollFirstEntry, "pollFirstEntry", "", kUnlessNull, kSortedMap},
    {M::kPollLastEntry, "pollLastEntry", "", kUnlessNull, kSortedMap},
};

// What a method is to the family of its class.
Role role_of(JavaMethod method, Family family) {
  switch (method) {
    case M::kAdd:
      return Role::kInsert;
    case M::kAddLast:
    case M::kOfferLast:
    case M::kPutLast:
      return family == Family::kSet ? Role::kOutside : Role::kInsert;
    case M::kPollFirst:
      return family == Family::kSet ? Role::kOutside : Role::kRemove;
    case M::kRemove:
      return family == Family::kSet ? Role::kRemove : Role::kOutside;
    case M::kContains:
      return family == Family::kSet ? Role::kContains : Role::kOutside;
    default:
      return Role::kOutside;
  }
}

// Every method may throw instead of what it returns otherwise.
OperationSpec spec_of(const Row& row, Family family) {
  OperationSpec spec{.name = std::string(row.name), .returns = Returns::kAny, .effect = row.effect};
  if (family != Family::kNone) spec.role = role_of(row.method, family);
  for (const char c : row.takes) {
    spec.takes.push_back(c == 'l' ? Takes::kArray : c == 'o' ? Takes::kInteger : Takes::kAny);
    spec.optional += c == 'o' ? 1 : 0;
  }
  return spec;
}

}  // namespace

std::span<const JavaClass> java_classes() { return kClasses; }

std::vector<JavaOperation> java_operations(const JavaClass& type) {
  std::vector<JavaOperation> operations;
  for (const Row& row : kMethods) {
    if ((row.groups & type.groups) != 0) operations.push_back({row.method, spec_of(row, type.family)});
  }
  return operations;
}

}  // namespace plumb
