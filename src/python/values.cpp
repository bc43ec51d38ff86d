#include "python/values.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "python/errors.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

constexpr int kDeepest =
    250;  // what was written can be read; a list that holds itself is refused, not followed

class ValueReader {
 public:
  ValueReader(Values& values, std::string_view what) : values_(values), what_(what) {}

  Value read(py::handle object, int depth) {
    if (object.is_none()) return kNull;
    if (py::isinstance<py::bool_>(object)) return Value::boolean(object.ptr() == Py_True);
    if (PyLong_Check(object.ptr())) return integer(object);
    if (PyUnicode_Check(object.ptr())) return values_.string(text(object));
    if (PyFloat_Check(object.ptr())) return real(object);
    if (depth == kDeepest) refuse("nested too deeply");
    if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return array(object, depth);
    if (PyDict_Check(object.ptr())) return dictionary(object, depth);
    return scalar(object, depth);
  }

 private:
  [[noreturn]] void refuse(const std::string& found) {
    raise({fmt::format(
        "{} is {}; expected what JSON can say: None, a bool, an int of 64 bits, a float, a str, a list, "
        "a tuple or a dict",
        what_, found)});
  }

  // Of NumPy: what it is in Python, unless that is a time, a complex number or the like. What is masked is no value.
  Value scalar(py::handle object, int depth) {
    if (!py::hasattr(object, "item") || py::hasattr(object, "mask")) refuse_type(object);
    py::object plain;
    try {
      plain = object.attr("item")();
    } catch (const py::error_already_set&) {  // an array
      refuse_type(object);
    }
    const bool is_plain = plain.is_none() || PyLong_Check(plain.ptr()) || PyUnicode_Check(plain.ptr()) ||
                          PyFloat_Check(plain.ptr());  // a bool is an int
    if (!is_plain) refuse_type(object);
    return read(plain, depth);
  }

  [[noreturn]] void refuse_type(py::handle object) {
    refuse(fmt::format("a value of type {}",
                       std::string(py::str(py::type::handle_of(object).attr("__name__")))));
  }

  Value integer(py::handle object) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow != 0) refuse("an integer of more than 64 bits");
    return values_.integer(number);
  }

  Value real(py::handle object) {
    const double number = PyFloat_AS_DOUBLE(object.ptr());
    if (!std::isfinite(number)) refuse("a float that is not finite");
    return values_.real(number);
  }

  std::string_view text(py::handle object) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      refuse("a string that is no Unicode text");
    }
    return {bytes, static_cast<std::size_t>(size)};
  }

  Value array(py::handle object, int depth) {
    std::vector<Value> items;
    for (const py::handle item : py::reinterpret_borrow<py::sequence>(object))
      items.push_back(read(item, depth + 1));
    return values_.array(items);
  }

  Value dictionary(py::handle object, int depth) {
    std::vector<Member> members;
    for (const auto& [name, member] : py::reinterpret_borrow<py::dict>(object)) {
      if (!PyUnicode_Check(name.ptr())) refuse("a dict with a key that is no str");
      const Value key = values_.string(text(name));
      members.emplace_back(key, read(member, depth + 1));
    }
    return values_.object(members);
  }

  Values& values_;
  std::string_view what_;
};

}  // namespace

Value to_value(py::handle object, Values& values, std::string_view what) {
  return ValueReader(values, what).read(object, 0);
}

py::object to_python(Value value, const Values& values) {
  switch (values.kind(value)) {
    case ValueKind::kNil:
      break;
    case ValueKind::kBool:
      return py::bool_(value.is_true());
    case ValueKind::kInteger:
      return py::int_(values.as_integer(value));
    case ValueKind::kReal:
      return py::float_(values.as_real(value));
    case ValueKind::kString:
      return py::str(values.as_string(value));
    case ValueKind::kArray: {
      py::list items;
      for (const Value item : values.as_array(value)) items.append(to_python(item, values));
      return items;
    }
    case ValueKind::kObject: {
      py::dict members;
      const auto all = values.as_object(value);
      for (std::size_t i = 0; i < all.size(); i += 2)
        members[to_python(all[i], values)] = to_python(all[i + 1], values);
      return members;
    }
  }
  return py::none();
}

}  // namespace plumb::python
