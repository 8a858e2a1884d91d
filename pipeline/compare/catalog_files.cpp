#include "pipeline/compare/catalog_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// Endings of catalogue files, the preferred formats first. The first `image_endings` of them are also used for images.
constexpr std::array endings = {".fits", ".fit", ".fts", ".ldac", ".parquet", ".ecsv", ".vot",
                                ".xml",  ".csv", ".cat", ".txt",  ".asc",     ".dat"};
constexpr std::size_t image_endings = 3;

bool remove_ending(std::string& name, const std::string& ending) {
  if (name.size() <= ending.size() || !in_small_letters(name).ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

/// Format of a catalogue as its file name shows it. Preferred formats are smaller.
struct Format {
  std::size_t ending = 0;  ///< index into `endings`
  bool unnamed =
      false;  ///< whether the name lacks ".cat" before the ending, as m31.fits does and m31.cat.fits does not
  bool gzipped = false;

  bool operator==(const Format&) const = default;
  bool operator<(const Format& f) const {
    return std::tie(ending, unnamed, gzipped) < std::tie(f.ending, f.unnamed, f.gzipped);
  }
  bool may_be_image() const { return unnamed && ending < image_endings; }
};

/// Formats and paths of the catalogue files with one stem, preferred formats first.
using Files = std::set<std::pair<Format, std::string>>;

Format format_of(const std::string& file_name) {
  std::string name = in_small_letters(file_name);
  Format format;
  format.gzipped = remove_ending(name, ".gz");
  const auto found =
      std::find_if(endings.begin(), endings.end(), [&](const char* e) { return remove_ending(name, e); });
  format.ending = static_cast<std::size_t>(found - endings.begin());
  format.unnamed = !name.ends_with(".cat");
  return format;
}

/// Removes images: beside m31.cat.fits or another m31.cat.*, m31.fits is an image.
void remove_images(Files& files) {
  if (std::any_of(files.begin(), files.end(), [](const auto& file) { return !file.first.unnamed; }))
    std::erase_if(files, [](const auto& file) { return file.first.may_be_image(); });
}

std::map<std::string, Files> catalogs_in(const std::string& directory) {
  std::map<std::string, Files> found;
  std::error_code failure;
  for (fs::directory_iterator entry(directory, failure), end; !failure && entry != end; entry.increment(failure)) {
    std::error_code ignored;
    const std::string name = entry->path().filename();
    const std::string stem = catalog_stem(name);
    if (!stem.empty() && entry->is_regular_file(ignored)) found[stem].emplace(format_of(name), entry->path());
  }
  if (failure) throw Error(ErrorKind::input, directory + ": cannot read the directory: " + failure.message());
  for (auto& [stem, files] : found) remove_images(files);
  return found;
}

/// The path of the file in `files` with the given format. If there is none, the path of a file with the same ending,
/// then that of the preferred format; empty if `files` is empty.
std::string counterpart(const Format& format, const Files& files) {
  const auto distance = [&](const auto& file) {
    return file.first == format ? 0 : file.first.ending == format.ending ? 1 : 2;
  };
  const auto nearest = std::min_element(files.begin(), files.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return nearest == files.end() ? "" : nearest->second;
}

}  // namespace

std::string catalog_stem(const std::string& file_name) {
  std::string name = file_name;
  remove_ending(name, ".gz");
  const bool known = std::any_of(endings.begin(), endings.end(), [&](const char* e) { return remove_ending(name, e); });
  if (!known || name.front() == '.' || in_small_letters(name).ends_with(".seg")) return "";
  remove_ending(name, ".cat");
  return name;
}

std::vector<FilePair> pair_files(const std::string& reference, const std::string& other) {
  const std::map<std::string, Files> in_reference = catalogs_in(reference);
  std::map<std::string, Files> in_new = catalogs_in(other);
  if (in_reference.empty())
    throw Error(ErrorKind::input, reference + ": holds no catalogue (.fits, .parquet, .ecsv, .csv, .vot, .cat ...)");
  std::map<std::string, std::vector<FilePair>> pairs;
  for (const auto& [stem, files] : in_reference) {
    for (const auto& [format, path] : files) {
      const std::string name = files.size() == 1 ? stem : fs::path(path).filename().string();
      pairs[stem].push_back({name, path, counterpart(format, in_new[stem])});
    }
  }
  for (const auto& [stem, files] : in_new) {
    if (!in_reference.contains(stem)) pairs[stem] = {{stem, "", files.begin()->second}};
  }
  std::vector<FilePair> in_order;
  for (auto& [stem, of_stem] : pairs) std::move(of_stem.begin(), of_stem.end(), std::back_inserter(in_order));
  return in_order;
}

}  // namespace srcextract
