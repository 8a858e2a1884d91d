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

/// Whether a file lists what failed in a survey (failures.csv, failures.2-of-4.csv), which is no catalogue.
bool lists_failures(const std::string& name) {
  return name == "failures.csv" ||
         (name.starts_with("failures.") && name.ends_with(".csv") && name.find("-of-") != std::string::npos);
}

/// Whether `directory` is searched too: not if it is hidden, and not if it is a catalogue itself (HATS).
bool is_searched(const fs::path& directory) {
  const std::string name = directory.filename();
  return !name.starts_with('.') && !name.ends_with(".hats");
}

/// The catalogues in a directory and below it, by their stems with the path below the top directory in front.
class CatalogsBelow {
 public:
  explicit CatalogsBelow(const std::string& top) {
    find(top, "");
    for (auto& [stem, files] : found_) remove_images(files);
  }
  std::map<std::string, Files> result() { return std::move(found_); }

 private:
  void find(const fs::path& directory, const fs::path& name) {
    std::error_code failure;
    const fs::path place = fs::canonical(directory, failure);
    if (!failure && !seen_.insert(place).second) return;  // a link leads to it again
    std::set<fs::path> entries;                           // in order of names, whatever the file system lists first
    fs::directory_iterator entry(directory, failure), end;
    for (; !failure && entry != end; entry.increment(failure)) entries.insert(entry->path());
    if (failure)
      throw Error(ErrorKind::input, directory.string() + ": cannot read the directory: " + failure.message());
    for (const fs::path& path : entries) {
      std::error_code ignored;
      if (fs::is_regular_file(path, ignored)) add(path, name);
    }
    for (const fs::path& path : entries) {
      std::error_code ignored;
      if (is_searched(path) && fs::is_directory(path, ignored)) find(path, name / path.filename());
    }
  }

  void add(const fs::path& path, const fs::path& name) {
    const std::string file_name = path.filename(), stem = catalog_stem(file_name);
    if (!stem.empty() && !lists_failures(file_name)) found_[name / stem].emplace(format_of(file_name), path);
  }

  std::map<std::string, Files> found_;
  std::set<fs::path> seen_;
};

std::map<std::string, Files> catalogs_in(const std::string& directory) {
  return CatalogsBelow(directory).result();
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
    throw Error(
        ErrorKind::input,
        reference + ": holds no catalogue (.fits, .parquet, .ecsv, .csv, .vot, .cat ...), nor does a directory below");
  std::map<std::string, std::vector<FilePair>> pairs;
  for (const auto& [stem, files] : in_reference) {
    for (const auto& [format, path] : files) {
      const std::string name =
          files.size() == 1 ? stem : fs::path(stem).replace_filename(fs::path(path).filename()).string();
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
