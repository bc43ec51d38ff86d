// Fields of messages: what was written is read, and what is missing is noticed.
#include "base/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;

TEST(Message, IsReadAsItWasWritten) {
  const std::vector<std::uint32_t> numbers = {3, 1, 2};
  const std::string message =
      MessageWriter().number(7).text("a\0b").list(std::span<const std::uint32_t>(numbers)).text("").take();
  MessageReader reader(message);
  EXPECT_EQ(reader.number(), 7U);
  EXPECT_EQ(reader.text(), "a");
  EXPECT_THAT(reader.list<std::uint32_t>(), ElementsAre(3, 1, 2));
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at_end());
}

TEST(Message, EveryShorterOneIsNotOk) {
  const std::string message = MessageWriter().number(7).text("text").number(9).take();
  for (std::size_t size = 0; size < message.size(); ++size) {
    MessageReader reader(std::string_view(message).substr(0, size));
    (void)reader.number();
    (void)reader.text();
    (void)reader.number();
    EXPECT_FALSE(reader.ok()) << size;
  }
}

}  // namespace
}  // namespace plumb
