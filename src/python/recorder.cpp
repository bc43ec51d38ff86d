#include "python/recorder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <plumb/record.hpp>

#include "python/errors.hpp"
#include "python/history.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

// An argument or a result, with the text that it may need.
class Recorded {
 public:
  Recorded(py::handle object, std::string_view what) {
    if (PyUnicode_Check(object.ptr())) {
      Py_ssize_t size = 0;
      if (const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size)) {
        value_ = LogValue(std::string_view(text, static_cast<std::size_t>(size)));
        return;
      }
      PyErr_Clear();
    }
    Values values;
    const Value value = to_value(object, values, what);
    if (LogValue::can_be(value)) {
      value_ = LogValue::of(value);
    } else if (values.kind(value) == ValueKind::kInteger) {
      value_ = LogValue(values.as_integer(value));
    } else {
      text_ = std::make_unique<std::string>(values.to_json(value));
      value_ = LogValue::json(*text_);
    }
  }
  [[nodiscard]] LogValue value() const { return value_; }

 private:
  LogValue value_;
  std::unique_ptr<std::string> text_;  // which does not move when this does
};

ClockKind clock_by_name(const std::string& name) {
  for (const ClockKind kind :
       {ClockKind::kAuto, ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter}) {
    if (clock_name(kind) == name) return kind;
  }
  raise({fmt::format("there is no clock '{}'; expected auto, hardware, system or counter", name)});
}

struct OpenRecorder {
  std::unique_ptr<Recorder> recorder;
  bool closed = false;

  void require_open() const {
    if (!closed) return;
    PyErr_SetString(PyExc_RuntimeError, "the recorder is closed");
    throw py::error_already_set();
  }
};

class Log {
 public:
  Log(std::shared_ptr<OpenRecorder> owner, ThreadLog& log) : owner_(std::move(owner)), log_(&log) {}

  void call(std::uint32_t function, const py::tuple& arguments) {
    owner_->require_open();
    if (arguments.size() > HistoryBuilder::kMaxArguments)
      raise({fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments)});
    std::vector<Recorded> recorded;
    recorded.reserve(arguments.size());
    std::vector<LogValue> values;
    values.reserve(arguments.size());
    for (const py::handle argument : arguments)
      values.push_back(recorded.emplace_back(argument, "an argument").value());
    log_->call_with({function}, values);
  }
  // What ends after the recorder was closed is pending, as is an operation whose result no history can hold.
  void ret(py::handle result) {
    if (owner_->closed) return;
    const std::uint64_t now = log_->stamp();
    try {
      log_->ret_at(now, Recorded(result, "the result").value());
    } catch (...) {
      log_->info();
      throw;
    }
  }
  void ret_nothing() {
    if (!owner_->closed) log_->ret();
  }
  void fail() {
    if (!owner_->closed) log_->fail();
  }
  void info() {
    if (!owner_->closed) log_->info();
  }

 private:
  std::shared_ptr<OpenRecorder> owner_;
  ThreadLog* log_;
};

std::shared_ptr<OpenRecorder> open_recorder(const std::optional<std::string>& path, const std::string& model,
                                            py::handle initial, const std::string& clock) {
  RecorderOptions options{.model = model, .clock = clock_by_name(clock)};
  Values values;
  if (const Value value = to_value(initial, values, "the initial value"); !value.is_null())
    options.initial = values.to_json(value);
  auto recorder = path ? Recorder::open(*path, std::move(options)) : Recorder::in_memory(std::move(options));
  return std::make_shared<OpenRecorder>(OpenRecorder{taken(std::move(recorder))});
}

}  // namespace

void add_recorder(py::module_& module) {
  py::class_<Log>(module, "Log")
      .def("call", &Log::call)
      .def("ret", &Log::ret)
      .def("ret_nothing", &Log::ret_nothing)
      .def("fail", &Log::fail)
      .def("info", &Log::info);
  py::class_<OpenRecorder, std::shared_ptr<OpenRecorder>>(module, "Recorder")
      .def(py::init(&open_recorder))
      .def("function",
           [](const OpenRecorder& own, const std::string& name, const std::string& object) {
             own.require_open();
             return own.recorder->function(name, object).number;
           })
      .def("log",
           [](const std::shared_ptr<OpenRecorder>& own) {
             own->require_open();
             return Log(own, own->recorder->thread());
           })
      .def("history",
           [](const OpenRecorder& own) {
             return HeldHistory{std::make_shared<const History>(taken(own.recorder->history()))};
           })
      .def_readonly("closed", &OpenRecorder::closed)
      // One in memory keeps what it has: it is only that nothing more is recorded.
      .def("close", [](OpenRecorder& own, bool is_file) {
        if (std::exchange(own.closed, true)) return;
        (void)taken(is_file ? own.recorder->close() : own.recorder->status());
      });
}

}  // namespace plumb::python
