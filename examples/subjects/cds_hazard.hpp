// Hazard pointers for the containers of libcds. Those are in its headers; what the library has in its compiled part, the record of each
// thread and the scan that frees nodes, has no hooks, so the record of a thread is made here. Nodes are retired, and never freed.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <memory>

#include <cds/gc/hp.h>

namespace {

namespace hp = cds::gc::hp;

struct ThreadRecord {
  static constexpr std::size_t kGuards = 8;
  static constexpr std::size_t kRetired = 64;  // never so many

  alignas(hp::guard) std::array<std::byte, kGuards * sizeof(hp::guard)> guards;
  std::array<hp::retired_ptr, kRetired> retired;
  hp::thread_data data{reinterpret_cast<hp::guard*>(guards.data()), kGuards, retired.data(), kRetired};
};

}  // namespace

hp::smr* hp::smr::instance_ = nullptr;
hp::thread_data* hp::smr::tls() {
  thread_local const auto record = std::make_unique<ThreadRecord>();
  return &record->data;
}
void hp::smr::classic_scan(hp::thread_data* /*record*/) { std::terminate(); }
