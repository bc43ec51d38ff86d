// The same of a few bytes whose number is known: the compilers make instructions of that, or would. And of
// comparisons and strings.
#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstring>
#include <cwchar>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explore/copies/small.h"
#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

// Two threads, one of which does `use` to an object that the other one writes, without any order between
// them.
template <class T>
struct Shared {
  static inline T value{};
};
volatile bool g_sink = false;
void keep(bool seen) { g_sink = seen; }

template <class T, class Use, class Change>
void races(plumb::Program& p, Use use, Change change) {
  p.thread([=] { use(Shared<T>::value); });
  p.thread([=] { change(Shared<T>::value); });
  p.check([] { return true; });
}

// `use` of `shared`, a T, which races with `change`.
#define RACES(suite, name, T, change, ...)                                   \
  TEST(suite, name) {                                                        \
    expect_found(                                                            \
        [](plumb::Program& p) {                                              \
          races<T>(                                                          \
              p, [](T& shared) { __VA_ARGS__; }, [](T& shared) { change; }); \
        },                                                                   \
        FindingKind::kRace);                                                 \
  }

using Three = std::array<int, 3>;
using Pair = std::pair<int, int>;
using Text = std::array<char, 16>;
using Wide = std::array<wchar_t, 16>;

struct Large {
  std::array<long, 512> words{};
};

RACES(SmallCopies, CopyOfThree, Three, shared[1] = 7, Three out{};
      std::copy(shared.begin(), shared.end(), out.begin()); keep(out[2] == 1))
RACES(SmallCopies, CopyIntoThree, Three, keep(shared[1] == 7), const Three from{4, 5, 6};
      std::copy(from.begin(), from.end(), shared.begin()))
RACES(SmallCopies, CopyN, Three, shared[1] = 7, int out[3]; std::copy_n(shared.data(), 3, out);
      keep(out[2] == 1))
RACES(SmallCopies, MoveOfThree, Three, shared[1] = 7, Three out{};
      std::move(shared.begin(), shared.end(), out.begin()); keep(out[2] == 1))
RACES(SmallCopies, MoveBackward, Three, shared[2] = 7, std::move_backward(&shared[0], &shared[2], &shared[3]))
RACES(SmallCopies, FillOfInts, Three, keep(shared[1] == 7), std::fill(shared.begin(), shared.end(), 7))
RACES(SmallCopies, FillOfBytes, Text, keep(shared[1] == 7), std::fill_n(shared.begin(), 3, '\7'))
RACES(SmallCopies, Assignment, Three, shared[1] = 7, const Three copy = shared;
      keep(copy[0] + copy[1] + copy[2] == 1))
RACES(SmallCopies, AssignmentOfAPair, Pair, shared.second = 7, const Pair copy = shared;
      keep(copy.first + copy.second == 1))
RACES(SmallCopies, Clear, Three, keep(shared[1] == 7), shared = {})
RACES(SmallCopies, ClearLarge, Large, keep(shared.words[9] == 7), shared = {})
RACES(SmallCopies, AssignmentOfLarge, Large, shared.words[9] = 7, const Large copy = shared;
      keep(copy.words[9] == 1))
RACES(SmallCopies, Swap, Three, shared[1] = 7, Three other{1, 2, 3}; std::swap(shared, other);
      keep(other[0] == 1))
RACES(SmallCopies, Memcpy, Three, shared[1] = 7, int out[3]; std::memcpy(out, shared.data(), sizeof out);
      keep(out[2] == 1))
RACES(SmallCopies, BuiltinMemcpy, Three, shared[1] = 7, int out[3];
      __builtin_memcpy(out, shared.data(), sizeof out); keep(out[2] == 1))
RACES(SmallCopies, BuiltinMemmove, Three, shared[1] = 7, int out[3];
      __builtin_memmove(out, shared.data(), sizeof out); keep(out[2] == 1))
RACES(SmallCopies, Memset, Three, keep(shared[1] == 7), std::memset(shared.data(), 0, sizeof shared))
RACES(SmallCopies, BuiltinMemset, Three, keep(shared[1] == 7),
      __builtin_memset(shared.data(), 0, sizeof shared))
RACES(SmallCopies, VectorOfThree, Three, shared[1] = 7,
      const std::vector<int> copy(shared.begin(), shared.end());
      keep(copy[2] == 1))

RACES(Comparisons, Memcmp, Text, shared[3] = 'x', keep(std::memcmp(shared.data(), "abcdefgh", 8) == 0))
RACES(Comparisons, MemcmpOfThree, Text, shared[2] = 'x', keep(std::memcmp(shared.data(), "abc", 3) < 0))
RACES(Comparisons, BuiltinMemcmp, Text, shared[3] = 'x',
      keep(__builtin_memcmp(shared.data(), "abcdefgh", 8) == 0))
RACES(Comparisons, Equal, Three, shared[1] = 7, const Three other{}; keep(shared == other))
RACES(Comparisons, EqualRanges, Three, shared[1] = 7, const int other[3] = {};
      keep(std::equal(other, other + 3, shared.begin())))
RACES(Comparisons, LexicographicalBytes, Text, shared[0] = 'x', const Text other{};
      keep(std::lexicographical_compare(shared.begin(), shared.end(), other.begin(), other.end())))
RACES(Comparisons, StringViews, Text, shared[0] = 'x', keep(std::string_view(shared.data(), 4) == "abcd"))

RACES(Strings, Strlen, Text, shared[0] = 'x', keep(std::strlen(shared.data()) == 3))
RACES(Strings, Strnlen, Text, shared[0] = 'x', keep(strnlen(shared.data(), 3) == 3))
RACES(Strings, ViewOfAString, Text, shared[0] = 'x', keep(std::string_view(shared.data()).size() == 3))
RACES(Strings, Strcpy, Text, keep(shared[4] == 'x'), std::strcpy(shared.data(), "hello"))
RACES(Strings, StrcpyFrom, Text, shared[0] = 'x', Text out{}; std::strcpy(out.data(), shared.data());
      keep(out[0] == 0))
RACES(Strings, Strncpy, Text, keep(shared[7] == 'x'), std::strncpy(shared.data(), "hello", 8))
RACES(Strings, Stpcpy, Text, keep(shared[5] == 'x'), keep(stpcpy(shared.data(), "hello") == nullptr))
RACES(Strings, Strcat, Text, shared[0] = 'x', std::strcat(shared.data(), "hello"))
RACES(Strings, Strncat, Text, keep(shared[2] == 'x'), std::strncat(shared.data(), "hello", 2))
RACES(Strings, Strcmp, Text, shared[0] = 'x', keep(std::strcmp(shared.data(), "ab") == 0))
RACES(Strings, Strncmp, Text, shared[0] = 'x', keep(std::strncmp(shared.data(), "ab", 2) == 0))
RACES(Strings, Strcasecmp, Text, shared[0] = 'x', keep(strcasecmp(shared.data(), "ab") == 0))
RACES(Strings, Strchr, Text, shared[0] = 'x', keep(std::strchr(shared.data(), 'a') != nullptr))
RACES(Strings, Strrchr, Text, shared[0] = 'x', keep(std::strrchr(shared.data(), 'a') != nullptr))
RACES(Strings, Strstr, Text, shared[0] = 'x', keep(std::strstr(shared.data(), "ab") != nullptr))
RACES(Strings, Strspn, Text, shared[0] = 'x', keep(std::strspn(shared.data(), "ab") != 0))
RACES(Strings, Strpbrk, Text, shared[0] = 'x', keep(std::strpbrk(shared.data(), "ab") != nullptr))
RACES(Strings, Memchr, Text, shared[5] = 'x', keep(std::memchr(shared.data(), 'a', 16) != nullptr))
RACES(Strings, StandardFind, Text, shared[0] = 'x', keep(std::string_view(shared.data(), 4).find('q') == 1))
RACES(Strings, Strdup, Text, shared[0] = 'x', char* copy = strdup(shared.data()); keep(copy[0] == 'x');
      std::free(copy))
RACES(Strings, Strtok, Text, shared[0] = 'x', char* rest = nullptr;
      keep(strtok_r(shared.data(), ",", &rest) == nullptr))
RACES(Strings, Wcslen, Wide, shared[0] = L'x', keep(std::wcslen(shared.data()) == 3))
RACES(Strings, Wmemcpy, Wide, keep(shared[3] == L'x'), std::wmemcpy(shared.data(), L"wide", 4))
RACES(Strings, Wcscmp, Wide, shared[0] = L'x', keep(std::wcscmp(shared.data(), L"ab") == 0))

RACES(FromC, Assignment, CTriple, shared.b = 7, keep(c_copy_of(&shared) == 1))
RACES(FromC, Memcpy, CTriple, keep(shared.b == 7), c_clear(&shared))
RACES(FromC, Memcmp, CTriple, shared.c = 7, keep(c_is_zero(&shared) != 0))
RACES(FromC, Strcmp, Text, shared[0] = 'x', keep(c_is_hello(shared.data()) != 0))
RACES(FromC, Strcpy, Text, keep(shared[2] == 'x'), c_say_hello(shared.data()))

// No more than they touch: what is behind the end of a string, or behind what was looked for, is somebody
// else's.
template <class Use>
void expect_apart(Use use) {
  const auto result = plumb::explore([=](plumb::Program& p) {
    Text text{'a', 'b', '\0', 'c', ',', 'd'};
    p.thread([&] { use(text.data()); });
    p.thread([&] { text[8] = 'x'; });
    p.check([&] { return text[8] == 'x'; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}
TEST(Strings, TouchNothingBehindTheirEnd) {
  expect_apart([](char* text) { keep(std::strlen(text) == 2); });
  expect_apart([](char* text) { keep(std::strcmp(text, "ax is not it") == 0); });
  expect_apart([](char* text) { keep(std::strncmp(text, "ab", 16) == 0); });
  expect_apart([](char* text) { keep(std::memchr(text, 'c', 16) != nullptr); });
  expect_apart([](char* text) { keep(strnlen(text, 16) == 2); });
  expect_apart([](char* text) { std::strcpy(text, "1234567"); });
  expect_apart([](char* text) { std::strncpy(text, "1234567890", 8); });
  expect_apart([](char* text) { std::strcat(text, "34567"); });
  expect_apart([](char* text) { std::strncat(text, "34567890", 5); });
  expect_apart([](char* text) { keep(std::strchr(text, 'z') != nullptr); });
  expect_apart([](char* text) { keep(std::strstr(text, "b") != nullptr); });
  expect_apart([](char* text) { keep(std::strspn(text, "ab") == 2); });
  expect_apart([](char* text) { keep(std::memcmp(text, "abcdefgh", 8) == 0); });
}

// They do what they always did, under exploration and outside of it.
bool all_is_well() {
  char text[32] = "one,two";
  char other[32] = {};
  bool well = std::strlen(text) == 7 && strnlen(text, 3) == 3 && std::strcmp(text, "one,two") == 0;
  well = well && std::strncmp(text, "one;", 3) == 0 && strcasecmp(text, "ONE,two") == 0;
  well = well && std::strcpy(other, text) == other && std::strcmp(other, "one,two") == 0;
  well = well && std::strcmp(std::strncat(other, "12345", 2), "one,two12") == 0;
  well = well && std::strchr(text, ',') == text + 3 && std::strrchr(text, 'o') == text + 6;
  well = well && std::strstr(text, "two") == text + 4 && std::strpbrk(text, ",") == text + 3;
  well = well && std::strspn(text, "eno") == 3 && std::strcspn(text, ",") == 3;
  well = well && std::memchr(text, 'w', sizeof text) == text + 5 && std::memcmp(text, "onf", 3) < 0;
  char* copy = strndup(text, 3);
  well = well && std::strcmp(copy, "one") == 0;
  std::free(copy);
  char* rest = nullptr;
  well = well && strtok_r(text, ",", &rest) == text && std::strcmp(strtok_r(nullptr, ",", &rest), "two") == 0;
  well = well && strtok_r(nullptr, ",", &rest) == nullptr && std::strcmp(std::strtok(other, ","), "one") == 0;
  return well && std::strcmp(std::strtok(nullptr, ","), "two12") == 0 && std::strtok(nullptr, ",") == nullptr;
}
TEST(Strings, DoWhatTheyAlwaysDid) {
  EXPECT_TRUE(all_is_well());
  const auto result = plumb::explore([](plumb::Program& p) {
    std::atomic<bool> well{false};
    p.thread([&] { well = all_is_well(); });
    p.check([&] { return well.load(); });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

// What the compiler computes itself it still can.
constexpr int sum_of_copies() {
  std::array<int, 3> from{1, 2, 3};
  std::array<int, 3> to{};
  std::copy(from.begin(), from.end(), to.begin());
  std::fill_n(from.begin(), 2, 4);
  return to[0] + to[1] + to[2] + from[0] + static_cast<int>(std::string_view("four").size());
}
static_assert(sum_of_copies() == 14);
static_assert(std::string_view("abc") < std::string_view("abd") && std::string_view("abc").find('c') == 2);
static_assert(std::equal(std::begin("ab"), std::end("ab"), std::begin("ab")));

TEST(Strings, AFreedOneIsNotRead) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    char* text = strdup("gone");
    std::free(text);
    p.thread([=] { keep(std::strlen(text) == 4); });
    p.check([] { return true; });
  });
  EXPECT_EQ(result.kind, FindingKind::kUseAfterFree) << result.text();
}

}  // namespace
