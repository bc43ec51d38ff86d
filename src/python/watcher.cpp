#include "python/watcher.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <plumb/watch.hpp>

#include "python/errors.hpp"
#include "python/models.hpp"
#include "python/python_model.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

// The reason, the numbers of the operations concerned, the object.
using Alarm = std::tuple<std::string, std::vector<std::uint64_t>, std::string>;

class HeldWatcher {
 public:
  HeldWatcher(HeldModel model, py::handle initial) : model_(std::move(model)) {
    auto values = std::make_shared<Values>();
    const Value value = to_value(initial, *values, "the initial value");
    using_model([&] {
      auto made = Watcher::make(*model_.model, values, {.initial = value});
      if (made) {
        watcher_.emplace(std::move(made).value());
      } else {
        error_ = made.error();
      }
    });
  }

  std::optional<Alarm> call(py::handle process, const std::string& function, const py::tuple& args,
                            py::handle object) {
    std::vector<Value> arguments;
    for (const py::handle argument : args) arguments.push_back(value_of(argument, "an argument"));
    const Value caller = value_of(process, "the process");
    const Value of = value_of(object, "the object");
    return told([&] { return watcher_->call(caller, function, arguments, of); });
  }
  std::optional<Alarm> ret(py::handle process, bool has_result, py::handle result) {
    const Value caller = value_of(process, "the process");
    const Value returned = value_of(result, "the result");
    return told([&] { return watcher_->ret(caller, {returned, has_result}); });
  }
  std::optional<Alarm> fail(py::handle process) {
    const Value caller = value_of(process, "the process");
    return told([&] { return watcher_->fail(caller); });
  }
  std::optional<Alarm> info(py::handle process) {
    const Value caller = value_of(process, "the process");
    return told([&] { return watcher_->info(caller); });
  }
  std::optional<Alarm> settle() {
    return told([&] { return watcher_->settle(); });
  }
  [[nodiscard]] const Watcher& watcher() const { return *watcher_; }

 private:
  Value value_of(py::handle object, std::string_view what) {
    return to_value(object, watcher_->values(), what);
  }

  // What calls Python is not to raise within; what went wrong is in error_.
  template <class Function>
  void using_model(const Function& function) {
    if (broken_) raise({"the model raised an exception before, so nothing can be judged any more"});
    if (model_.callbacks) {
      broken_ = true;
      model_.callbacks->run([&](const std::atomic<bool>&) { function(); });
      broken_ = false;
    } else {
      function();
    }
    if (error_) raise(*std::exchange(error_, std::nullopt));
  }

  template <class Function>
  std::optional<Alarm> told(const Function& function) {
    std::optional<WatchViolation> violation;
    using_model([&] {
      auto answer = function();
      if (answer) {
        violation = std::move(*answer);
      } else {
        error_ = answer.error();
      }
    });
    if (!violation) return std::nullopt;
    std::vector<std::uint64_t> numbers;
    for (const WatchedOperation& operation : violation->operations) numbers.push_back(operation.number);
    return Alarm{violation->reason, std::move(numbers), violation->object};
  }

  HeldModel model_;
  std::optional<Watcher> watcher_;
  std::optional<Error> error_;
  bool broken_ = false;  // an exception of the model's left its states half-way
};

}  // namespace

void add_watcher(py::module_& module) {
  py::class_<HeldWatcher>(module, "Watcher")
      .def(py::init<HeldModel, py::handle>())
      .def("call", &HeldWatcher::call)
      .def("ret", &HeldWatcher::ret)
      .def("fail", &HeldWatcher::fail)
      .def("info", &HeldWatcher::info)
      .def("settle", &HeldWatcher::settle)
      .def_property_readonly("operations",
                             [](const HeldWatcher& held) { return held.watcher().operations(); })
      .def_property_readonly("open", [](const HeldWatcher& held) { return held.watcher().open(); })
      .def_property_readonly("unjudged", [](const HeldWatcher& held) { return held.watcher().unjudged(); });
}

}  // namespace plumb::python
