#include "pipeline/outputs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "io/catalog.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Drops the first of `endings` that `name` has, unless nothing would be left. Says whether there was one.
bool drop_ending(std::string& name, std::initializer_list<std::string_view> endings) {
  for (std::string_view ending : endings) {
    if (name.size() <= ending.size()) continue;
    if (!equal_ignoring_case(std::string_view(name).substr(name.size() - ending.size()), ending)) continue;
    name.resize(name.size() - ending.size());
    return true;
  }
  return false;
}

/// Without ".hdu" and a number at its end.
std::string without_hdu(const std::string& stem) {
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;
  constexpr std::string_view mark = ".hdu";
  if (digits == stem.size() || digits <= mark.size()) return stem;
  const std::size_t begin = digits - mark.size();
  return stem.compare(begin, mark.size(), mark) == 0 ? stem.substr(0, begin) : stem;
}

bool are_same_file(const std::string& first, const std::string& second) {
  std::error_code failure;  // a file that is missing is reported when its turn comes
  return first == second || fs::equivalent(first, second, failure);
}

[[noreturn]] void throw_same_outputs(const std::string& first, const std::string& second) {
  if (are_same_file(first, second))
    throw Error(ErrorKind::config, "'" + first + "' and '" + second + "' are the same image; give it once");
  throw Error(ErrorKind::config, "'" + first + "' and '" + second +
                                     "' would write the same output files, named after the image; rename one, or "
                                     "extract them into different directories (--output-dir)");
}

}  // namespace

std::string image_stem(const std::string& image) {
  const std::string name = fs::path(image).filename().string();
  const std::initializer_list<std::string_view> fits = {".fits", ".fit", ".fts"};
  std::string stem = name;
  if (drop_ending(stem, fits)) return stem;
  if (drop_ending(stem, {".fz", ".gz"}) && drop_ending(stem, fits)) return stem;
  return name;
}

std::vector<std::string> OutputPaths::all() const {
  std::vector<std::string> paths;
  for (const auto& [format, path] : catalogs) paths.push_back(path);
  if (!segmentation.empty()) paths.push_back(segmentation);
  paths.push_back(report);
  return paths;
}

OutputPaths output_paths(const std::string& directory, const std::string& image, std::optional<int> hdu,
                         const OutputConfig& config) {
  std::string base = (fs::path(directory) / image_stem(image)).string();
  if (hdu) base += ".hdu" + std::to_string(*hdu);
  OutputPaths paths;
  for (CatalogFormat format : config.formats) paths.catalogs.emplace_back(format, base + extension(format));
  if (config.segmentation) paths.segmentation = base + ".seg.fits";
  paths.report = base + ".run.json";
  return paths;
}

void require_distinct_outputs(const std::vector<std::string>& images, bool all_hdus) {
  std::map<std::string, std::string> image_of;
  for (const std::string& image : images) {
    const auto [other, is_new] = image_of.emplace(image_stem(image), image);
    if (!is_new) throw_same_outputs(other->second, image);
  }
  if (!all_hdus) return;
  for (const auto& [stem, image] : image_of) {
    const auto other = image_of.find(without_hdu(stem));
    if (other != image_of.end() && other->second != image) throw_same_outputs(other->second, image);
  }
}

void require_separate_log(const std::string& log, const std::vector<std::string>& outputs) {
  const auto place = [](const std::string& path) {
    std::error_code failure;
    const fs::path found = fs::weakly_canonical(fs::absolute(path), failure);
    return failure ? fs::path(path) : found;
  };
  for (const std::string& output : outputs) {
    if (place(output) == place(log))
      throw Error(ErrorKind::config, "the output '" + output + "' would replace the log file '" + log +
                                         "'; choose another name with --log-file");
  }
}

KeptFiles::KeptFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (const std::optional<Identity> file = identity(path)) path_of_.emplace(*file, path);
  }
}

void KeptFiles::require_kept(const std::vector<std::string>& outputs) const {
  for (const std::string& output : outputs) {
    const std::optional<Identity> file = identity(output);
    const auto input = file ? path_of_.find(*file) : path_of_.end();
    if (input != path_of_.end())
      throw Error(ErrorKind::config,
                  "the output '" + output + "' would replace the input or log '" + input->second +
                      "'; choose another name or directory for the output, or do not give it as input");
  }
}

std::optional<KeptFiles::Identity> KeptFiles::identity(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  return Identity{file.st_dev, file.st_ino};
}

void prepare_output_directory(const std::string& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) throw Error(ErrorKind::output, directory + ": cannot make the output directory: " + failure.message());
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorKind::output, directory + ": cannot write into the output directory: " + std::strerror(errno));
}

}  // namespace srcextract
