// One history out of JSON documents, in an array or one after the other, over as many lines as they like: what the readers of formats
// have in common that other programs write (otlp, porcupine, etcd). What needs all documents is done at their end.
#pragma once

#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "history/function_names.hpp"
#include "json/json_reader.hpp"

namespace plumb {

class JsonHistoryReader {
 public:
  virtual ~JsonHistoryReader() = default;

  // All documents of a text; a history may stand in several.
  [[nodiscard]] Status read(std::string_view text);
  // The history of them all.
  [[nodiscard]] Result<std::vector<History>> finish();

 protected:
  [[nodiscard]] virtual Status document() = 0;  // the reader's current one
  [[nodiscard]] virtual Status build() = 0;     // after the last: the operations, into the builder

  [[nodiscard]] JsonReader& reader() { return reader_; }
  [[nodiscard]] HistoryBuilder& builder() { return builder_; }
  [[nodiscard]] Values& table() { return builder_.values(); }
  [[nodiscard]] Result<FunctionId> function(std::string_view name, Place place);

 private:
  JsonReader reader_{"", JsonReader::Ends::kWithBrackets};
  HistoryBuilder builder_;
  FunctionNames names_;
};

template <class Reader>
[[nodiscard]] Result<std::vector<History>> read_json_history(std::string_view text) {
  Reader reader;
  if (auto status = reader.read(text); !status) return status.error();
  return reader.finish();
}

}  // namespace plumb
