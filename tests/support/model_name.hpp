// The name of a model as part of the name of a test: letters, digits and underscores.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include <gtest/gtest.h>

#include <plumb/model.hpp>

namespace plumb::test {

inline std::string model_name(const ::testing::TestParamInfo<const Model*>& tested) {
  std::string name(tested.param->name());
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace plumb::test
