// Files in and out: decompress, recognise, hand over to the codec; and back.
#include <plumb/files.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "base/compression.hpp"
#include "base/file_io.hpp"
#include "base/suggest.hpp"
#include "formats/codecs.hpp"
#include "formats/etcd_report.hpp"
#include "formats/sniff.hpp"
#include "history/text.hpp"
#include "record/recording_bytes.hpp"

namespace plumb {
namespace {

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kAuto = "auto";

std::vector<std::string> format_names(bool only_writable) {
  std::vector<std::string> names;
  for (const Codec* codec : all_codecs()) {
    if (!only_writable || codec->can_write()) names.emplace_back(codec->name());
  }
  return names;
}

Result<const Codec*> codec_by_name(std::string_view format) {
  if (const Codec* codec = find_codec(format)) return codec;
  const auto names = format_names(false);
  return Error{fmt::format("unknown format '{}'{}; there are auto, {}", format, did_you_mean(format, names),
                           fmt::join(names, ", "))};
}

// `auto` by content. What begins with white space only is not known yet: no codec, no error.
Result<const Codec*> choose_codec(std::string_view text, std::string_view format) {
  if (format != kAuto) return codec_by_name(format);
  const std::string_view body = trim(without_byte_order_mark(text));
  if (body.empty()) return nullptr;
  if (const Codec* codec = recognise(body).codec) return codec;
  return Error{fmt::format("not a history in a known format; expected one of {}",
                           fmt::join(format_names(false), ", ")),
               {1, 1}};
}

std::vector<History> only(History history) {
  std::vector<History> one;
  one.push_back(std::move(history));
  return one;
}

Result<std::vector<History>> empty_history() {
  auto history = HistoryBuilder().finish();
  if (!history) return history.error();
  return only(std::move(*history));
}

Result<std::vector<History>> parse_text(std::string_view text, std::string_view format) {
  auto codec = choose_codec(text, format);
  if (!codec) return codec.error();
  if (*codec == nullptr || trim(without_byte_order_mark(text)).empty()) return empty_history();
  if (const auto what = not_a_history(text); !what.empty()) return Error{std::string(what), {1, 1}};
  return (*codec)->read(text);
}

// Reads the beginning, and the rest only if that is of use.
template <class Source>
Result<std::string> read_whole(Source& source, std::string_view format, std::string text = {}) {
  if (auto status = source.read(text, kSniffed); !status) return status.error();
  if (compression_of(text) == Compression::kNone) {
    if (auto codec = choose_codec(text, format); !codec) return codec.error();
  }
  if (auto status = source.read(text, kEverything); !status) return status.error();
  return text;
}

Result<std::vector<History>> parse_bytes(std::string_view bytes, std::string_view format) {
  if (compression_of(bytes) == Compression::kNone) return parse_text(bytes, format);
  Decompressor decompressor(bytes);
  auto text = read_whole(decompressor, format);
  if (!text) return text.error();
  return parse_text(*text, format);
}

// Somebody may be writing it: first the moment up to which it is read, then the file again, so that nothing
// from before that moment is missing.
Result<std::vector<History>> parse_mapped(InputFile& file, std::string_view format) {
  const auto moment = growing_recording_moment(file.mapped());
  if (!moment || (format != kAuto && format != binary_codec().name()))
    return parse_bytes(file.mapped(), format);
  if (auto status = file.map_again(); !status) return status.error();
  auto history = read_growing_recording(file.mapped(), *moment);
  if (!history) return history.error();
  return only(std::move(*history));
}

// Runs a reader or a writer, names the file in its error, and lets no exception out.
template <class T, class Work>
Result<T> guarded(const std::string& name, Work&& work) {
  Error error;
  try {
    Result<T> done = work();
    if (done) return done;
    error = done.error();
  } catch (const std::bad_alloc&) {
    error.message = "not enough memory";
  } catch (const std::length_error&) {
    error.message = "not enough memory";
  }
  if (error.file.empty()) error.file = name;
  return error;
}

Result<std::string> format_by_name(std::string_view path) {
  if (const Codec* codec = codec_by_ending(path, true)) return std::string(codec->name());
  std::string usual;
  for (const Codec* codec : all_codecs()) {
    if (!codec->can_write() || codec->endings().empty()) continue;
    if (!usual.empty()) usual += ", ";
    usual += codec->endings().front();
  }
  return Error{
      fmt::format(
          "the name does not determine the format; expected one of {} (then .gz or .zst, if wanted), or the "
          "format by name: {}",
          usual, fmt::join(format_names(true), ", ")),
      {},
      std::string(path)};
}

}  // namespace

Result<std::vector<History>> read_histories(const std::string& path, std::string_view format) {
  return guarded<std::vector<History>>(path, [&]() -> Result<std::vector<History>> {
    if (format != kAuto) {
      if (auto codec = codec_by_name(format); !codec) return codec.error();
    }
    if ((format == kAuto || format == etcd_codec().name()) && is_etcd_report(path))
      return read_etcd_report(path);
    auto file = InputFile::open(path);
    if (!file) return file.error();
    if (file->is_mapped()) return parse_mapped(*file, format);
    auto bytes = read_whole(*file, format);
    if (!bytes) return bytes.error();
    return parse_bytes(*bytes, format);
  });
}

Result<std::vector<History>> parse_histories(std::string_view bytes, std::string_view format,
                                             const std::string& name) {
  return guarded<std::vector<History>>(name, [&] { return parse_bytes(bytes, format); });
}

Result<std::string> format_histories(std::span<const History> histories, std::string_view format) {
  auto codec = codec_by_name(format);
  if (!codec) return codec.error();
  std::string out;
  for (const History& history : histories) {
    if (auto status = (*codec)->write(history, out); !status) return status.error();
  }
  return out;
}

Status write_histories(std::span<const History> histories, const std::string& path, std::string_view format) {
  return guarded<Ok>(path, [&]() -> Status {
    Result<std::string> name = format == kAuto ? format_by_name(path) : std::string(format);
    if (!name) return name.error();
    auto text = format_histories(histories, *name);
    if (!text) return text.error();
    const Compression compression = compression_by_name(path);
    if (compression == Compression::kNone) return write_file(path, *text);
    auto bytes = compress(*text, compression);
    if (!bytes) return bytes.error();
    return write_file(path, *bytes);
  });
}

std::span<const FormatInfo> history_formats() {
  static const std::vector<FormatInfo> formats = [] {
    std::vector<FormatInfo> all;
    for (const Codec* codec : all_codecs()) {
      all.push_back({std::string(codec->name()), std::string(codec->summary()), codec->can_write()});
    }
    return all;
  }();
  return formats;
}

}  // namespace plumb
