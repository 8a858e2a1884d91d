#include "survey/journal/underway.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "io/files/output_file.hpp"
#include "io/files/passing.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/journal/journal_files.hpp"

namespace srcextract {
namespace {

// Format of a line: "begun 12 0123456789abcdef night1/a.fits", padded with blanks, and a newline. The constants are its
// length, and the offsets of trials, hash and name.
constexpr std::size_t line_bytes = 128, trials_at = 6, hash_at = 9, name_at = 26;
constexpr std::string_view begun = "begun", ended = "ended";
constexpr int most_counted = 99;

std::string padded(std::string text) {
  text.resize(line_bytes - 1, ' ');
  return text + "\n";
}

std::string format_line(std::string_view state, int trials, const std::string& name) {
  const int counted = std::min(trials, most_counted);
  std::string text(state);
  text += counted < 10 ? "  " : " ";
  text += std::to_string(counted) + " " + hexadecimal(name_hash(name)) + " ";
  for (const char c : name.substr(0, line_bytes)) text += c >= ' ' && c <= '~' ? c : '?';
  return padded(std::move(text));
}

std::optional<std::pair<std::uint64_t, UnderwayNote>> parse_note(std::string_view line) {
  const std::string_view state = line.substr(0, begun.size());
  if (line.size() != line_bytes || (state != begun && state != ended)) return std::nullopt;
  const std::size_t digits = line[trials_at] == ' ' ? trials_at + 1 : trials_at;
  UnderwayNote note{state == ended, 0};
  std::uint64_t hash = 0;
  const char* const text = line.data();
  const auto trials = std::from_chars(text + digits, text + hash_at - 1, note.trials);
  const auto number = std::from_chars(text + hash_at, text + name_at - 1, hash, 16);
  const bool whole = trials.ec == std::errc() && number.ec == std::errc() && number.ptr == text + name_at - 1;
  return whole && note.trials >= 0 ? std::optional(std::pair(hash, note)) : std::nullopt;
}

std::string contents_of(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Underway::Underway(std::string path) : path_(std::move(path)) {
  const std::string text = contents_of(path_);
  count_ = (text.size() + line_bytes - 1) / line_bytes;
  for (std::size_t slot = 0; slot < count_; ++slot) {
    const auto note = parse_note(std::string_view(text).substr(slot * line_bytes, line_bytes));
    if (!note || !slots_.try_emplace(note->first, Slot{slot, note->second.trials}).second) free_.push_back(slot);
  }
}

Underway::~Underway() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Underway::begin(const std::string& name, int trials) {
  const std::lock_guard guard(mutex_);
  const auto [place, added] = slots_.try_emplace(name_hash(name));
  Slot& slot = place->second;
  slot.trials = trials;
  if (added && free_.empty()) {
    slot.number = count_++;
  } else if (added) {
    slot.number = free_.back();
    free_.pop_back();
  }
  write(slot.number, format_line(begun, trials, name));
}

void Underway::end(const std::string& name) {
  const std::lock_guard guard(mutex_);
  const auto slot = slots_.find(name_hash(name));
  if (slot != slots_.end()) write(slot->second.number, format_line(ended, slot->second.trials, name));
}

void Underway::forget(std::uint64_t hash) {
  const std::lock_guard guard(mutex_);
  const auto slot = slots_.find(hash);
  if (slot == slots_.end()) return;
  write(slot->second.number, padded(""));
  free_.push_back(slot->second.number);
  slots_.erase(slot);
}

void Underway::remove_if_empty() {
  const std::lock_guard guard(mutex_);
  if (!slots_.empty() || count_ == 0) return;
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw write_error(path_, errno);
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  free_.clear();
  count_ = 0;
}

void Underway::write(std::size_t slot, const std::string& line) {
  if (descriptor_ < 0) descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_error(path_, errno);
  const auto offset = static_cast<std::int64_t>(slot * line_bytes);
  if (const int reason = write_all(descriptor_, std::as_bytes(std::span(line)), offset))
    throw write_error(path_, reason);
}

std::string underway_path(const std::string& directory, const Shard& shard) {
  return std::filesystem::path(directory) / ("journal" + shard_suffix(shard) + ".begun");
}

UnderwayNotes read_underway(const std::string& path) {
  const std::string text = contents_of(path);
  UnderwayNotes notes;
  for (std::size_t at = 0; at < text.size(); at += line_bytes) {
    if (const auto note = parse_note(std::string_view(text).substr(at, line_bytes))) notes.insert(*note);
  }
  return notes;
}

}  // namespace srcextract
