// Where formats of events put what they read: into histories (HistorySink), or to somebody who watches.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>

#include "history/function_names.hpp"
#include "history/header.hpp"

namespace plumb {

class EventSink {
 public:
  virtual ~EventSink() = default;
  [[nodiscard]] virtual Values& values() = 0;

  // A history begins; the header says what is known of it.
  [[nodiscard]] virtual Status begin(const Header& header) = 0;
  // What comes next is a history of its own.
  [[nodiscard]] virtual Status end() = 0;

  [[nodiscard]] virtual Status call(Value process, std::string_view function, std::span<const Value> args,
                                    Value object, Place place) = 0;
  [[nodiscard]] virtual Status complete(Value process, HistoryBuilder::Completed completed, Place place) = 0;
  [[nodiscard]] virtual Status fail(Value process, Place place) = 0;
  [[nodiscard]] virtual Status lose(Value process, Place place) = 0;

  // The function that a process is running; nothing when it is running none.
  [[nodiscard]] virtual std::optional<std::string_view> open_function(Value process) const = 0;
  // The error for a response of a process that runs nothing, which a reader has found: for a sink that treats it apart.
  [[nodiscard]] virtual Error without_invocation(Error error) { return error; }
};

class HistorySink final : public EventSink {
 public:
  [[nodiscard]] Values& values() override { return builder_.values(); }
  [[nodiscard]] Status begin(const Header& header) override;
  [[nodiscard]] Status end() override;
  [[nodiscard]] Status call(Value process, std::string_view function, std::span<const Value> args,
                            Value object, Place place) override;
  [[nodiscard]] Status complete(Value process, HistoryBuilder::Completed completed, Place place) override;
  [[nodiscard]] Status fail(Value process, Place place) override { return builder_.fail(process, place); }
  [[nodiscard]] Status lose(Value process, Place place) override { return builder_.lose(process, place); }
  [[nodiscard]] std::optional<std::string_view> open_function(Value process) const override;

  [[nodiscard]] std::vector<History> take_histories() { return std::move(histories_); }
  [[nodiscard]] bool has_histories() const { return !histories_.empty(); }

 private:
  HistoryBuilder builder_;
  FunctionNames names_;
  std::vector<History> histories_;
};

}  // namespace plumb
