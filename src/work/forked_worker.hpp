// A child of this process that works. It is forked when there is work for it and none is there; one that dies
// is replaced, and its answer says so.
#pragma once

#include <sys/types.h>

#include <optional>

#include "work/frames.hpp"
#include "work/worker.hpp"

namespace plumb::work {

class ForkedWorker final : public Worker {
 public:
  explicit ForkedWorker(Work work) : work_(std::move(work)) {}
  ~ForkedWorker() override;

  bool give(const std::string& request) override;
  [[nodiscard]] int file() const override { return file_; }
  State take(Answer& answer) override;
  void drop() override;
  [[nodiscard]] std::string name() const override { return "a process here"; }

 private:
  [[nodiscard]] bool start();
  [[nodiscard]] int end();  // waits for the child; how it died
  [[noreturn]] void serve(int file) const;

  Work work_;
  pid_t process_ = -1;
  int file_ = -1;
  bool busy_ = false;
  std::optional<FrameReader> answers_;
};

}  // namespace plumb::work
