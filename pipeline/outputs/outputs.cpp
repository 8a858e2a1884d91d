#include "pipeline/outputs/outputs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/files/output_file.hpp"
#include "io/files/passing.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {

namespace fs = std::filesystem;

namespace {

fs::path place_of(const std::string& path) {
  std::error_code failure;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
  return failure ? fs::path(path) : found;
}

}  // namespace

LogFile::LogFile(std::string path) : path_(std::move(path)), place_(place_of(path_)) {}

void LogFile::require_none_of(const std::vector<std::string>& files) const {
  for (const std::string& file : files) {
    if (fs::path(file).filename() == place_.filename() && place_of(file) == place_)
      throw Error(ErrorKind::config, "the log file '" + path_ + "' would also be '" + file +
                                         "', which the run writes; choose another name with --log-file");
  }
}

KeptFiles::KeptFiles(const std::vector<std::string>& paths) {
  add(paths);
}

void KeptFiles::add(const std::string& path) {
  if (const std::optional<FileIdentity> file = identity(path)) path_of_.emplace(*file, path);
}

void KeptFiles::add(const std::vector<std::string>& paths) {
  std::vector<std::optional<FileIdentity>> identities(paths.size());
  wait_together(paths.size(), [&](std::size_t i) { identities[i] = identity(paths[i]); });
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (identities[i]) path_of_.emplace(*identities[i], paths[i]);
}

void KeptFiles::add_images(ImageFiles images) {
  std::vector<std::pair<FileIdentity, std::size_t>> there;
  there.reserve(images.size());
  for (std::size_t i = 0; i < images.size(); ++i)
    if (images.identity(i) != FileIdentity{}) there.emplace_back(images.identity(i), i);
  std::ranges::sort(there);
  std::vector<std::size_t> order(there.size());
  std::ranges::transform(there, order.begin(), [](const auto& image) { return image.second; });
  images.select(order);
  images_ = std::move(images);
}

void KeptFiles::add_files_of(const Config& config) {
  for (const config::NamedFile& file : named_files(config)) add(file.path);
  for (const std::string& file : config.extended) add(file);
}

void KeptFiles::add_files_of(const FilesBeside& beside) {
  add(beside.positions);
  add(beside.reference);
  if (beside.of_reference) add_files_of(beside.of_reference->given);
  if (beside.detection) {
    add(beside.detection->path);
    add_files_of(beside.detection->given->given);
  }
  for (const BandFile& band : beside.bands) {
    add(band.path);
    add_files_of(band.given->given);
  }
}

void KeptFiles::require_kept(const std::vector<std::string>& outputs) const {
  for (const std::string& output : outputs) {
    const std::optional<FileIdentity> file = identity(output);
    if (const std::optional<std::string> input = file ? path_of(*file) : std::nullopt)
      throw Error(ErrorKind::config,
                  "the output '" + output + "' would replace the input or log '" + *input +
                      "'; choose another name or directory for the output, or do not give it as input");
  }
}

std::vector<std::string> KeptFiles::among(const std::vector<std::string>& outputs) const {
  std::vector<std::string> kept;
  for (const std::string& output : outputs) {
    const std::optional<FileIdentity> file = identity(output);
    if (std::optional<std::string> known = file ? path_of(*file) : std::nullopt) kept.push_back(std::move(*known));
  }
  return kept;
}

std::optional<std::string> KeptFiles::path_of(const FileIdentity& file) const {
  if (const auto known = path_of_.find(file); known != path_of_.end()) return known->second;
  std::size_t first = 0;  // first of the images with this identity or a greater one
  for (std::size_t end = images_.size(); first < end;) {
    const std::size_t middle = std::midpoint(first, end);
    if (images_.identity(middle) < file)
      first = middle + 1;
    else
      end = middle;
  }
  if (first == images_.size() || images_.identity(first) != file) return std::nullopt;
  return images_[first].path;
}

std::string KeptFiles::describe_links() const {
  std::size_t links = 0, first = 0;
  for (std::size_t i = 1; i < images_.size(); ++i) {
    if (images_.identity(i) != images_.identity(i - 1)) continue;
    const ImageFile one = images_[i - 1], other = images_[i];
    // Two rows of a manifest may extract one path with two configurations.
    if (one.path == other.path && hash_of_config(one) != hash_of_config(other)) continue;
    if (links++ == 0 || images_.name(i - 1) < images_.name(first - 1)) first = i;
  }
  if (links == 0) return "";
  const std::string one = images_[first - 1].path, other = images_[first].path;
  const std::string example = "'" + one + (one == other ? "' has two names" : "' and '" + other + "' are one file");
  return example + (links == 1 ? "" : " (and " + std::to_string(links - 1) + " more such names)") +
         ": it is extracted once for each name, and the merged catalogue has its sources as often; name each file "
         "once";
}

std::optional<FileIdentity> KeptFiles::identity(const std::string& path) {
  struct stat file {};
  if (try_again(path, [&] { return stat(path.c_str(), &file); }) != 0) return std::nullopt;
  return identity_of(file);
}

void make_directory_of(const std::string& output) {
  const std::string directory = fs::path(output).parent_path();
  std::error_code failure;
  if (directory.empty() || fs::is_directory(directory, failure)) return;
  fs::create_directories(directory, failure);
  if (failure)
    throw Error(write_error(directory, failure.value()).kind(),
                directory + ": cannot make the output directory: " + failure.message());
}

void require_outputs_of_images(const Config& config) {
  if (!config.output.alerts.empty())
    throw Error(ErrorKind::config, config.place_of("output.alerts") +
                                       ": alerts tell of changes, and without a reference there are none; leave it "
                                       "out, or run srcextract difference");
  if (fits_crowd(config) && config.psf.file.empty() && config.psf.method != PsfMethod::fit)
    throw Error(ErrorKind::config, config.place_of("crowd.method") +
                                       ": 'crowd.method' is joint, which needs the PSF of the image; name its file by "
                                       "psf.file, or let psf.method: fit make it of the image's stars");
  if (config.detection.sign != DetectionSign::positive || std::ranges::count(config.output.columns, "SIGN") == 0)
    return;
  throw Error(ErrorKind::config,
              config.place_of("output.columns") +
                  ": 'output.columns' holds 'SIGN', which needs sources of both signs, or those that "
                  "are fainter than the sky: set detection.sign to both or negative");
}

void prepare_output_directory(const std::string& directory) {
  make_directory_of(fs::path(directory) / "x");
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorKind::output, directory + ": cannot write into the output directory: " + std::strerror(errno));
}

void prepare_directory_of_log(const std::string& log_file, const std::string& output_directory) {
  const fs::path directory = fs::path(log_file).parent_path();
  std::error_code failure;
  if (directory.empty() || fs::exists(directory, failure)) return;
  if (place_of(directory / "x") != place_of(fs::path(output_directory) / "x"))
    throw write_error("the log file " + log_file, ENOENT);
  prepare_output_directory(output_directory);
}

}  // namespace srcextract
