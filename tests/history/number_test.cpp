// One rule for numbers: every format that has them reads a spelling as the same value, and that
// value is what strtod says.
#include <bit>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/rng.hpp"
#include "support/parsing.hpp"

namespace plumb {
namespace {

constexpr std::string_view kError = "error";

struct Source {
  const char* name;
  const char* format;
  const char* before;
  const char* after;
};

// Where a number can stand: as a value, in a header, inside another value, where the quick reader
// looks and where it does not.
constexpr Source kSources[] = {
    {"jsonl, quick", "jsonl", R"({"process":0,"f":"w","args":[)",
     "],\"call\":0,\"return\":1}\n                                "},
    {"jsonl, at the end", "jsonl", R"({"process":0,"f":"w","args":[)", R"(],"call":0,"return":1})"},
    {"jsonl, general", "jsonl", R"({"process":0,"x":1,"f":"w","call":0,"return":1,"args":[ )", " ]}"},
    {"events", "events", R"({"process":0,"type":"invoke","f":"w","value":)", "}"},
    {"events in an array", "events", R"([{"process":0,"type":"invoke","f":"w","args":[)", "]}]"},
    {"edn", "edn", "{:process 0, :type :invoke, :f :w, :value ", "}"},
    {"edn, arguments", "edn", "[{:process 0, :type :invoke, :f :w, :args (", ")}]"},
    {"jepsen-log", "jepsen-log", "INFO  jepsen.util - 0\t:invoke\t:w\t", "\n"},
    {"violat", "violat",
     R"({"schema":{"class":"C","arguments":[]},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"w"},"arguments":[)",
     "]}}]}"},
    {"independent", "independent", R"({"process":0,"type":"invoke","f":"w","value":["k",)", "]}"},
    {"txn", "txn", R"({"process":0,"type":"invoke","f":"txn","value":[["w","k",)", "]]}"},
    {"porcupine", "porcupine", R"([{"Input":["w",)", R"(],"Call":0,"Return":1}])"},
    {"otlp", "otlp",
     R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"w","startTimeUnixNano":1,"attributes":[{"key":"plumb.args","value":{"doubleValue":)",
     "}}]}]}]}]}"},
};

// The value that the one argument of the one operation has, as JSON, or kError.
std::string read_by(const Source& source, const std::string& number) {
  const auto histories = parse_histories(source.before + number + source.after, source.format, "");
  if (!histories) return std::string(kError);
  const History& h = histories->at(0);
  return h.size() == 1 && h.args(0).size() == 1 ? h.values().to_json(h.args(0)[0]) : "no number";
}

// The same for the initial value in a header.
std::string read_initial(std::string_view format, const std::string& number) {
  const std::string text =
      format == "edn" ? "{:plumb 1, :initial " + number + "}" : R"({"plumb":1,"initial":)" + number + "}";
  const auto histories = parse_histories(text, format, "");
  if (!histories) return std::string(kError);
  return histories->at(0).values().to_json(histories->at(0).initial());
}

void expect_everywhere(const std::string& number, const std::string& value) {
  for (const Source& source : kSources)
    EXPECT_EQ(read_by(source, number), value) << source.name << ": " << number;
  for (const char* format : {"jsonl", "events", "edn"})
    EXPECT_EQ(read_initial(format, number), value) << "initial in " << format << ": " << number;
}

TEST(Numbers, AwkwardSpellings) {
  const std::pair<const char*, const char*> table[] = {
      {"0", "0"},
      {"-0", "0"},
      {"-0.0", "0"},
      {"0e0", "0"},
      {"0.0e-9999999999999999999999", "0"},
      {"0e9999999999999999999999", "0"},
      {"1", "1"},
      {"1.0", "1"},
      {"1e0", "1"},
      {"1E+0", "1"},
      {"10e-1", "1"},
      {"0.1e1", "1"},
      {"1.00000000000000000000000000000000", "1"},
      {"1.5", "1.5"},
      {"15e-1", "1.5"},
      {"1.5000000000000000000000000000", "1.5"},
      {"0.1", "0.1"},
      {"0.1000000000000000055511151231257827", "0.1"},
      // The issue's: neither 0 nor equal.
      {"3.141592653589793238462643", "3.141592653589793"},
      {"2.718281828459045235360287", "2.718281828459045"},
      {"3.141592653589793", "3.141592653589793"},
      {"0.12345678901234567890123456789", "0.12345678901234568"},
      {"12345678901234567890.5", "12345678901234567000.0"},
      {"123456789012345678", "123456789012345678"},
      {"1234567890123456789", "1234567890123456789"},
      {"-1234567890123456789", "-1234567890123456789"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "error"},
      {"-9223372036854775809", "error"},
      {"18446744073709551615", "error"},
      {"18446744073709551616", "error"},
      {"123456789012345678901234567890", "error"},
      // Reals that are whole are integers, as long as they have 64 bits.
      {"9007199254740993", "9007199254740993"},
      {"9007199254740993.0", "9007199254740992"},
      {"9007199254740992e0", "9007199254740992"},
      {"1e18", "1000000000000000000"},
      {"1000000000000000000", "1000000000000000000"},
      {"-9223372036854775808.0", "-9223372036854775808"},
      {"9223372036854775808.0", "9.223372036854776e+18"},
      {"9223372036854775807.0", "9.223372036854776e+18"},
      {"1e19", "1e+19"},
      {"1e300", "1e+300"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"1.7976931348623159e308", "error"},
      {"1e309", "error"},
      {"-1e400", "error"},
      {"1e400", "error"},
      {"1E400", "error"},
      {"0.001e400", "error"},
      {"1e99999999999999999999", "error"},
      {"2.2250738585072014e-308", "2.2250738585072014e-308"},
      {"2.2250738585072011e-308", "2.225073858507201e-308"},  // the one that hung PHP
      {"5e-324", "5e-324"},
      {"4.9406564584124654e-324", "5e-324"},
      {"3e-324", "5e-324"},
      {"2e-324", "0"},
      {"1e-400", "0"},
      {"-1E-400", "0"},
      {"1000e-400", "0"},
      {"1e-99999999999999999999", "0"},
      // What is no number.
      {"01", "error"},
      {"-01", "error"},
      {"00", "error"},
      {"007.5", "error"},
      {"1e", "error"},
      {"1e+", "error"},
      {"0x10", "error"},
      {"1,5.5.5", "error"},
      {"1.5e3.5", "error"},
  };
  for (const auto& [number, value] : table) {
    // Written as this version of fmt writes it, whatever the table says of its last digits.
    const std::string expected = std::string_view(value).find_first_of(".e") == std::string_view::npos ? value
                                 : value == kError                                                     ? value
                                                   : fmt::format("{}", std::strtod(value, nullptr));
    expect_everywhere(number, expected);
  }
}

TEST(Numbers, ManyDigits) {
  const std::string zeros(400, '0');
  expect_everywhere("0." + zeros + "1", "0");
  expect_everywhere("1" + zeros + "e-400", "1");
  expect_everywhere("0." + zeros + "1e401", "1");
  expect_everywhere("1" + zeros + ".0", "error");
  expect_everywhere("1" + zeros, "error");
  expect_everywhere("0." + std::string(5000, '3'), "0.3333333333333333");
  // Half way between two doubles, and a little more, far behind the point.
  expect_everywhere("1.00000000000000011102230246251565404236316680908203125", "1");
  expect_everywhere("1.00000000000000011102230246251565404236316680908203124" + zeros, "1");
  expect_everywhere("1.00000000000000011102230246251565404236316680908203125" + zeros + "1",
                    "1.0000000000000002");
}

// Clojure's ways to write numbers, beside those of JSON.
TEST(Numbers, OfEdn) {
  const Source& edn = kSources[5];
  const std::pair<const char*, const char*> table[] = {{"+5", "5"},
                                                       {"7N", "7"},
                                                       {"-7N", "-7"},
                                                       {"1.5M", "1.5"},
                                                       {"1M", "1"},
                                                       {"1.", "1"},
                                                       {"1.e2", "100"},
                                                       {"+1.5e1M", "15"},
                                                       {"1/3", "\"1/3\""},
                                                       {"-1/3", "\"-1/3\""},
                                                       {"1.5N", "error"},
                                                       {"07N", "error"},
                                                       {"1/", "error"},
                                                       {"1NM", "error"},
                                                       {"9007199254740993M", "9007199254740993"},
                                                       {"9223372036854775808N", "error"},
                                                       {"1e400M", "error"}};
  for (const auto& [number, value] : table) EXPECT_EQ(read_by(edn, number), value) << number;
}

// Digits, a point, an exponent: as anybody might write them, and as nobody would.
std::string random_number(Rng& rng, bool real) {
  const auto digits = [&](std::size_t most) {
    std::string text;
    for (std::size_t i = 1 + rng.below(most); i > 0; --i) text += static_cast<char>('0' + rng.below(10));
    return text;
  };
  std::string whole = digits(rng.below(4) == 0 ? 40 : 18);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
  std::string number = (rng.below(2) == 0 ? "-" : "") + whole;
  if (!real) return number;
  const bool exponent = rng.below(2) == 0;
  if (!exponent || rng.below(2) == 0) number += "." + digits(rng.below(4) == 0 ? 60 : 17);
  if (exponent)
    number += fmt::format("{}{}", rng.below(2) == 0 ? 'e' : 'E', static_cast<int>(rng.below(700)) - 350);
  return number;
}

TEST(Numbers, RealsAreWhatStrtodSays) {
  Rng rng(17);
  for (int i = 0; i < 3000; ++i) {
    std::string number = random_number(rng, true);
    if (i % 3 == 0) {  // any double at all
      const auto bits = std::bit_cast<double>(rng.next());
      if (!std::isfinite(bits)) continue;
      number = fmt::format("{:.{}e}", bits, rng.below(25));
    }
    const double d = std::strtod(number.c_str(), nullptr);
    Values values;
    expect_everywhere(number, std::isfinite(d) ? values.to_json(values.real(d)) : std::string(kError));
  }
}

TEST(Numbers, IntegersAreExact) {
  Rng rng(18);
  for (int i = 0; i < 2000; ++i) {
    const std::string number =
        i % 2 == 0 ? random_number(rng, false) : fmt::format("{}", static_cast<std::int64_t>(rng.next()));
    errno = 0;
    const long long n = std::strtoll(number.c_str(), nullptr, 10);
    expect_everywhere(number, errno == 0 ? fmt::format("{}", n) : std::string(kError));
  }
}

// Two spellings of one double are one value; of two doubles, two.
TEST(Numbers, AreEqualExactlyWhenTheyAreTheSameDouble) {
  Rng rng(19);
  for (int i = 0; i < 2000; ++i) {
    const auto bits = rng.next();
    const auto a = std::bit_cast<double>(bits);
    const auto b = std::bit_cast<double>(bits + rng.below(2));
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const std::string args = fmt::format("{:.30e},{:.17g}", a, b);
    if (args.find_first_of(".e", args.find(',')) == std::string::npos) continue;  // an integer is exact
    const History h = parsed_one(R"({"process":0,"f":"w","args":[)" + args + R"(],"call":0,"return":1})");
    EXPECT_EQ(h.args(0)[0] == h.args(0)[1], a == b) << args;
  }
}

// What is written is read as the same value, in every format that writes reals.
TEST(Numbers, RoundTrips) {
  Rng rng(20);
  HistoryBuilder builder;
  const FunctionId f = builder.function("w");
  Time time = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto any = std::bit_cast<double>(rng.next());
    const Value value = i % 2 == 0 ? builder.values().integer(static_cast<std::int64_t>(rng.next()))
                                   : builder.values().real(std::isfinite(any) ? any : 0.5);
    builder.add(Value::small(0), f, {&value, 1}, {kNull, false}, time, time + 1);
    time += 2;
  }
  const auto made = builder.finish();
  ASSERT_TRUE(made.ok());
  for (const char* format : {"jsonl", "events", "edn", "binary"})
    EXPECT_EQ(essence(parsed_one(formatted(*made, format), format)), essence(*made)) << format;
}

TEST(Numbers, ProcessesAndTimes) {
  const auto operation = [](const std::string& process, const std::string& call, const std::string& ret) {
    return R"({"process":)" + process + R"(,"f":"r","call":)" + call + R"(,"return":)" + ret + "}";
  };
  const History h = parsed_one(operation("1234567890123456789", "1.0", "1234567890123456789"), "jsonl");
  EXPECT_EQ(h.values().to_json(h.process(0)), "1234567890123456789");
  EXPECT_EQ(h.call(0), 1);
  EXPECT_EQ(h.ret(0), 1234567890123456789);
  EXPECT_EQ(parsed_one(operation("7e0", "0", "1.7000000001234567e+18"), "jsonl").ret(0), 1700000000123456768);
  EXPECT_EQ(parsed_one(operation("0", "12345678900000000000e-10", "2e9"), "jsonl").call(0), 1234567890);
  EXPECT_TRUE(
      says(fault(operation("0", "0.12345678901234567890", "1"), "jsonl"), "1:29", "as a whole number"));
  EXPECT_TRUE(
      says(fault(operation("0.5000000000000000000001", "0", "1"), "jsonl"), "1:12", "as a whole number"));
  EXPECT_TRUE(says(fault(operation("0", "0", "1e19"), "jsonl"), "1:40", "as a whole number"));
  EXPECT_TRUE(says(fault(operation("0", "0", "18446744073709551616"), "jsonl"), "1:40", "too large"));
  EXPECT_TRUE(says(fault(operation("0", "00", "1"), "jsonl"), "1:29", "leading zeros"));
}

// A process that is a number, but none that a process can have, is no stranger whose events are passed over.
TEST(Numbers, ProcessesOfEvents) {
  const auto event = [](std::string_view process) {
    return fmt::format(R"({{"process":{},"type":"invoke","f":"r","value":null}})", process);
  };
  EXPECT_EQ(essence(parsed_one(event("7"), "events")), essence(parsed_one(event("7.0"), "events")));
  EXPECT_TRUE(says(fault(event("0.5"), "events"), "1:12", "whole number"));
  EXPECT_TRUE(says(fault(event("1e30"), "events"), "1:12", "whole number"));
  EXPECT_TRUE(says(fault(event("9223372036854775808"), "events"), "1:12", "too large"));
  const auto line = [](std::string_view process) {
    return fmt::format("INFO  jepsen.util - {}\t:invoke\t:read\tnil\n", process);
  };
  EXPECT_EQ(essence(parsed_one(line("7"), "jepsen-log")), essence(parsed_one(line("7.0"), "jepsen-log")));
  EXPECT_TRUE(says(fault(line("9223372036854775808"), "jepsen-log"), "1:21", "too large"));
  EXPECT_TRUE(says(fault(line("007"), "jepsen-log"), "1:21", "leading zeros"));
  EXPECT_TRUE(says(fault(line("0.5"), "jepsen-log"), "1:21", "whole number"));
  EXPECT_TRUE(says(fault("[01] call pop", "hist"), "1:1", "whole number"));
}

// hist has words and integers, violat's results the text that Java prints: everything but a plain
// integer of 64 bits is a text.
TEST(Numbers, WordsAreNoNumbers) {
  const std::pair<const char*, const char*> table[] = {{"7", "7"},
                                                       {"-7", "-7"},
                                                       {"1234567890123456789", "1234567890123456789"},
                                                       {"9223372036854775807", "9223372036854775807"},
                                                       {"9223372036854775808", "\"9223372036854775808\""},
                                                       {"007", "\"007\""},
                                                       {"0e1234", "\"0e1234\""},
                                                       {"1.0", "\"1.0\""}};
  for (const auto& [word, value] : table) {
    const History hist = parsed_one(fmt::format("[1] call pop\n[1] return {}\n", word), "hist");
    EXPECT_EQ(hist.values().to_json(hist.result(0)), value) << word;
    const History java = parsed_one(
        R"({"schema":{"class":"C"},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"w"}}},)"
        R"({"kind":"return","sid":0,"invocation":{"id":0},"value":")" +
            std::string(word) + "\"}]}",
        "violat");
    EXPECT_EQ(java.values().to_json(java.result(0)), value) << word;
  }
}

// Members that are ignored may hold numbers of any size, but numbers.
TEST(Numbers, OfMembersThatAreIgnored) {
  const std::string operation = R"({"process":0,"f":"r","call":0,"return":1,"time":)";
  EXPECT_EQ(parsed_one(operation + "18446744073709551616}").size(), 1U);
  EXPECT_EQ(parsed_one(operation + "[1e999]}").size(), 1U);
  EXPECT_TRUE(says(fault(operation + "01}"), "1:49", "leading zeros"));
  EXPECT_EQ(parsed_one("{:process 0, :type :invoke, :f :r, :time 18446744073709551616}").size(), 1U);
  EXPECT_TRUE(says(fault("{:process 0, :type :invoke, :f :r, :time 1x}"), "1:42", "a number was expected"));
}

// A program may have a decimal comma.
TEST(Numbers, DoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  expect_everywhere("1.5", "1.5");
  expect_everywhere("12345678901234567890.25", "1.2345678901234567e+19");
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace plumb
