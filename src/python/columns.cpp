#include "python/columns.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "history/function_names.hpp"
#include "python/column.hpp"
#include "python/errors.hpp"
#include "python/models.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

class ColumnsReader {
 public:
  ColumnsReader(const py::dict& columns, const std::vector<std::string>& functions,
                const std::map<std::string, std::size_t>& arity)
      : columns_(columns), names_(functions), arity_(arity) {}

  History read(const std::string& model, py::handle initial) {
    builder_.set_model(model);
    builder_.set_initial(to_value(initial, builder_.values(), "the initial value"));
    const Column process = needed("process");
    size_ = process.size();
    if (*size_ > History::kMaxOperations) raise({"too many operations in one history"});
    read_times();
    read_heads();
    process_ = values_of(process);
    check_processes();
    if (const auto result = optional("result")) result_ = values_of(*result);
    if (const auto object = optional("object")) object_ = values_of(*object);
    forget_pending_results();
    builder_.reserve_columns(*size_, arguments_.size());
    builder_.append({process_, head_, arguments_, result_, call_, ret_, object_});
    return taken(builder_.finish());
  }

 private:
  std::optional<Column> optional(const char* name) {
    if (!columns_.contains(name)) return std::nullopt;
    return with_size({name, columns_[name]});
  }
  Column needed(const char* name) {
    auto column = optional(name);
    if (!column)
      raise(
          {fmt::format("there is no column '{}'; expected process, f, args, result, call and return", name)});
    return std::move(*column);
  }
  Column with_size(Column column) const {
    if (size_ && column.size() != *size_)
      raise({fmt::format("the column '{}' has {} rows; expected {}, as 'process' has", column.name(),
                         column.size(), *size_)});
    return column;
  }

  std::vector<Value> values_of(const Column& column) {
    std::vector<Value> values(*size_);
    for (std::size_t i = 0; i < *size_; ++i) values[i] = column.value(i, builder_.values());
    return values;
  }

  void check_processes() {
    const Values& values = builder_.values();
    for (std::size_t i = 0; i < *size_; ++i) {
      const ValueKind kind = values.kind(process_[i]);
      if (kind != ValueKind::kInteger && kind != ValueKind::kString)
        raise({fmt::format("row {} of the column 'process' is {}; expected a whole number or a string", i,
                           values.to_json(process_[i]))});
    }
  }

  void read_times() {
    const Column call = needed("call");
    const Column ret = needed("return");
    const auto pending = optional("pending");
    call_.resize(*size_);
    ret_.resize(*size_);
    for (std::size_t i = 0; i < *size_; ++i) {
      if (!call.integer(i, call_[i]))
        raise({fmt::format("row {} has no 'call'; expected a whole number", i)});
      const bool is_pending = pending && pending->truth(i);
      if (is_pending || !ret.integer(i, ret_[i])) ret_[i] = kNever;
    }
  }

  void read_heads() {
    const Column function = needed("f");
    std::vector<Column> arguments;
    if (columns_.contains("args")) {
      for (const py::handle each : columns_["args"])
        arguments.push_back(
            with_size({fmt::format("args[{}]", arguments.size()), py::reinterpret_borrow<py::object>(each)}));
    }
    if (arguments.size() > HistoryBuilder::kMaxArguments)
      raise({fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments)});
    head_.resize(*size_);
    for (std::size_t i = 0; i < *size_; ++i) {
      const Known known = function_at(function, i, arguments.size());
      head_[i] = {known.id, static_cast<std::uint8_t>(known.arity), false};
      for (std::size_t k = 0; k < known.arity; ++k)
        arguments_.push_back(arguments[k].value(i, builder_.values()));
    }
  }

  struct Known {
    FunctionId id = 0;
    std::size_t arity = 0;
  };

  // Each name is looked at once, if it stands in a column of numbers or of fixed width.
  Known function_at(const Column& column, std::size_t i, std::size_t columns) {
    if (!names_.empty()) {
      std::int64_t position = 0;
      if (!column.integer(i, position) || position < 0 || static_cast<std::size_t>(position) >= names_.size())
        raise({fmt::format("row {} of the column 'f' is no position among the {} functions", i,
                           names_.size())});
      numbered_.resize(names_.size());
      auto& known = numbered_[static_cast<std::size_t>(position)];
      if (!known) known = function_called(names_[static_cast<std::size_t>(position)], columns);
      return *known;
    }
    if (const std::string_view bytes = column.bytes(i); !bytes.empty()) {
      auto known = fixed_.find(bytes);
      if (known == fixed_.end())
        known = fixed_.emplace(bytes, function_called(column.text(i), columns)).first;
      return known->second;
    }
    return function_called(column.text(i), columns);
  }

  Known function_called(const std::string& name, std::size_t columns) {
    const auto id = function_names_.id(builder_, name);
    if (!id) raise(FunctionNames::too_many({}));
    const auto known = arity_.find(name);
    return {*id, known == arity_.end() ? columns : std::min(known->second, columns)};
  }

  // Who has not returned has no result, whatever stands there.
  void forget_pending_results() {
    const bool has_results = !result_.empty();
    result_.resize(*size_);
    for (std::size_t i = 0; i < *size_; ++i) {
      head_[i].has_result = has_results && ret_[i] != kNever;
      if (!head_[i].has_result) result_[i] = kNull;
    }
  }

  const py::dict& columns_;
  const std::vector<std::string>& names_;
  const std::map<std::string, std::size_t>& arity_;
  std::optional<std::size_t> size_;
  HistoryBuilder builder_;
  FunctionNames function_names_;
  std::vector<std::optional<Known>> numbered_;
  std::map<std::string, Known, std::less<>> fixed_;
  std::vector<Value> process_;
  std::vector<OperationHead> head_;
  std::vector<Value> arguments_;
  std::vector<Value> result_;
  std::vector<Time> call_;
  std::vector<Time> ret_;
  std::vector<Value> object_;
};

}  // namespace

HeldHistory from_columns(const py::dict& columns, const std::vector<std::string>& functions,
                         const std::map<std::string, std::size_t>& arity, const std::string& model,
                         py::handle initial) {
  return {std::make_shared<const History>(ColumnsReader(columns, functions, arity).read(model, initial))};
}

std::map<std::string, std::size_t> arities_of(const std::string& model) {
  std::map<std::string, std::size_t> arities;
  for (const OperationSpec& spec : model_by_name(model).model->operations()) {
    arities[spec.name] = spec.takes.size();
    for (const std::string& alias : spec.aliases) arities[alias] = spec.takes.size();
  }
  return arities;
}

}  // namespace plumb::python
