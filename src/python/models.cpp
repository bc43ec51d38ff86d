#include "python/models.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "python/errors.hpp"
#include "spec/fitting_models.hpp"
#include "spec/spec_file.hpp"

namespace plumb::python {
namespace {

HeldModel built_in(const Model& model) {
  return {std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model)};
}

// A compiled model calls functions of the library, which Python has loaded for itself alone: now they are for all.
void share_library() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&share_library), &here) != 0)
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

}  // namespace

HeldModel model_by_name(const std::string& name) { return built_in(*taken(find_model(name))); }

HeldModel model_of_file(const std::string& path) {
  share_library();
  auto loaded = [&] {
    const pybind11::gil_scoped_release release;
    return load_spec(path);
  }();
  return {taken(std::move(loaded))};
}

HeldModel model_of(const HeldHistory& held) {
  const History& history = *held.history;
  if (!history.model().empty()) return model_by_name(history.model());
  if (history.empty()) {
    HeldModel any = built_in(*built_in_models().front());
    any.is_any = true;
    return any;
  }
  const auto fitting = fitting_models(history);
  const std::string functions = joined(history.functions());
  raise({fitting.empty()
             ? fmt::format(
                   "no model is named, and none of the built-in ones has all of: {}; give one of your own",
                   functions)
             : fmt::format("no model is named; expected model=NAME (its operations, {}, fit: {})", functions,
                           joined(fitting)),
         {},
         held.file});
}

}  // namespace plumb::python
