// plumb._native: what the package has of the library. The classes that people see are written in Python, in src/python/plumb.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <plumb/files.hpp>
#include <plumb/generate.hpp>
#include <plumb/version.hpp>

#include "python/columns.hpp"
#include "python/errors.hpp"
#include "python/history.hpp"
#include "python/models.hpp"
#include "python/python_model.hpp"
#include "python/recorder.hpp"
#include "python/values.hpp"
#include "python/verdict.hpp"
#include "python/watcher.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

using RelaxList = std::vector<std::pair<std::string, std::optional<std::uint32_t>>>;

RelaxList pairs_of(const std::vector<Relaxation>& relax) {
  RelaxList pairs;
  for (const Relaxation& one : relax) pairs.emplace_back(one.operation, one.k);
  return pairs;
}

void add_histories(py::module_& module) {
  py::class_<HeldHistory>(module, "History")
      .def("__len__", [](const HeldHistory& held) { return held.history->size(); })
      .def_property_readonly("pending", [](const HeldHistory& held) { return held.history->pending(); })
      .def_property_readonly("processes", [](const HeldHistory& held) { return held.history->processes(); })
      .def_property_readonly("functions",
                             [](const HeldHistory& held) {
                               const auto names = held.history->functions();
                               return std::vector<std::string>(names.begin(), names.end());
                             })
      .def_property_readonly("model", [](const HeldHistory& held) { return held.history->model(); })
      .def_property_readonly("name", [](const HeldHistory& held) { return held.history->name(); })
      .def_property_readonly(
          "initial",
          [](const HeldHistory& held) { return to_python(held.history->initial(), held.history->values()); })
      .def_readonly("file", &HeldHistory::file)
      .def_readonly("index", &HeldHistory::index)
      .def("operation", &operation_of)
      .def("describe", [](const HeldHistory& held, OperationId id) { return held.history->describe(id); })
      .def("line", [](const HeldHistory& held, OperationId id) { return held.history->place(id).line; })
      .def("shapes", &shapes_of)
      .def("text", &text_of);
  module.def("read", &read_file);
  module.def("parse", &read_bytes);
  module.def("from_operations", &from_operations);
  module.def("from_columns", &from_columns);
  module.def("arities_of", &arities_of);
  module.def("write", &write_all);
}

void add_models(py::module_& module) {
  py::class_<HeldModel>(module, "Model").def_property_readonly("name", [](const HeldModel& held) {
    return std::string(held.model->name());
  });
  module.def("model_names", [] {
    std::vector<std::string> names;
    for (const Model* model : built_in_models()) names.emplace_back(model->name());
    return names;
  });
  module.def("model_by_name", &model_by_name);
  module.def("model_of_file", &model_of_file);
  module.def("model_of", &model_of);
  module.def("make_model", &make_python_model);
}

void add_violations(py::class_<HeldVerdict>& type) {
  const auto violation = [&](const char* name, auto get) {
    type.def_property_readonly(
        name, [get](const HeldVerdict& held) -> std::optional<decltype(get(*held.verdict.violation))> {
          if (!held.verdict.violation) return std::nullopt;
          return get(*held.verdict.violation);
        });
  };
  violation("reason", [](const Violation& found) { return found.reason; });
  violation("core", [](const Violation& found) { return found.operations; });
  violation("stuck", [](const Violation& found) { return found.stuck; });
  violation("prefix", [](const Violation& found) { return found.prefix; });
  violation("allowed", [](const Violation& found) { return found.allowed; });
  violation("allowed_complete", [](const Violation& found) { return found.allowed_complete; });
  violation("states", [](const Violation& found) { return found.states; });
  violation("tried_relax", [](const Violation& found) { return pairs_of(found.relax); });
}

void add_verdicts(py::module_& module) {
  py::class_<HeldVerdict> type(module, "Verdict");
  add_violations(type);
  type.def_readonly("history", &HeldVerdict::history)
      .def_property_readonly("model", &model_name)
      .def_property_readonly("outcome",
                             [](const HeldVerdict& held) { return std::string(to_string(held.verdict)); })
      .def_property_readonly("engine",
                             [](const HeldVerdict& held) { return to_string(held.verdict.engines); })
      .def_property_readonly("why", [](const HeldVerdict& held) { return held.verdict.why; })
      .def_property_readonly("linearization",
                             [](const HeldVerdict& held) { return held.verdict.linearization; })
      .def_property_readonly("legal", [](const HeldVerdict& held) { return held.verdict.legal; })
      .def_property_readonly("relax", [](const HeldVerdict& held) { return pairs_of(held.verdict.relax); })
      .def_property_readonly("depth", [](const HeldVerdict& held) { return held.verdict.depth; })
      .def_property_readonly("elapsed", [](const HeldVerdict& held) { return held.verdict.elapsed.count(); })
      .def_property_readonly("parts", [](const HeldVerdict& held) { return held.verdict.parts; })
      .def_property_readonly("configurations",
                             [](const HeldVerdict& held) { return held.verdict.configurations; })
      .def("report", &report_of)
      .def("certificate", &certificate_of);
  module.def("check", [](const HeldHistory& history, const HeldModel& model, const std::string& engine,
                         const RelaxList& relax, std::uint32_t max_k, unsigned max_depth, bool only,
                         std::optional<double> timeout, std::optional<std::size_t> memory, unsigned jobs,
                         std::optional<double> clock_error, unsigned time_unit) {
    CheckOptions options{.engine = engine_by_name(engine),
                         .memory = memory,
                         .jobs = jobs,
                         .max_k = max_k,
                         .time_unit = static_cast<TimeUnit>(time_unit),
                         .max_depth = max_depth,
                         .hitting_only = only};
    if (timeout) options.timeout = Seconds(*timeout);
    if (clock_error) options.clock_error = std::chrono::duration<double, std::milli>(*clock_error);
    for (const auto& [operation, k] : relax) options.relax.push_back({operation, k});
    return check_history(history, model, options);
  });
  module.def("verify", &verify_certificate);
}

void add_generator(py::module_& module) {
  module.def("generate", [](const std::string& model, std::size_t operations, std::size_t processes,
                            std::uint64_t seed, bool spoil, double pending, bool distinct) {
    auto generated = taken(generate({.model = model,
                                     .operations = operations,
                                     .processes = processes,
                                     .distinct = distinct,
                                     .pending = pending,
                                     .seed = seed,
                                     .spoil = spoil}));
    return HeldHistory{std::make_shared<const History>(std::move(generated.history))};
  });
}

}  // namespace
}  // namespace plumb::python

PYBIND11_MODULE(_native, module) {
  using namespace plumb::python;  // NOLINT(google-build-using-namespace)
  module.attr("version") = std::string(plumb::kVersion);
  add_histories(module);
  add_models(module);
  add_verdicts(module);
  add_generator(module);
  add_recorder(module);
  add_watcher(module);
}
