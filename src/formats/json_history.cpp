#include "formats/json_history.hpp"

namespace plumb {

Status JsonHistoryReader::read(std::string_view text) {
  reader_.begin(text);
  while (true) {
    auto more = reader_.next();
    if (!more) return more.error();
    if (!*more) return Ok{};
    if (auto status = document(); !status) return status;
  }
}

Result<std::vector<History>> JsonHistoryReader::finish() {
  if (auto status = build(); !status) return status.error();
  auto history = builder_.finish();
  if (!history) return history.error();
  std::vector<History> one;
  one.push_back(std::move(*history));
  return one;
}

Result<FunctionId> JsonHistoryReader::function(std::string_view name, Place place) {
  const auto id = names_.id(builder_, name);
  if (!id) return FunctionNames::too_many(place);
  return *id;
}

}  // namespace plumb
