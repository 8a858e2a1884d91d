#include "pipeline/compare/update_reference.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/files/output_file.hpp"
#include "io/tables/table_file.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/machine/utc.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece = std::size_t{1} << 20;

/// Copies the file `from` to a temporary file; the caller renames it to `to`. Throws Error{input} if `from` cannot be
/// read.
OutputFile copy_of(const std::string& from, const std::string& to) {
  std::ifstream in(from, std::ios::binary);
  OutputFile out(to);
  std::string bytes(piece, '\0');
  while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || in.gcount() > 0)
    out.write(std::string_view(bytes).substr(0, static_cast<std::size_t>(in.gcount())));
  if (!in.eof()) throw Error(ErrorKind::input, from + ": cannot be read: " + std::strerror(errno));
  out.seal();
  return out;
}

std::string verdict(const FileComparison& file) {
  if (!file.failure.empty()) return file.failure;
  if (file.within()) return "within the rules";
  const Finding& first = file.comparison.findings.front();
  return fmt::format("beyond the rules, {}, first {}: {}", counted(std::ssize(file.comparison.findings), "reason"),
                     first.subject, first.words);
}

/// A file name's ending, with the one before .gz.
std::string ending_of(const fs::path& path) {
  const std::string last = path.extension();
  return last == ".gz" ? path.stem().extension().string() + last : last;
}

/// The path that the new catalogue replaces, with symbolic links resolved. A catalogue that the reference directory
/// lacks gets the path there that it has below the new directory, which is part of its name ("night1/m31").
std::string target_of(const FileComparison& file, const std::string& reference) {
  if (file.reference.empty()) {
    const fs::path target = fs::path(reference) / fs::path(file.name).replace_filename(fs::path(file.other).filename());
    make_directory_of(target);
    return target;
  }
  const fs::path old_path = file.reference, new_path = file.other;
  if (ending_of(old_path) != ending_of(new_path))
    throw Error(ErrorKind::config, file.other + " is no " + ending_of(old_path) + " as " + file.reference +
                                       " is: under that name its contents would mislead; give the new catalogue in "
                                       "the reference's format, or rename the reference first");
  return fs::canonical(old_path);
}

/// The reason why the new catalogue cannot replace the reference; empty if it can. Compared files have been read
/// before; a file that only the new directory has is opened here to check its header.
std::string obstacle(const FileComparison& file) {
  if (file.other.empty() || file.code != 0) return file.reference + ": stays as it is: " + file.failure;
  if (!file.reference.empty()) return "";
  try {
    open_table(file.other);
    return "";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return file.other + ": is not added: " + error.what();
  }
}

/// Appends lines to a log in a single write, so that two simultaneous updates do not mix their lines. Throws
/// Error{output} if `path` is a symbolic link, which could point to any file.
void append(const std::string& path, const std::string& lines) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0 && errno == ELOOP)
    throw Error(ErrorKind::output, path + " is a link, and the log is not written through one; put a file there");
  const bool written = file >= 0 && write(file, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  const int failure = errno;
  if (file >= 0) close(file);
  if (!written) throw Error(ErrorKind::output, path + ": the log cannot be written: " + std::strerror(failure));
}

}  // namespace

void update_references(const std::vector<FileComparison>& files, const std::string& reference, const std::string& why) {
  const bool directory = fs::is_directory(reference);
  std::vector<OutputFile> copies;
  std::string lines;
  for (const FileComparison& file : files) {
    if (const std::string reason = obstacle(file); !reason.empty()) {
      spdlog::warn("{}", reason);
      continue;
    }
    copies.push_back(copy_of(file.other, target_of(file, reference)));
    lines += printable(fmt::format("{} srcextract {} {}: {} [{}]", utc(std::chrono::system_clock::now()),
                                   program_version(), file.name, why, verdict(file))) +
             "\n";
  }
  // The log is written first: a replacement without its reason in the log is worse than a reason without the
  // replacement.
  append(directory ? (fs::path(reference) / "compare.log").string() : reference + ".log", lines);
  commit(copies);
  spdlog::info("{}: {} updated", reference, copies.size());
}

}  // namespace srcextract
