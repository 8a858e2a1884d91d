#include "survey/merge/merge_files.hpp"

#include <filesystem>
#include <span>
#include <system_error>

#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// The size of a file; unset if the size cannot be read (opening the file then reports why).
std::optional<std::int64_t> stored_size(const std::string& path) {
  std::error_code unknown;
  const auto bytes = fs::file_size(path, unknown);
  return unknown ? std::nullopt : std::optional(static_cast<std::int64_t>(bytes));
}

void require_size(const WrittenFile& written, std::optional<std::int64_t> bytes) {
  if (bytes.value_or(written.bytes) == written.bytes) return;
  throw Error(ErrorKind::input, written.path + ": the catalogue has " + std::to_string(*bytes) + " bytes, but " +
                                    std::to_string(written.bytes) + " when it was written");
}

}  // namespace

std::optional<WrittenFile> output_with_ending(const SurveyImage& image, const std::string& ending,
                                              const std::vector<std::string>& directories) {
  for (const auto& [path, bytes] : image.record.outputs)
    if (path.ends_with(ending)) return WrittenFile{(fs::path(directories[image.directory]) / path).string(), bytes};
  return std::nullopt;
}

void with_output(const SurveyImage& image, const WrittenFile& written, const std::function<void(const InputFile&)>& f) {
  try {
    require_size(written, stored_size(written.path));
    // The file may have been replaced by a gzipped file that inflates to any size. Reading stops one byte after the
    // expected size, which is enough to find the difference.
    const InputFile file(written.path, [&](std::span<const std::byte>) { return written.bytes + 1; });
    require_size(written, file.size());
    f(file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    throw Error(ErrorKind::input, std::string(error.what()) + "; the journal says that it holds the " +
                                      counted(image.record.sources, "source") + " of " + image_label(image.record) +
                                      ": remove what is there, and start the same `srcextract batch` again");
  }
}

}  // namespace srcextract
