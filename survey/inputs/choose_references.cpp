#include "survey/inputs/choose_references.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/files/passing.hpp"
#include "io/image/fits_image.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/find_below.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/inputs/wait_together.hpp"
#include "survey/sky/footprint.hpp"

namespace srcextract {
namespace {

/// The fraction of an image that a reference frame covers is counted on a grid of this many points along each axis of
/// the image.
constexpr int points_along = 16;

/// The outline of one HDU on the sky, and a grid of points inside it; `points` is empty unless asked for.
struct ImageOnSky {
  int hdu;
  Footprint footprint;
  std::vector<Direction> points = {};
};

/// The outlines of the images in a file that `hdus` selects. An image without a usable WCS is left out. If no image is
/// left, throws Error{input} with the problem of the first. Throws Error{memory} if the file inflates to more than
/// `most_held` bytes.
std::vector<ImageOnSky> images_on_sky(const std::string& path, const HduNames& hdus, bool with_points,
                                      std::int64_t most_held) {
  static std::mutex inflating;  // gzipped files are decompressed in memory, so only one is open at a time
  const auto lock = gzipped_size(path) > 0 ? std::unique_lock(inflating) : std::unique_lock<std::mutex>();
  std::vector<ImageOnSky> images;
  std::string problem;
  FitsImages file(path, most_held);
  for (const SelectedImage& selected : file.select(hdus)) {
    try {
      const FitsImage image = selected.open();
      images.push_back({selected.hdu, Footprint(image.header(), selected.shape)});
      if (with_points) images.back().points = grid_on_sky(image.header(), selected.shape, points_along);
    } catch (const PassingError&) {
      throw;
    } catch (const Error& error) {
      if (problem.empty()) problem = error.what();
    }
  }
  if (images.empty()) throw Error(ErrorKind::input, problem);
  return images;
}

/// A file in the folder of references.
struct Reference {
  ImageFile file;
  std::vector<ImageOnSky> images = {};
  std::string problem = {};  ///< why the file cannot be used as a reference; empty if it can
};

struct Chosen {
  const Reference* reference = nullptr;  ///< the chosen reference; null: none can be used
  std::string problem = {};
};

/// The reference frames in a folder and below it. The constructor finds the frames and reads their headers. `hdus`
/// selects the HDUs of each frame.
class ReferenceFolder {
 public:
  ReferenceFolder(std::string path, HduNames hdus, std::int64_t most_held, std::vector<std::string>& notes)
      : path_(std::move(path)), hdus_(std::move(hdus)), most_held_(most_held) {
    find();
    wait_together(references_.size(), [&](std::size_t i) { look_at_reference(references_[i]); });
    for (std::size_t i = 0; i < references_.size(); ++i) {
      for (const ImageOnSky& image : references_[i].images) {
        widest_ = std::max(widest_, image.footprint.radius());
        by_height_.push_back({std::asin(std::clamp(image.footprint.middle()[2], -1.0, 1.0)) / degree, i, &image});
      }
    }
    std::ranges::stable_sort(by_height_, {}, &OnSky::height);
    tell_of_unused(notes);
  }

  /// Chooses the reference frame of an image, or says why there is none.
  Chosen choose(const ImageFile& file) const {
    try {
      return choose(file, images_on_sky(file.path, file.config->config.input.hdu, true, most_held_));
    } catch (const Error& error) {
      return {nullptr, file.path + ": nothing tells which frame of " + path_ + " shows its sky: " + error.what() +
                           "; name its reference"};
    }
  }

 private:
  struct OnSky {
    double height;  ///< declination of the frame's centre, in degrees
    std::size_t reference;
    const ImageOnSky* image;
  };
  struct Covered {
    std::int64_t points = 0;
    double away = 0;  ///< sum over HDUs of the distance between the centres of image and frame, in degrees
  };

  void find() {
    find_below(
        path_, [&](ImageFile file) { references_.push_back({std::move(file)}); },
        [&](const std::string& directory, const std::string&, const std::string& reason) {
          throw Error(ErrorKind::input, directory + ": cannot read the directory of references: " + reason);
        });
    std::ranges::sort(references_, {}, [](const Reference& reference) { return reference.file.name; });
  }

  void look_at_reference(Reference& reference) const {
    try {
      reference.images = images_on_sky(reference.file.path, hdus_, false, most_held_);
    } catch (const PassingError&) {
      throw;
    } catch (const Error& error) {
      reference.problem = error.what();
    }
  }

  void tell_of_unused(std::vector<std::string>& notes) const {
    std::vector<const Reference*> unused;
    for (const Reference& reference : references_)
      if (!reference.problem.empty()) unused.push_back(&reference);
    if (unused.empty()) return;
    notes.push_back(path_ + ": not taken for references: " + first_few(unused.size(), [&](std::size_t i) {
                      return unused[i]->file.name + " (" + unused[i]->problem + ")";
                    }));
  }

  Chosen choose(const ImageFile& file, const std::vector<ImageOnSky>& images) const {
    std::map<std::size_t, Covered> covered;
    for (const ImageOnSky& image : images) add_covered(image, covered);
    std::vector<std::pair<std::size_t, Covered>> best(covered.begin(), covered.end());
    std::ranges::stable_sort(best, [](const auto& a, const auto& b) {
      return a.second.points != b.second.points ? a.second.points > b.second.points : a.second.away < b.second.away;
    });
    const Reference* itself = nullptr;
    for (const auto& [number, cover] : best) {
      std::error_code missing;
      const Reference& reference = references_[number];
      if (!std::filesystem::equivalent(reference.file.path, file.path, missing)) return {&reference};
      itself = &reference;
    }
    return {nullptr, describe_none(file, images.front(), itself)};
  }

  /// For each reference frame, counts the grid points of the image that the frame covers, and adds the count to
  /// `covered`.
  void add_covered(const ImageOnSky& image, std::map<std::size_t, Covered>& covered) const {
    const Footprint& own = image.footprint;
    const double height = std::asin(std::clamp(own.middle()[2], -1.0, 1.0)) / degree, reach = own.radius() + widest_;
    auto one = std::ranges::lower_bound(by_height_, height - reach, {}, &OnSky::height);
    for (; one != by_height_.end() && one->height <= height + reach; ++one) {
      const Footprint& other = one->image->footprint;
      const double away = angle_between(own.middle(), other.middle());
      if (away > own.radius() + other.radius() || (hdus_.several() && one->image->hdu != image.hdu)) continue;
      const auto points =
          std::ranges::count_if(image.points, [&](const Direction& point) { return other.contains(point); });
      if (points == 0) continue;
      covered[one->reference].points += points;
      covered[one->reference].away += away;
    }
  }

  std::string describe_none(const ImageFile& file, const ImageOnSky& image, const Reference* itself) const {
    const std::string problem = "no frame of " + path_ + " shows the sky of " + file.path;
    const Reference* nearest = nullptr;
    double least = 0;
    for (const OnSky& one : by_height_) {
      const double away = angle_between(image.footprint.middle(), one.image->footprint.middle());
      if (&references_[one.reference] == itself || (nearest != nullptr && away >= least)) continue;
      nearest = &references_[one.reference];
      least = away;
    }
    if (nearest == nullptr)
      return problem +
             (references_.empty() ? ": no image is in this folder or below it"
                                  : ": no other image in it has a place on the sky that can be used") +
             "; put references there, or name another folder";
    char degrees[32];
    std::snprintf(degrees, sizeof(degrees), "%.4g", least);
    return problem + ": the nearest is " + nearest->file.path + ", whose middle is " + degrees +
           " degrees away; add a reference of that field, or name another folder";
  }

  std::string path_;
  HduNames hdus_;
  std::int64_t most_held_;             ///< limit in bytes for an inflated file
  std::vector<Reference> references_;  ///< sorted by name
  std::vector<OnSky> by_height_;
  double widest_ = 0;  ///< largest radius of a frame's outline
};

/// The folders of reference frames that a survey uses; each folder is read once for each selection of HDUs.
class Folders {
 public:
  Folders(std::int64_t most_held, std::vector<std::string>& notes) : most_held_(most_held), notes_(notes) {}

  const ReferenceFolder* folder_of(const ImageFile& file) {
    if (!file.has_reference()) return nullptr;
    const auto [known, is_new] = of_beside_.try_emplace(file.beside.get(), nullptr);
    if (is_new && status_of(file.beside->reference).is_directory) {
      const std::string& path = file.beside->reference;
      const HduNames& hdus = (file.beside->of_reference ? file.beside->of_reference : file.config)->config.input.hdu;
      std::unique_ptr<ReferenceFolder>& folder = folders_[{path, hdus.names}];
      if (!folder) folder = std::make_unique<ReferenceFolder>(path, hdus, most_held_, notes_);
      known->second = folder.get();
    }
    return known->second;
  }

 private:
  std::int64_t most_held_;
  std::vector<std::string>& notes_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::unique_ptr<ReferenceFolder>> folders_;
  std::map<const FilesBeside*, const ReferenceFolder*> of_beside_;
};

/// Copies the files beside an image (FilesBeside), with the chosen frame in place of the folder. If no frame was
/// chosen, the folder stays and the reason is added. The hash is computed anew.
FilesBeside with_reference(const FilesBeside& before, const Chosen& chosen) {
  FilesBeside beside = before;
  beside.no_reference = chosen.problem;
  std::string text = hexadecimal(before.hash) + ' ';
  if (chosen.reference != nullptr) {
    const ImageFile& file = chosen.reference->file;
    beside.reference = file.path;
    text += file.name + ' ' + std::to_string(file.bytes) + ' ' + std::to_string(file.modified);
  }
  beside.hash = name_hash(text);
  return beside;
}

}  // namespace

ImageFiles choose_references(ImageFiles files, std::vector<std::string>& notes, std::int64_t most_held) {
  Folders folders(most_held, notes);
  std::vector<const ReferenceFolder*> of_file(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) of_file[i] = folders.folder_of(files[i]);
  if (std::ranges::count(of_file, nullptr) == std::ssize(of_file)) return files;
  std::vector<Chosen> chosen(files.size());
  wait_together(files.size(), [&](std::size_t i) {
    if (of_file[i] != nullptr) chosen[i] = of_file[i]->choose(files[i]);
  });
  std::map<std::pair<const FilesBeside*, const Reference*>, std::shared_ptr<const FilesBeside>> known;
  ImageFiles result;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ImageFile file = files[i];
    if (of_file[i] != nullptr) {
      std::shared_ptr<const FilesBeside> own;
      std::shared_ptr<const FilesBeside>& kept =
          chosen[i].reference != nullptr ? known[{file.beside.get(), chosen[i].reference}] : own;
      if (!kept) kept = std::make_shared<const FilesBeside>(with_reference(*file.beside, chosen[i]));
      file.beside = kept;
    }
    result.push_back(file);
  }
  return result;
}

}  // namespace srcextract
