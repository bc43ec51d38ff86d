#include "testing/worker_board.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

namespace plumb::testing {
namespace {

struct Words {
  std::atomic<bool> written{false};
  std::size_t scenario = 0;
  char text[1024] = {};
};

}  // namespace

struct WorkerBoard::Shared {
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> taken{0};
  std::array<Words, 64> words;  // no more workers need to be known
};

WorkerBoard::WorkerBoard() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) shared_ = new (memory) Shared;
}

WorkerBoard::~WorkerBoard() {
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

std::atomic<bool>& WorkerBoard::stop() { return shared_->stop; }

void WorkerBoard::leave_words(std::size_t scenario, std::string_view words) {
  const std::size_t place = shared_->taken++;
  if (place >= shared_->words.size()) return;
  Words& mine = shared_->words[place];
  mine.scenario = scenario;
  std::memcpy(mine.text, words.data(), std::min(words.size(), sizeof mine.text - 1));
  mine.written = true;
}

std::optional<std::string> WorkerBoard::words_about(std::size_t scenario) const {
  for (const Words& words : shared_->words) {
    if (words.written && words.scenario == scenario) return words.text;
  }
  return std::nullopt;
}

work::WorkerPool workers_here(std::size_t count, std::size_t cores, ScenarioRunner& runner,
                              WorkerBoard& board, std::function<std::optional<double>()> over) {
  const auto work = [&runner, &board](const std::string& message) {
    const ScenarioRequest request = ScenarioRequest::read(message).value();
    if (board) {
      runner.obey(&board.stop(), [&board, number = request.number](const std::string& sentence) {
        board.leave_words(number, sentence);
        _exit(kCannotEnd);
      });
    }
    runner.share_with(&board.cores());
    return runner.answer(request);
  };
  const auto idle = [&board, more = static_cast<int>(cores - count)](std::size_t workers) {
    board.cores().set_idle(more + static_cast<int>(workers));
  };
  return work::local_pool(count, work, {.over = std::move(over), .idle = idle});
}

}  // namespace plumb::testing
