// Models written in Python, searched as all others are.
//
// What the library sees is a Model whose steps call Python. States are objects of Python; equal keys, which the package makes of them,
// are equal states. A step is run once per state and call: what came of it is kept. An exception ends the work that called, and is
// raised where that was asked for: nothing that was decided meanwhile is told.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <pybind11/pybind11.h>

#include "python/interruptible.hpp"
#include "python/models.hpp"

namespace plumb::python {

// What is shared by a model and the work that uses it.
class Callbacks {
 public:
  // Runs work that may call the model, in this thread, and raises what the model raised. One at a time.
  void run(const Work& work);

  // With Python's lock, which this must not have. Nothing is called any more once something was raised.
  template <class Function>
  void call(const Function& function) {
    if (stop_) return;
    const pybind11::gil_scoped_acquire acquire;
    try {
      function();
    } catch (...) {
      failure_ = std::current_exception();
      stop_ = true;
    }
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> stop_ = false;
  std::exception_ptr failure_;
};

// One operation of a model: name, fewest and most arguments, whether it returns nothing, whether it only reads.
using PythonOperation = std::tuple<std::string, std::size_t, std::size_t, bool, bool>;

// `subject` has the methods initial(value), step(state, f, args, process), key(state) and describe(state): see plumb/model.py.
[[nodiscard]] HeldModel make_python_model(const std::string& name,
                                          const std::vector<PythonOperation>& operations,
                                          const pybind11::object& subject,
                                          std::optional<std::size_t> partition_by, const std::string& family,
                                          bool depends_on_process);

// Of each function of a history: name, fewest and most arguments, whether its operations return without a result, all that do.
[[nodiscard]] std::vector<std::tuple<std::string, std::size_t, std::size_t, bool>> shapes_of(
    const HeldHistory& held);

}  // namespace plumb::python
