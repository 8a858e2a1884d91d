#include "io/files/standard_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "io/files/passing.hpp"
#include "io/files/scratch_file.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Returns the first of TMPDIR, TMP, TEMP and TEMPDIR that is set. Returns /tmp if none is set or the path is no
/// directory.
std::string temporary_directory() {
  std::error_code failure;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(failure);
  return failure ? "/tmp" : directory.string();
}

[[noreturn]] void refuse_stream(const std::string& problem) {
  throw Error(ErrorKind::input, "standard input: " + problem);
}

void copy_to(ScratchFile& file) {
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(STDIN_FILENO, piece.data(), piece.size()); });
    if (got < 0)
      refuse_stream("cannot read it: " + std::generic_category().message(errno) +
                    "; look at the command before the pipe");
    if (got == 0) return;
    file.append(std::span(piece).first(static_cast<std::size_t>(got)));
  }
}

void copy_to_file() {
  const std::string directory = temporary_directory();
  try {
    ScratchFile file(directory);
    copy_to(file);
    if (file.size() == 0) refuse_stream("nothing came before it ended (0 bytes); look at the command before the pipe");
    if (::dup2(file.descriptor(), STDIN_FILENO) < 0)
      refuse_stream("cannot keep it: " + std::generic_category().message(errno));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) throw;
    throw Error(error.kind(),
                std::string(error.what()) + "; a copy of standard input goes there, or where TMPDIR says");
  }
}

}  // namespace

void keep_standard_input() {
  if (::isatty(STDIN_FILENO) == 1)
    refuse_stream(
        "this is a terminal; send a FITS file to it, as in `curl -s URL | srcextract -`, or name one instead of -");
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0)
    refuse_stream("cannot look at it: " + std::generic_category().message(errno));
  if (S_ISDIR(status.st_mode)) refuse_stream("this is a directory; send a FITS file to it");
  if (!S_ISREG(status.st_mode)) copy_to_file();
}

}  // namespace srcextract
