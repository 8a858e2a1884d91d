#include "survey/inputs/inputs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "io/files/passing.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/find_below.hpp"
#include "survey/inputs/find_files.hpp"
#include "survey/inputs/image_config.hpp"
#include "survey/inputs/manifest.hpp"
#include "survey/inputs/output_names.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// The INPUT (argument of the command line) in which a file was found.
struct Origin {
  std::uint32_t input = 0;
  std::int64_t line = 0;  ///< line in the manifest, from 1; 0: INPUT is no manifest
};

struct GivenInput {
  bool is_there = false;  ///< whether something has this path, even a broken link
  FileStatus status = {};
};

std::vector<GivenInput> look_at_inputs(const std::vector<std::string>& inputs) {
  std::vector<GivenInput> given(inputs.size());
  wait_together(inputs.size(), [&](std::size_t i) {
    struct stat status {};
    given[i].is_there = try_again(inputs[i], [&] { return lstat(inputs[i].c_str(), &status); }) == 0;
    if (given[i].is_there) given[i].status = S_ISLNK(status.st_mode) ? status_of(inputs[i]) : status_of(status);
  });
  return given;
}

class Search {
 public:
  Search(const std::vector<std::string>& inputs, const GivenConfig& given, std::vector<std::string>* notes)
      : inputs_(inputs), given_(look_at_inputs(inputs)), configs_(given), config_(configs_.with({})), notes_(notes) {}

  void find(std::uint32_t input);

  ImageFiles result();

 private:
  void find_in_manifest(const std::string& path);
  void look_at_found(std::size_t before);
  void find_in_directory(const std::string& path, const std::string& name = "");
  void find_matching(const std::string& pattern);
  void add(ImageFile file, const std::shared_ptr<const ImageConfig>& config, std::int64_t line = 0);

  std::vector<std::size_t> each_once() const;
  bool is_again(std::size_t first, std::size_t second) const;
  std::string describe(const ImageFile& file, const Origin& origin) const;

  const std::vector<std::string>& inputs_;
  const std::vector<GivenInput> given_;
  ConfigVariants configs_;
  std::shared_ptr<const ImageConfig> config_;
  std::vector<std::string>* notes_;
  std::uint32_t input_ = 0;
  ImageFiles found_;
  std::vector<Origin> origins_;
};

[[noreturn]] void fail(const std::string& input, const std::string& problem) {
  throw Error(ErrorKind::input, input + ": " + problem);
}

constexpr const char* image_endings = ".fits, .fit or .fts, with .fz or .gz or not";

std::string file_name(const std::string& path) {
  return fs::path(path).filename().string();
}

bool are_same_file(const std::string& first, const std::string& second) {
  std::error_code failure;  // ignored, since a missing file is reported when it is opened
  return first == second || fs::equivalent(first, second, failure);
}

/// Name of a path that matches a pattern: the part of the path that begins after the last slash before the first
/// wildcard. File names alone could be equal: night*/*.fits matches files in night1/ and night2/.
std::string name_of_match(const std::string& path, const std::string& pattern) {
  const std::size_t open = pattern.find_first_of("*?[\\");
  const std::size_t begin = pattern.rfind('/', open) + 1;  // npos + 1 is 0 if there is no slash
  fs::path name = fs::path(path.substr(begin)).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  return *name.begin() == ".." ? file_name(path) : name.string();
}

/// Prefix for the names of images in a directory that matches a pattern. Empty for "." and "..", since outputs of
/// "../a.fits" would be outside the output directory.
std::string name_before(const std::string& directory) {
  return directory == "." || directory == ".." ? "" : directory + "/";
}

void Search::find(std::uint32_t input) {
  input_ = input;
  const std::string& text = inputs_[input];
  const std::size_t before = found_.size();
  const auto& [is_there, status] = given_[input];
  if (!is_there && is_pattern(text)) {
    find_matching(text);
  } else if (status.is_directory) {
    find_in_directory(text);
    if (found_.size() == before)
      fail(text, std::string("no image is in this directory or below it: no file whose name ends in ") + image_endings +
                     ", but for hidden ones and outputs of this program; name other files in a manifest (.txt)");
  } else if (is_manifest_name(text)) {
    find_in_manifest(text);
    if (found_.size() == before) fail(text, "this manifest lists no image; write a line for each image");
  } else if (is_there || image_stem(text) != text) {
    add(image_file(text, file_name(text), status), config_);
  } else {
    fail(text, "there is no file or directory of this name; look at its spelling, and at where you are");
  }
}

void Search::find_in_manifest(const std::string& path) {
  const std::size_t before = found_.size();
  const std::string note = read_manifest(path, configs_, [&](const ManifestRow& row) {
    ImageFile file = image_file(row.path, row.name, {});
    file.beside = row.beside;
    add(std::move(file), row.config, row.line);
  });
  look_at_found(before);
  if (notes_ != nullptr && !note.empty()) notes_->push_back(path + ": " + note);
}

/// Reads the status of all found files from index `before` on, in parallel.
void Search::look_at_found(std::size_t before) {
  wait_together(found_.size() - before,
                [&](std::size_t i) { found_.set_status(before + i, status_of(found_[before + i].path)); });
}

/// Adds the images in a directory and below it. Their names are `name` followed by the path below the directory.
void Search::find_in_directory(const std::string& path, const std::string& name) {
  find_below(
      path,
      [&](ImageFile file) {
        file.name.insert(0, name);
        add(std::move(file), config_);
      },
      [&](const std::string& directory, const std::string&, const std::string& reason) {
        fail(directory, "cannot read the directory: " + reason +
                            "; nothing was done, or its images would be missing from the survey unnoticed");
      });
}

void Search::find_matching(const std::string& pattern) {
  const std::size_t before = found_.size();
  const std::vector<std::string> paths = find_matches(pattern);
  const std::vector<FileStatus> statuses = statuses_of(paths.size(), [&](std::size_t i) { return paths[i]; });
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string name = name_of_match(paths[i], pattern);
    if (statuses[i].is_directory) {
      find_in_directory(paths[i], name_before(name));
    } else if (is_image_name(file_name(paths[i]))) {
      add(image_file(paths[i], name, statuses[i]), config_);
    }
  }
  if (found_.size() != before) return;
  if (paths.empty())
    fail(pattern, std::string("nothing has this name or matches this pattern") +
                      (pattern.ends_with(']') ? "; which HDU of a file is meant, input.hdu says" : ""));
  fail(pattern, std::string("nothing that this pattern matches is an image: no file whose name ends in ") +
                    image_endings + ", but for outputs of this program; name other files in a manifest (.txt)");
}

void Search::add(ImageFile file, const std::shared_ptr<const ImageConfig>& config, std::int64_t line) {
  file.config = config;
  found_.push_back(file);
  origins_.push_back({input_, line});
}

std::string Search::describe(const ImageFile& file, const Origin& origin) const {
  const std::string path = "'" + file.path + "'";
  return origin.line == 0 ? path : path + " (" + inputs_[origin.input] + ":" + std::to_string(origin.line) + ")";
}

/// The indices of the found files, sorted by name. A file that was found several times under one name appears once.
std::vector<std::size_t> Search::each_once() const {
  std::vector<std::size_t> in_order(found_.size());
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  std::ranges::stable_sort(in_order, {}, [&](std::size_t i) { return found_.name(i); });
  std::size_t kept = 0;
  for (const std::size_t i : in_order) {
    if (kept > 0 && found_.name(in_order[kept - 1]) == found_.name(i) && is_again(in_order[kept - 1], i)) continue;
    in_order[kept++] = i;
  }
  in_order.resize(kept);
  return in_order;
}

/// Whether two found files of one name are the same file. Throws Error{config} if they are, but with different
/// configurations or files beside them.
bool Search::is_again(std::size_t first, std::size_t second) const {
  const ImageFile file = found_[first], other = found_[second];
  if (!are_same_file(file.path, other.path)) return false;
  const bool otherwise = file.config != other.config;
  if (!otherwise && hash_of_config(file) == hash_of_config(other)) return true;
  const std::string what =
      otherwise ? "two configurations" : "two detection images, references, bands or tables of positions";
  throw Error(ErrorKind::config, describe(file, origins_[first]) + " and " + describe(other, origins_[second]) +
                                     " are the same image with " + what +
                                     ", and both would write the same outputs; remove one, or give them two names in "
                                     "a manifest's column `name`");
}

ImageFiles Search::result() {
  const std::vector<std::size_t> once = each_once();
  found_.select(once);
  require_distinct_outputs(found_, [&](std::size_t i) { return describe(found_[i], origins_[once[i]]); });
  return std::move(found_);
}

/// Returns, for each configuration of the images, the keys that have no use with the configuration. Consecutive images
/// that share a configuration give one element.
std::vector<UnusedKeys> unused_keys(const ImageFiles& files) {
  std::vector<UnusedKeys> of_all;
  const ImageConfig* last = nullptr;
  const ImageConfig* last_of_detection = nullptr;
  for (const ImageFile& file : files) {
    if (!file.has_bands() && file.config.get() != std::exchange(last, file.config.get()))
      of_all.push_back(last->unused);
    if (file.has_bands())
      for (const BandFile& band : file.beside->bands) of_all.push_back(band.given->unused);
    const DetectionTask* const detection = file.detection();
    if (detection != nullptr && detection->given.get() != std::exchange(last_of_detection, detection->given.get()))
      of_all.push_back(last_of_detection->unused);
  }
  return of_all;
}

}  // namespace

ImageFiles find_inputs(const std::vector<std::string>& inputs, const GivenConfig& given,
                       std::vector<std::string>* notes) {
  Search search(inputs, given, notes);
  for (std::uint32_t input = 0; input < inputs.size(); ++input) search.find(input);
  ImageFiles files = search.result();
  require_use(unused_keys(files));
  return files;
}

}  // namespace srcextract
