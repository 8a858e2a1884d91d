#include "io/files/temporary_names.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

namespace srcextract {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".srcextract.", suffix = ".tmp";

std::string& current_tag() {
  static std::string tag = std::to_string(::getpid());
  return tag;
}

/// Returns the tag in a temporary name, or nothing if the name is no temporary name.
std::optional<std::string> tag_of(const std::string& name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const std::size_t end = name.rfind('.', name.size() - suffix.size() - 1);
  if (end <= prefix.size()) return std::nullopt;
  return name.substr(prefix.size(), end - prefix.size());
}

}  // namespace

std::string next_temporary_name(const std::string& directory) {
  static std::atomic<unsigned> counter{0};
  std::string name(prefix);
  name += current_tag() + "." + std::to_string(counter++);
  name += suffix;
  return fs::path(directory) / name;
}

void tag_temporaries(const std::string& tag) {
  current_tag() = tag;
}

void remove_temporaries(const std::string& directory, const std::function<bool(const std::string& tag)>& is_stale) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(directory, fs::directory_options::skip_permission_denied, failure);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    const std::optional<std::string> tag = tag_of(entry->path().filename());
    std::error_code ignored;
    if (tag && is_stale(*tag)) fs::remove(entry->path(), ignored);
  }
}

}  // namespace srcextract
