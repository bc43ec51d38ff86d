// Operations of Python as a history. What a reader of jsonl says of a line is said here of an operation.
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "history/function_names.hpp"
#include "python/errors.hpp"
#include "python/history.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

enum Field : std::size_t { kProcess, kFunction, kArgs, kResult, kCall, kReturn, kObject, kFields };
constexpr std::array<const char*, kFields> kNames = {"process", "f",      "args",  "result",
                                                     "call",    "return", "object"};
constexpr std::size_t kInTuple = kObject;  // a tuple has all before

// The fields of one operation, borrowed; null: it has not said.
using Fields = std::array<PyObject*, kFields>;

class OperationsReader {
 public:
  OperationsReader(const std::string& model, py::handle initial) {
    builder_.set_model(model);
    builder_.set_initial(to_value(initial, builder_.values(), "the initial value"));
    for (std::size_t i = 0; i < kFields; ++i)
      names_[i] = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(kNames[i]));
  }

  History read(const py::iterable& operations) {
    if (const Py_ssize_t size = PyObject_LengthHint(operations.ptr(), 0); size > 0)
      builder_.reserve(static_cast<std::size_t>(size));
    for (const py::handle operation : operations) {
      if (builder_.size() == History::kMaxOperations) refuse("too many operations in one history");
      add(operation);
    }
    return taken(builder_.finish());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    raise({fmt::format("operation {}: {}", builder_.size(), why)});
  }

  void add(py::handle operation) {
    if (PyTuple_Check(operation.ptr()) || PyList_Check(operation.ptr()))
      return add(fields_of_tuple(operation));
    if (PyDict_Check(operation.ptr())) return add(fields_of_dictionary(operation));
    if (py::hasattr(operation, "asdict")) {
      const py::object fields = operation.attr("asdict")();
      return add(fields_of_dictionary(fields));
    }
    refuse(fmt::format(
        "a {}; expected a dict with the fields process, f, args, result, call and return, or a tuple of them",
        std::string(py::str(py::type::handle_of(operation).attr("__name__")))));
  }

  Fields fields_of_tuple(py::handle operation) const {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(operation.ptr());
    if (size != static_cast<Py_ssize_t>(kInTuple)) {
      refuse(fmt::format("{} items; expected {}: process, f, args, result, call, return", size, kInTuple));
    }
    Fields fields = {};
    for (std::size_t i = 0; i < kInTuple; ++i)
      fields[i] = PySequence_Fast_GET_ITEM(operation.ptr(), static_cast<Py_ssize_t>(i));
    return fields;
  }

  Fields fields_of_dictionary(py::handle operation) const {
    Fields fields = {};
    for (std::size_t i = 0; i < kFields; ++i)
      fields[i] = PyDict_GetItemWithError(operation.ptr(), names_[i].ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return fields;
  }

  void add(const Fields& fields) {
    for (const Field needed : {kProcess, kFunction, kCall, kReturn}) {
      if (fields[needed] == nullptr)
        refuse(
            fmt::format("has no \"{}\"; expected process, f, args, result, call and return", kNames[needed]));
    }
    const FunctionId function = function_of(fields[kFunction]);
    read_arguments(fields[kArgs]);
    const Time ret = fields[kReturn] == Py_None ? kNever : time_of(fields[kReturn], kReturn);
    const Value result = fields[kResult] == nullptr ? kNull : value_of(fields[kResult], "the result");
    if (ret == kNever && !result.is_null())
      refuse("a result of an operation that has not returned; expected none where \"return\" is None");
    const OperationId added = builder_.add(process_of(fields[kProcess]), function, arguments_,
                                           {result, fields[kResult] != nullptr && ret != kNever},
                                           time_of(fields[kCall], kCall), ret);
    if (fields[kObject] != nullptr) builder_.set_object(added, value_of(fields[kObject], "the object"));
  }

  Value value_of(py::handle object, std::string_view what) {
    if (PyLong_CheckExact(object.ptr())) {  // most of them
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
      if (overflow == 0 && Value::fits(number)) return Value::small(number);
    }
    return to_value(object, builder_.values(), fmt::format("operation {}: {}", builder_.size(), what));
  }

  Value process_of(py::handle object) {
    const Value process = value_of(object, "the process");
    const ValueKind kind = builder_.values().kind(process);
    if (kind != ValueKind::kInteger && kind != ValueKind::kString)
      refuse("expected the process as a whole number or a string");
    return process;
  }

  FunctionId function_of(PyObject* object) {
    if (!PyUnicode_Check(object)) refuse("expected the function's name as a string");
    if (object == last_function_.ptr()) return last_id_;
    const auto id = function_names_.id(builder_, py::cast<std::string>(py::handle(object)));
    if (!id) raise(FunctionNames::too_many({}));
    last_function_ = py::reinterpret_borrow<py::object>(object);
    return last_id_ = *id;
  }

  void read_arguments(PyObject* object) {
    arguments_.clear();
    if (object == nullptr || object == Py_None) return;
    if (!PyList_Check(object) && !PyTuple_Check(object))
      refuse("expected the arguments, \"args\", as a list or a tuple");
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    if (static_cast<std::size_t>(size) > HistoryBuilder::kMaxArguments)
      refuse(fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments));
    for (Py_ssize_t i = 0; i < size; ++i)
      arguments_.push_back(value_of(PySequence_Fast_GET_ITEM(object, i), "an argument"));
  }

  Time time_of(PyObject* object, Field field) const {
    const auto index =
        py::reinterpret_steal<py::object>(PyBool_Check(object) ? nullptr : PyNumber_Index(object));
    if (!index) {
      PyErr_Clear();
      refuse(fmt::format("expected \"{}\" as a whole number{}", kNames[field],
                         field == kReturn ? ", or None for a pending operation" : ""));
    }
    int overflow = 0;
    const long long time = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow != 0 || time == kNever) refuse(fmt::format("expected \"{}\" below 2^63-1", kNames[field]));
    return time;
  }

  HistoryBuilder builder_;
  FunctionNames function_names_;
  std::array<py::object, kFields> names_;
  py::object last_function_;
  FunctionId last_id_ = 0;
  std::vector<Value> arguments_;
};

}  // namespace

HeldHistory from_operations(const py::iterable& operations, const std::string& model, py::handle initial) {
  return {std::make_shared<const History>(OperationsReader(model, initial).read(operations))};
}

}  // namespace plumb::python
