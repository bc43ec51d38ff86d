#include "explore/schedule.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "explore/memory_models.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {
namespace {

constexpr std::size_t kBuildDigits = 8;
constexpr std::size_t kChecksumDigits = 8;

// The first bytes of the note that the linker leaves with --build-id.
void find_note(const dl_phdr_info& info, std::string& out) {
  for (int i = 0; i < info.dlpi_phnum && out.empty(); ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end && out.empty()) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* content = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= kBuildDigits / 2) {
        for (std::size_t byte = 0; byte < kBuildDigits / 2; ++byte) {
          out += fmt::format("{:02x}", static_cast<unsigned char>(content[byte]));
        }
      }
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
}

class Replay final : public Strategy {
 public:
  Replay(Schedule schedule, AtTheEnd at_the_end) : schedule_(std::move(schedule)), at_the_end_(at_the_end) {
    needs_every_step_ = at_the_end == AtTheEnd::kSolo;
  }

  void begin() override { at_ = 0; }
  Pick pick(const SchedulingPoint& point) override {
    const bool over = at_ == schedule_.size();
    if (over && at_the_end_ == AtTheEnd::kSolo && (point.enabled & bit(point.current)) == 0)
      return Stop::kNotObstructionFree;
    if (single(point.enabled) || over) return prefer(point.current, point.enabled);
    const int chosen = schedule_[at_++];
    return pick_if_enabled(point, chosen, Stop::kReplayMismatch);
  }
  bool ended_early() const override { return at_ < schedule_.size(); }
  bool end() override { return false; }
  bool complete() const override { return false; }

 private:
  Schedule schedule_;
  AtTheEnd at_the_end_;
  std::size_t at_ = 0;
};

std::string to_text(const Schedule& schedule) {
  std::string text;
  for (std::size_t i = 0; i < schedule.size();) {
    std::size_t end = i;
    while (end < schedule.size() && schedule[end] == schedule[i]) ++end;
    if (i > 0) text += '.';
    text += end - i == 1 ? fmt::format("{}", schedule[i]) : fmt::format("{}x{}", schedule[i], end - i);
    i = end;
  }
  return text;
}

std::optional<Schedule> parse_choices(std::string_view text) {
  Schedule schedule;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    unsigned thread = 0;
    std::size_t times = 1;
    auto read = std::from_chars(at, end, thread);
    if (read.ec == std::errc{} && read.ptr != end && *read.ptr == 'x')
      read = std::from_chars(read.ptr + 1, end, times);
    if (read.ec != std::errc{} || thread >= 32 || times == 0 || times > kMaxSteps) return std::nullopt;
    schedule.insert(schedule.end(), times, static_cast<std::uint8_t>(thread));
    at = read.ptr;
    if (at != end && *at++ != '.') return std::nullopt;
  }
  return schedule;
}

// Not over the build, which stands in the token to be compared: the rest is the same from build to build.
std::string checksum(std::string_view choices, std::string_view of) {
  Hash hash = mix128(1, of.size());  // so that it matters where one ends and the other begins
  for (const std::string_view text : {of, choices}) {
    for (const char c : text) hash = mix128(hash, static_cast<unsigned char>(c));
  }
  return fmt::format("{:0{}x}", static_cast<std::uint32_t>(hash), kChecksumDigits);
}

Error wrong_token(std::string_view token, std::string_view why) {
  return Error{fmt::format("replay token \"{}\": {}", token, why)};
}

// The checksum is over the model, too: tokens of two of them begin with words that differ in one character.
std::string what_it_is_of(MemoryModel model, std::string_view of) {
  return fmt::format("{}{}", of, model == MemoryModel::kSequential ? "" : row_of(model).token);
}

}  // namespace

std::string to_token(MemoryModel model, const Schedule& choices, std::string_view of) {
  const std::string text = to_text(choices);
  return fmt::format("{}{}-{}-{}", row_of(model).token, build_id(), checksum(text, what_it_is_of(model, of)),
                     text);
}

std::optional<MemoryModel> model_of_token(std::string_view token) {
  for (const MemoryModelRow& row : kMemoryModels) {
    if (token.starts_with(row.token)) return row.model;
  }
  return std::nullopt;
}

Result<Schedule> from_token(MemoryModel model, std::string_view token, std::string_view of) {
  const auto wrong = [&](std::string_view why) { return wrong_token(token, why); };
  if (const auto other = model_of_token(token); other && *other != model)
    return wrong(fmt::format("it is of an execution under the memory model {} ({}), and this one is under {}",
                             word_of(*other), row_of(*other).what, word_of(model)));
  const std::string_view prefix = row_of(model).token;
  std::string_view rest = token;
  if (!rest.starts_with(prefix)) return wrong(fmt::format("a token begins with {}", prefix));
  rest.remove_prefix(prefix.size());
  if (rest.size() <= kBuildDigits || rest[kBuildDigits] != '-') return wrong("the build id is missing");
  if (rest.substr(0, kBuildDigits) != build_id()) {
    return wrong(fmt::format("it belongs to build {}, this program is {}: it was rebuilt since",
                             rest.substr(0, kBuildDigits), build_id()));
  }
  rest.remove_prefix(kBuildDigits + 1);
  const std::string_view choices = rest.substr(std::min(rest.size(), kChecksumDigits + 1));
  if (rest != fmt::format("{}-{}", checksum(choices, what_it_is_of(model, of)), choices))
    return wrong("it is damaged or truncated: its checksum does not fit");
  auto schedule = parse_choices(choices);
  return schedule ? Result<Schedule>(std::move(*schedule))
                  : wrong("expected THREADxTIMES, with dots between");
}

std::string build_id() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        find_note(*info, *static_cast<std::string*>(out));
        return 1;  // only the program itself
      },
      &id);
  return id.empty() ? std::string(kBuildDigits, '0') : id;
}

std::unique_ptr<Strategy> replay(Schedule schedule, AtTheEnd at_the_end) {
  return std::make_unique<Replay>(std::move(schedule), at_the_end);
}

}  // namespace plumb::engine
