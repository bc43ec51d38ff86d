// The lines around steps, from a file of known lines.
#include "document/source_excerpts.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace plumb {
namespace {

class SourceExcerpts : public ::testing::Test {
 protected:
  SourceExcerpts() {
    std::ofstream out(file_);
    for (int i = 1; i <= 60; ++i) out << "line " << i << (i % 2 == 0 ? "\r\n" : "\n");
  }
  ~SourceExcerpts() override { std::filesystem::remove(file_); }
  [[nodiscard]] Document at(std::initializer_list<unsigned> lines) const {
    Document document;
    for (const unsigned line : lines) document.trace.push_back({.places = {{file_, line, "f"}}});
    return document;
  }

  std::string file_ = ::testing::TempDir() + "source_excerpts_" + std::to_string(::getpid());
};

TEST_F(SourceExcerpts, StretchesThatMeetAreOne) {
  const auto all = source_excerpts(at({20, 20, 30}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].file, file_);
  EXPECT_EQ(all[0].first, 14U);
  ASSERT_EQ(all[0].lines.size(), 23U);
  EXPECT_EQ(all[0].lines.front(), "line 14");
  EXPECT_EQ(all[0].lines.back(), "line 36");
}

TEST_F(SourceExcerpts, StretchesApartAreTwoAndTheFileEnds) {
  const auto all = source_excerpts(at({58, 1}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].first, 1U);
  EXPECT_EQ(all[0].lines.size(), 7U);
  EXPECT_EQ(all[1].first, 52U);
  EXPECT_EQ(all[1].lines.back(), "line 60");
}

TEST_F(SourceExcerpts, WhatLedToItCountsAndWhatCannotBeReadDoesNot) {
  Document document;
  document.accesses = {
      {"reads", {{file_, 5, ""}, {file_, 50, ""}}}, {"wrote", {{"/no/such/file", 5, ""}}}, {"none", {}}};
  const auto all = source_excerpts(document);
  ASSERT_EQ(all.size(), 1U) << "the innermost place only";
  EXPECT_EQ(all[0].lines.size(), 11U);
}

}  // namespace
}  // namespace plumb
