#include "python/column.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "python/errors.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

template <class T>
T read_as(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

Column::Column(std::string name, const py::object& column) : name_(std::move(name)) {
  if (py::hasattr(column, "mask") && py::hasattr(column, "data") && py::hasattr(column, "filled")) {
    hide(column.attr("mask"));  // numpy.ma
    if (open_buffer(column.attr("data"))) return;
  }
  if (open_buffer(column)) return;
  const bool converts = py::hasattr(column, "to_numpy");  // pandas, Arrow
  const py::object array = converts ? column.attr("to_numpy")() : column;
  if (converts && open_buffer(array)) return;
  const bool is_text = py::isinstance<py::str>(column) || py::isinstance<py::bytes>(column);
  const bool is_flat = !py::hasattr(column, "ndim") || py::cast<int>(column.attr("ndim")) == 1;
  if (is_text || !is_flat || !py::isinstance<py::iterable>(column)) {
    raise({fmt::format(
        "the column '{}' is a {}; expected an array of numbers or texts in one dimension, or a sequence",
        name_, std::string(py::str(py::type::handle_of(column).attr("__name__"))))});
  }
  objects_ = py::list(array);
  size_ = static_cast<std::size_t>(PyList_GET_SIZE(objects_.ptr()));
}

void Column::hide(const py::object& mask) {
  if (!py::hasattr(mask, "ndim") || py::cast<int>(mask.attr("ndim")) != 1) return;  // nothing is hidden
  auto hidden = std::make_shared<Column>("mask of " + name_, mask);
  if (hidden->kind_ == Kind::kBool) hidden_ = std::move(hidden);
}

// By the code of the buffer protocol; none: it is not read here.
std::optional<Column::Kind> Column::kind_of(std::string_view format) {
  while (!format.empty() && (format.front() == '<' || format.front() == '=' || format.front() == '@'))
    format.remove_prefix(1);
  if (format.empty() || format.front() == '>' || format.front() == '!') return std::nullopt;
  if (format.back() == 'w') return Kind::kUcs4;
  if (format.back() == 's') return Kind::kBytes;
  if (format.size() != 1) return std::nullopt;
  const auto is_one_of = [&](std::string_view codes) {
    return codes.find(format[0]) != std::string_view::npos;
  };
  if (is_one_of("?")) return Kind::kBool;
  if (is_one_of("bhilqn")) return Kind::kSigned;
  if (is_one_of("BHILQN")) return Kind::kUnsigned;
  if (is_one_of("df")) return Kind::kReal;
  return std::nullopt;
}

// False: it has none that can be read here.
bool Column::open_buffer(const py::object& column) {
  if (PyObject_CheckBuffer(column.ptr()) == 0 || py::isinstance<py::bytes>(column)) return false;
  std::unique_ptr<py::buffer_info> buffer;
  try {
    buffer = std::make_unique<py::buffer_info>(py::reinterpret_borrow<py::buffer>(column).request());
  } catch (const py::error_already_set&) {
    return false;  // of dates, say
  }
  const std::optional<Kind> kind = kind_of(buffer->format);
  if (buffer->ndim != 1 || !kind) return false;
  kind_ = *kind;
  buffer_ = std::move(buffer);
  first_ = static_cast<const char*>(buffer_->ptr);
  stride_ = buffer_->strides[0];
  item_ = static_cast<std::size_t>(buffer_->itemsize);
  size_ = static_cast<std::size_t>(buffer_->shape[0]);
  return true;
}

std::int64_t Column::signed_at(std::size_t i) const {
  switch (item_) {
    case 1:
      return read_as<std::int8_t>(at(i));
    case 2:
      return read_as<std::int16_t>(at(i));
    case 4:
      return read_as<std::int32_t>(at(i));
    default:
      return read_as<std::int64_t>(at(i));
  }
}

std::uint64_t Column::unsigned_at(std::size_t i) const {
  switch (item_) {
    case 1:
      return read_as<std::uint8_t>(at(i));
    case 2:
      return read_as<std::uint16_t>(at(i));
    case 4:
      return read_as<std::uint32_t>(at(i));
    default:
      return read_as<std::uint64_t>(at(i));
  }
}

double Column::real_at(std::size_t i) const {
  return item_ == sizeof(float) ? static_cast<double>(read_as<float>(at(i))) : read_as<double>(at(i));
}

bool Column::is_hidden(std::size_t i) const { return hidden_ && *hidden_->at(i) != 0; }

std::string Column::row(std::size_t i) const { return fmt::format("row {} of the column '{}'", i, name_); }

Value Column::value(std::size_t i, Values& values) const {
  if (is_hidden(i)) return kNull;
  switch (kind_) {
    case Kind::kObjects:
      return to_value(PyList_GET_ITEM(objects_.ptr(), static_cast<Py_ssize_t>(i)), values, row(i));
    case Kind::kBool:
      return Value::boolean(*at(i) != 0);
    case Kind::kSigned:
      return values.integer(signed_at(i));
    case Kind::kUnsigned: {
      const std::uint64_t number = unsigned_at(i);
      if (!std::in_range<std::int64_t>(number)) raise({row(i) + " is an integer of more than 63 bits"});
      return values.integer(static_cast<std::int64_t>(number));
    }
    case Kind::kReal: {
      const double number = real_at(i);
      if (std::isnan(number)) return kNull;
      if (std::isinf(number)) raise({row(i) + " is infinite"});
      return values.real(number);
    }
    case Kind::kUcs4:
    case Kind::kBytes:
      return values.string(text(i));
  }
  return kNull;
}

bool Column::integer(std::size_t i, std::int64_t& number) const {
  if (is_hidden(i)) return false;
  if (kind_ == Kind::kSigned) return number = signed_at(i), true;
  Values values;
  const Value whole = value(i, values);
  if (whole.is_null()) return false;
  if (values.kind(whole) != ValueKind::kInteger)
    raise({fmt::format("{} is {}; expected a whole number", row(i), values.to_json(whole))});
  number = values.as_integer(whole);
  return true;
}

bool Column::truth(std::size_t i) const {
  if (is_hidden(i)) return false;
  Values values;
  const Value said = value(i, values);
  if (said.is_null() || values.kind(said) == ValueKind::kBool) return said.is_true();
  const bool is_bit = values.kind(said) == ValueKind::kInteger && (values.as_integer(said) & ~1) == 0;
  if (!is_bit) raise({fmt::format("{} is {}; expected True or False", row(i), values.to_json(said))});
  return values.as_integer(said) == 1;
}

std::string_view Column::bytes(std::size_t i) const {
  return kind_ == Kind::kUcs4 || kind_ == Kind::kBytes ? std::string_view(at(i), item_) : std::string_view();
}

// Of what was made from the row; null: it could not be made.
std::string Column::utf8(std::size_t i, PyObject* made) const {
  const auto text = py::reinterpret_steal<py::object>(made);
  Py_ssize_t size = 0;
  const char* bytes = made == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(made, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    raise({row(i) + " is no Unicode text"});
  }
  return {bytes, static_cast<std::size_t>(size)};
}

// Fixed-width text is filled up with zeros.
std::string Column::text(std::size_t i) const {
  if (kind_ == Kind::kBytes) {
    const std::string_view all = bytes(i);
    const std::string_view used = all.substr(0, all.find_last_not_of('\0') + 1);
    return utf8(i, PyUnicode_DecodeUTF8(used.data(), static_cast<Py_ssize_t>(used.size()), "strict"));
  }
  if (kind_ == Kind::kUcs4) {
    std::u32string used(item_ / sizeof(char32_t), U'\0');
    std::memcpy(used.data(), at(i), used.size() * sizeof(char32_t));
    used.resize(used.find_last_not_of(U'\0') + 1);
    return utf8(i, PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, used.data(),
                                             static_cast<Py_ssize_t>(used.size())));
  }
  Values values;
  const Value said = value(i, values);
  if (values.kind(said) != ValueKind::kString)
    raise({fmt::format("{} is {}; expected a string", row(i), values.to_json(said))});
  return std::string(values.as_string(said));
}

}  // namespace plumb::python
