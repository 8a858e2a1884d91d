#include "survey/inputs/find_files.hpp"

#include <glob.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "io/files/passing.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// Error message about the directory that glob() could not read, and the errno. Both are thread-local, since glob()
/// passes no context to its callback.
thread_local std::string unreadable;
thread_local int why_unreadable = 0;

/// Callback of glob() for a directory that cannot be read; the result 1 ends the search, and 0 continues it. A
/// directory that does not exist is no error: the pattern matches nothing there.
int note_unreadable(const char* path, int reason) {
  if (reason == ENOENT) return 0;
  why_unreadable = reason;
  unreadable = std::string(path) + ": cannot read the directory: " + std::generic_category().message(reason);
  return 1;
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
    result = glob(pattern.c_str(), GLOB_NOSORT, note_unreadable, &found);
    errno = why_unreadable;
    return result == GLOB_ABORTED ? -1 : 0;
  });
  switch (result) {
    case GLOB_ABORTED:
      throw Error(ErrorKind::input, unreadable + "; the pattern '" + pattern +
                                        "' looks there: ask for permission, or for what can be read");
    case GLOB_NOSPACE:
      throw std::bad_alloc();
    default:
      return {found.gl_pathv, found.gl_pathv + found.gl_pathc};
  }
}

}  // namespace srcextract
