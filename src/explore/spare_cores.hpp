// The processors that a run may use and that none of its processes does at the moment. Its processes are forks of one another and see the
// same numbers: who hands out work says how many have nothing to do, and a search that takes long takes one for a part of what is left
// (search_parts.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace plumb::engine {

class SpareCores {
 public:
  SpareCores();
  ~SpareCores();
  SpareCores(const SpareCores&) = delete;
  SpareCores& operator=(const SpareCores&) = delete;

  // So many are idle but for the parts that were taken with take().
  void set_idle(int count);
  // The parts that were taken are gone, whether or not they said so.
  void forget_taken();

  [[nodiscard]] bool any() const;
  [[nodiscard]] bool take();  // false: there is none
  void give_back();

  // Set when the end is asked for, where these are the processors of one search.
  [[nodiscard]] std::atomic<bool>* stop();
  // Executions that were run by all processes of a search, where it may only run so many.
  std::uint64_t count_executions(std::uint64_t more);

 private:
  struct Shared;
  Shared* shared_ = nullptr;  // null: the system gave no memory, so there never is one
};

}  // namespace plumb::engine
