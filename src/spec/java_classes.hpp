// The one table of what java.util.concurrent offers: which classes there are, which methods each has, what a method takes
// and when it changes nothing. What the methods do stands in java_object.cpp; nothing there asks for a class by name.
//
// Methods are named as in Java; overloads have names of their own: `removeHead` is Queue.remove(), `removeKey` and
// `removeEntry` are Map.remove of one and of two arguments, `replaceIf` is Map.replace of three. Methods that return views
// or iterators, take functions, or wait for a time are left out: they have no result that one moment explains.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

enum class JavaMethod : std::uint8_t {
  // every class
  kSize,
  kIsEmpty,
  kClear,
  kToString,
  // collections
  kAdd,
  kRemove,
  kContains,
  kAddAll,
  kContainsAll,
  kRemoveAll,
  kRetainAll,
  kToArray,
  // both ends of what is ordered: those that throw, those that return null, those that wait
  kGetFirst,
  kGetLast,
  kPeekFirst,
  kPeekLast,
  kRemoveFirst,
  kRemoveLast,
  kPollFirst,
  kPollLast,
  kTakeFirst,
  kTakeLast,
  kAddFirst,
  kAddLast,
  kOfferFirst,
  kOfferLast,
  kPutFirst,
  kPutLast,
  kRemoveLastOccurrence,
  // queues that wait
  kRemainingCapacity,
  kDrainTo,
  kTryTransfer,
  kNobodyWaits,
  kNumberOfNobody,
  // neighbours in a sorted set or among the keys of a sorted map, and the entries there
  kCeiling,
  kFloor,
  kHigher,
  kLower,
  kCeilingEntry,
  kFloorEntry,
  kHigherEntry,
  kLowerEntry,
  kFirstEntry,
  kLastEntry,
  kPollFirstEntry,
  kPollLastEntry,
  // maps
  kGet,
  kGetOrDefault,
  kPut,
  kPutIfAbsent,
  kPutAll,
  kContainsKey,
  kContainsValue,
  kRemoveKey,
  kRemoveEntry,
  kReplace,
  kReplaceIf,
};

// How the elements lie.
enum class JavaKind : std::uint8_t {
  kList,       // as they came
  kHeap,       // the array of a binary heap
  kSortedSet,  // ascending, each once
  kHashMap,    // key, value, key, value, … by bucket
  kSortedMap,  // key, value, … by key
};

struct JavaClass {
  std::string_view name;  // of the model: "java:ArrayBlockingQueue"
  std::string_view summary;
  JavaKind kind;
  unsigned groups;  // of methods, as bits
  bool has_capacity = false;
  bool needs_capacity = false;
  bool removes_no_null = false;     // remove(null) throws, where other queues return false
  bool adds_all_or_throws = false;  // addAll looks for nulls before it adds anything
  Family family = Family::kNone;    // as which it behaves, as far as its methods have a role there
};

struct JavaOperation {
  JavaMethod method;
  OperationSpec spec;
};

[[nodiscard]] std::span<const JavaClass> java_classes();
[[nodiscard]] std::vector<JavaOperation> java_operations(const JavaClass& type);

}  // namespace plumb
