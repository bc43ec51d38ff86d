// What a file says about a history before its operations: {"plumb":1,"model":…,"initial":…,"id":…}. JSON and
// EDN formats share it.
#pragma once

#include <string>
#include <string_view>

#include <plumb/history.hpp>

namespace plumb {

class Header {
 public:
  // Whether a member of this name belongs to a header. An "id" does too, but operations have ids as well.
  [[nodiscard]] static bool has(std::string_view name);
  [[nodiscard]] Status set(std::string_view name, Value value, const Values& values, Place place);
  void set_name(Value id, const Values& values);

  [[nodiscard]] bool present() const { return present_; }  // it had its "plumb"
  void apply(HistoryBuilder& builder) const;
  void set_model(std::string_view model) { model_ = model; }
  void set_name(std::string_view name) { name_ = name; }
  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] Value initial() const { return initial_; }

 private:
  bool present_ = false;
  std::string model_;
  Value initial_;
  std::string name_;
};

// Whether a history must be written with a header, given what stands before it: to say something about it, or
// only because two histories need something between them.
[[nodiscard]] bool needs_header(const History& history, std::string_view before);
[[nodiscard]] std::string header_model(const History& history);  // as it stands in a header
void append_json_header(const History& history, std::string& out);

}  // namespace plumb
