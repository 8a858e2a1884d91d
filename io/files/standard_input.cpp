#include "io/files/standard_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/files/gzip.hpp"
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

/// The first bytes of the image in `begin`, which is inflated as far as needed if it is gzipped.
std::string first_bytes(std::span<const std::byte> begin, std::size_t count) {
  std::string first;
  const auto take = [&](std::span<const std::byte> bytes) {
    const auto some = bytes.first(std::min(bytes.size(), count));
    first.assign(reinterpret_cast<const char*>(some.data()), some.size());
    return static_cast<std::int64_t>(count);
  };
  if (!is_gzip(begin)) {
    take(begin);
    return first;
  }
  const auto next = [&](std::byte* out, std::int64_t room) {
    const auto some = begin.first(std::min(begin.size(), static_cast<std::size_t>(room)));
    std::ranges::copy(some, out);
    begin = begin.subspan(some.size());
    return static_cast<std::int64_t>(some.size());
  };
  try {
    inflate_gzip(next, std::ssize(begin), take, "standard input");
  } catch (const Error&) {
    // The rest of the stream is not there yet.
  }
  return first;
}

/// Whether the bytes that came so far show that this is no FITS file. A stream may have no end.
bool is_no_fits(const ScratchFile& file) {
  constexpr std::string_view mark = "SIMPLE  ";
  constexpr std::int64_t most_looked_at = std::int64_t{1} << 16;
  std::vector<std::byte> begin(static_cast<std::size_t>(std::min(file.size(), most_looked_at)));
  file.read(0, begin);
  const std::string first = first_bytes(begin, mark.size());
  return first.size() == mark.size() && first != mark;
}

/// Copies standard input, or only what came first if that shows that it is no FITS file: opening the copy says so.
void copy_to(ScratchFile& file) {
  constexpr std::int64_t enough = std::int64_t{1} << 20;
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = uninterrupted([&] { return ::read(STDIN_FILENO, piece.data(), piece.size()); });
    if (got < 0)
      refuse_stream("cannot read it: " + std::generic_category().message(errno) +
                    "; look at the command before the pipe");
    if (got == 0) return;
    const bool is_begin = file.size() < enough;
    file.append(std::span(piece).first(static_cast<std::size_t>(got)));
    if (is_begin && is_no_fits(file)) return;
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
