#include "python/history.hpp"

#include <plumb/files.hpp>

#include "python/errors.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

std::vector<HeldHistory> held(std::vector<History> histories, const std::string& file) {
  std::vector<HeldHistory> all;
  all.reserve(histories.size());
  for (History& history : histories) {
    all.push_back(
        {std::make_shared<const History>(std::move(history)), file, all.size(), histories.size() == 1});
  }
  return all;
}

}  // namespace

std::vector<HeldHistory> read_file(const std::string& path, const std::string& format) {
  auto histories = [&] {
    const py::gil_scoped_release release;
    return read_histories(path, format);
  }();
  return held(taken(std::move(histories)), path);
}

std::vector<HeldHistory> read_bytes(const py::bytes& bytes, const std::string& format,
                                    const std::string& name) {
  const std::string_view text = bytes;
  auto histories = [&] {
    const py::gil_scoped_release release;
    return parse_histories(text, format, name);
  }();
  return held(taken(std::move(histories)), name);
}

py::dict operation_of(const HeldHistory& held, std::size_t index) {
  const History& history = *held.history;
  const auto id = static_cast<OperationId>(index);
  const auto object_of = [&](Value value) { return to_python(value, history.values()); };
  py::list args;
  for (const Value argument : history.args(id)) args.append(object_of(argument));
  py::dict fields;
  fields["process"] = object_of(history.process(id));
  fields["f"] = history.function_name(id);
  fields["args"] = args;
  if (history.has_result(id) && !history.is_pending(id)) fields["result"] = object_of(history.result(id));
  if (!history.object(id).is_null()) fields["object"] = object_of(history.object(id));
  fields["call"] = history.call(id);
  fields["return"] = history.is_pending(id) ? py::object(py::none()) : py::object(py::int_(history.ret(id)));
  return fields;
}

std::string text_of(const HeldHistory& held, const std::string& format) {
  return taken(format_histories({held.history.get(), 1}, format));
}

void write_all(const std::vector<HeldHistory>& histories, const std::string& path,
               const std::string& format) {
  std::vector<History> all;
  all.reserve(histories.size());
  for (const HeldHistory& held : histories) all.push_back(*held.history);
  (void)taken(write_histories(all, path, format));
}

}  // namespace plumb::python
