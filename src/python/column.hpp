// A column of Python: an array of numbers or of fixed-width text, as NumPy, array and memoryview have them, read where it lies; or any
// sequence of objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <plumb/value.hpp>

namespace plumb::python {

class Column {
 public:
  // `name` is for messages.
  Column(std::string name, const pybind11::object& column);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // What stands at row `i`, as a value: a NaN, and what a mask hides, is null.
  [[nodiscard]] Value value(std::size_t i, Values& values) const;
  // A whole number; false: null. Anything else is refused.
  [[nodiscard]] bool integer(std::size_t i, std::int64_t& number) const;
  // True, False, 1 or 0; null is false. Anything else is refused.
  [[nodiscard]] bool truth(std::size_t i) const;
  // The bytes of the item, equal where the items are, of columns of fixed-width text; empty for all others.
  [[nodiscard]] std::string_view bytes(std::size_t i) const;
  // A text, of any column of text.
  [[nodiscard]] std::string text(std::size_t i) const;

 private:
  enum class Kind : std::uint8_t { kObjects, kBool, kSigned, kUnsigned, kReal, kUcs4, kBytes };

  [[nodiscard]] static std::optional<Kind> kind_of(std::string_view format);
  void hide(const pybind11::object& mask);
  bool open_buffer(const pybind11::object& column);
  [[nodiscard]] const char* at(std::size_t i) const {
    return first_ + static_cast<std::ptrdiff_t>(i) * stride_;
  }
  [[nodiscard]] std::int64_t signed_at(std::size_t i) const;
  [[nodiscard]] std::uint64_t unsigned_at(std::size_t i) const;
  [[nodiscard]] double real_at(std::size_t i) const;
  [[nodiscard]] bool is_hidden(std::size_t i) const;
  [[nodiscard]] std::string row(std::size_t i) const;
  [[nodiscard]] std::string utf8(std::size_t i, PyObject* made) const;

  std::string name_;
  Kind kind_ = Kind::kObjects;
  std::size_t size_ = 0;
  std::size_t item_ = 0;  // bytes
  const char* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  pybind11::object objects_;  // a list or a tuple
  std::unique_ptr<pybind11::buffer_info> buffer_;
  std::shared_ptr<Column> hidden_;  // true where there is nothing
};

}  // namespace plumb::python
