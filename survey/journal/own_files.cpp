#include "survey/journal/own_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <regex>
#include <string_view>

#include "io/files/output_file.hpp"
#include "stages/core/error.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/failures.hpp"
#include "survey/journal/journal_files.hpp"
#include "survey/journal/underway.hpp"

namespace srcextract {
namespace {

[[noreturn]] void refuse_foreign(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::output, "cannot write " + path + ": " + what +
                                     ", and srcextract keeps a file of its own under this name; move it away, or "
                                     "choose another output directory (-o)");
}

/// Whether a file exists and is not empty. Throws if the path exists but is no regular file.
bool has_contents(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    throw write_error(path, errno);
  }
  if (S_ISLNK(status.st_mode)) refuse_foreign(path, "it is a link, no regular file");
  if (!S_ISREG(status.st_mode)) refuse_foreign(path, "it is no regular file");
  return status.st_size > 0;
}

/// The first bytes of a file, `most` or fewer.
std::string beginning_of(const std::string& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  if (file.gcount() == 0 && !file.eof()) throw write_error(path, errno == 0 ? EIO : errno);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// Whether a text and the expected beginning agree up to the end of the shorter of both, since a killed process may
/// have written only a part.
bool begins_as(std::string_view text, std::string_view expected) {
  const std::size_t both = std::min(text.size(), expected.size());
  return text.substr(0, both) == expected.substr(0, both);
}

constexpr const char* not_ours = "srcextract did not write what is in it";

void require_own_journal(const std::string& path) {
  if (has_contents(path) && !holds_journal(path)) refuse_foreign(path, not_ours);
}

void require_own_lock(const std::string& path) {
  if (!has_contents(path)) return;
  static const std::regex shard_and_process("[0-9]+/[0-9]+ [0-9]+ ");
  const std::string text = beginning_of(path, 64);
  if (!std::regex_search(text, shard_and_process, std::regex_constants::match_continuous))
    refuse_foreign(path, not_ours);
}

}  // namespace

void require_own_notes(const std::string& path) {
  if (!has_contents(path)) return;
  const std::string text = beginning_of(path, 5);
  const std::string_view empty("\0\0\0\0\0", 5);  // a slot that was never written, before one that was: a hole in the
                                                  // file
  for (const std::string_view expected :
       {std::string_view("begun"), std::string_view("ended"), std::string_view("     "), empty})
    if (begins_as(text, expected)) return;
  refuse_foreign(path, not_ours);
}

void require_own_failures(const std::string& path) {
  if (!has_contents(path)) return;
  const std::string head = format_failures(Ledger());
  if (!begins_as(beginning_of(path, head.size()), head)) refuse_foreign(path, not_ours);
}

void require_own_files(const std::string& directory, const Shard& shard) {
  require_own_lock(lock_path(directory));
  require_own_journal(journal_path(directory, shard));
  require_own_notes(underway_path(directory, shard));
  require_own_failures(failures_path(directory, shard));
}

}  // namespace srcextract
