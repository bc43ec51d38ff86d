// Litmus programs: small threads of atomic operations, as data, and what each may do under a memory model. The format is that of
// tests/data/litmus.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace plumb_tests {

// A number, or what a register of the same thread holds.
struct Operand {
  std::int64_t number = 0;
  std::string reg = {};  // empty: the number
};

struct Instruction {
  enum class Kind : std::uint8_t { kLoad, kStore, kAdd, kExchange, kCompareExchange, kFence, kIf };
  Kind kind = Kind::kLoad;
  int location = 0;
  std::uint8_t order = 0;  // as the compilers number it
  std::uint8_t failure_order = 0;
  Operand value = {};     // stored, added, desired; of `if`: what the register is compared with
  Operand expected = {};  // of a compare-exchange
  std::string reg = {};
  std::vector<Instruction> then = {};
  std::vector<Instruction> otherwise = {};
};
using Code = std::vector<Instruction>;

using LitmusOutcome = std::map<std::string, std::int64_t>;  // "1:r0" and "x"
struct Behaviours {
  std::uint64_t executions = 0;
  std::set<LitmusOutcome> outcomes = {};
};

struct LitmusProgram {
  std::string name;
  std::vector<std::string> locations = {};
  std::vector<std::int64_t> initial = {};
  std::vector<Code> threads = {};
  Behaviours rc11 = {};
  Behaviours sequential = {};
};

std::vector<LitmusProgram> read_litmus(const std::string& path);  // empty: no such file

// A thread of one: runs its code, and asks `access` for every instruction that is an event; a load gets its value there.
template <class F>
void run_code(const Code& code, std::map<std::string, std::int64_t>& registers, const F& access) {
  const auto number = [&](const Operand& operand) {
    return operand.reg.empty() ? operand.number : registers[operand.reg];
  };
  for (const Instruction& instruction : code) {
    if (instruction.kind == Instruction::Kind::kIf) {
      const bool holds = registers[instruction.reg] == instruction.value.number;
      run_code(holds ? instruction.then : instruction.otherwise, registers, access);
      continue;
    }
    const std::int64_t value = access(instruction, number(instruction.value), number(instruction.expected));
    if (!instruction.reg.empty()) registers[instruction.reg] = value;
  }
}

}  // namespace plumb_tests
