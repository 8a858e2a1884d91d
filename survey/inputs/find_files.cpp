#include "survey/inputs/find_files.hpp"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "io/files/passing.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// First in order of names of the directories that glob() could not read, and the errno. Both are thread-local, since
/// glob() passes no context to its callback.
thread_local std::string unreadable;
thread_local int why_unreadable = 0;

/// Callback of glob() for a directory that cannot be read. The result 0 continues the search, so that the directory
/// that is named does not depend on the file system's order. A directory that does not exist is no error: the pattern
/// matches nothing there.
int note_unreadable(const char* path, int reason) {
  if (reason == ENOENT || (why_unreadable != 0 && unreadable <= path)) return 0;
  why_unreadable = reason;
  unreadable = path;
  return 0;
}

}  // namespace

bool is_image_name(const std::string& file_name) {
  return !file_name.starts_with('.') && image_stem(file_name) != file_name && !is_output_name(file_name);
}

bool is_pattern(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> find_matches(const std::string& pattern) {
  struct Found : glob_t {
    Found() : glob_t{} {}
    ~Found() { globfree(this); }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;
  } found;
  int result = 0;
  try_again(pattern, [&] {
    globfree(&found);
    why_unreadable = 0;
    result = glob(pattern.c_str(), GLOB_NOSORT, note_unreadable, &found);
    errno = why_unreadable;
    return why_unreadable != 0 ? -1 : 0;
  });
  if (why_unreadable != 0)
    throw Error(ErrorKind::input,
                unreadable + ": cannot read the directory: " + std::generic_category().message(why_unreadable) +
                    "; the pattern '" + pattern + "' looks there: ask for permission, or for what can be read");
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  std::ranges::sort(paths);  // by bytes, whatever the locale
  return paths;
}

}  // namespace srcextract
