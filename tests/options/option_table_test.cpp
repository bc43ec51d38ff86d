// A table of options: what is given is applied, what is wrong is said in a sentence that begins with the
// option.
#include "options/option_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "options/option_values.hpp"

namespace plumb::options {
namespace {

struct Target {
  int number = 0;
  bool loud = false;
  std::string names;
};

constexpr Need<Target> kLoud = {"without --loud", [](const Target& target) { return target.loud; }};

constexpr OptionRow<Target> kTable[] = {
    {"-n,--number", "N", 1 | 2, "a number",
     [](Target& target, const std::string& text) { return store(parse_whole(text, -1, 9), target.number); }},
    {"--loud", "", 1, "a switch",
     [](Target& target, const std::string&) -> Status { return target.loud = true, Ok{}; }},
    {"--name", "NAME", 1, "of which there may be several",
     [](Target& target, const std::string& text) -> Status { return target.names = text, Ok{}; }, true,
     nullptr, &kLoud},
};

std::string said(const std::vector<std::string>& words, unsigned verb = 1) {
  Target target;
  const auto read = read_options<Target>(kTable, verb, words, target);
  return read ? "" : read.error().message;
}

TEST(OptionTable, AppliesWhatIsGiven) {
  Target target;
  const auto read = read_options<Target>(
      kTable, 1, {"a", "--number=-1", "--loud", "--name", "x,y", "-", "--name", "", "-n", "4"}, target);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(target.number, 4) << "the last counts";
  EXPECT_TRUE(target.loud);
  EXPECT_EQ(target.names, "x,y\n");
  EXPECT_EQ(read->arguments, (std::vector<std::string>{"a", "-"}));
  EXPECT_FALSE(read->help);
}

// What was given, as words that give the same again.
TEST(OptionTable, GivesTheWordsBack) {
  Target target;
  const auto read =
      read_options<Target>(kTable, 1, {"-n", "7", "--loud", "--name", "a b", "--name", "", "-n4"}, target);
  ASSERT_TRUE(read.ok());
  const auto words = words_of(read->given, {});
  EXPECT_EQ(words, (std::vector<std::string>{"--number=4", "--loud", "--name=a b", "--name", ""}));
  Target again;
  const auto second = read_options<Target>(kTable, 1, words, again);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(words_of(second->given, {}), words);
  constexpr std::array<std::string_view, 1> kWithout = {"--name"};
  EXPECT_EQ(words_of(read->given, kWithout), (std::vector<std::string>{"--number=4", "--loud"}));
}

TEST(OptionTable, SaysWhatIsWrong) {
  EXPECT_EQ(said({"--number", "ten"}), "--number: 'ten'; expected a whole number from -1 to 9");
  EXPECT_EQ(said({"--number"}), "--number: expected a value after it");
  EXPECT_EQ(said({"--loud=false"}), "--loud: takes no value");
  EXPECT_EQ(said({"--lud"}), "unknown option '--lud' (did you mean '--loud'?)");
  EXPECT_EQ(said({"--name", "x"}), "--name: does nothing without --loud");
  EXPECT_EQ(said({"--loud"}, 2), "unknown option '--loud'") << "of another verb";
}

TEST(OptionTable, SaysWhatIsMeantIfThatIsKnown) {
  Target target;
  const auto meant = [](std::string_view name) {
    return name == "-n" || name == "--lud" ? " (as you say)" : "";
  };
  const auto message = [&](const std::string& word) {
    return read_options<Target>(kTable, 2, {word}, target, meant).error().message;
  };
  EXPECT_EQ(message("--lud=5"), "unknown option '--lud' (as you say)");
  EXPECT_EQ(message("--numbr"), "unknown option '--numbr' (did you mean '--number'?)");
}

TEST(OptionTable, HelpComesFirst) {
  Target target;
  const auto read = read_options<Target>(kTable, 1, {"--help", "--lud"}, target);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->help);
  EXPECT_EQ(options_text<Target>(kTable, 2),
            "Options\n  -n, --number N            a number\n  -h, --help                this text\n");
}

}  // namespace
}  // namespace plumb::options
