#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "survey/inputs/by_index.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// A file with images (HDUs) to extract.
struct PlannedFile {
  ImageFile file;
  std::vector<int> done_hdus;         ///< images that are not extracted: done, or failed and not retried
  std::vector<int> failed_hdus = {};  ///< the images of done_hdus that failed; outputs of these, if any, are from an
                                      ///< earlier version of the file
};

/// The files to extract in a survey, packed as in ImageFiles. Returned values are copies.
class PlannedFiles {
 public:
  using value_type = PlannedFile;

  PlannedFiles() = default;
  PlannedFiles(const std::vector<PlannedFile>& files);
  /// Plans all images of these files.
  explicit PlannedFiles(ImageFiles files) : files_(std::move(files)) {}

  /// Sets the images of file i that are not extracted (PlannedFile).
  void leave(std::size_t i, std::vector<int> done_hdus, std::vector<int> failed_hdus);

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  PlannedFile operator[](std::size_t i) const;
  const ImageFiles& files() const { return files_; }

  /// Keeps only the files with these indices, in this order.
  void select(const std::vector<std::size_t>& which);

  ByIndex<PlannedFiles> begin() const { return {*this, 0}; }
  ByIndex<PlannedFiles> end() const { return {*this, size()}; }

 private:
  struct Left {
    std::vector<int> done_hdus, failed_hdus;
  };

  ImageFiles files_;
  std::map<std::size_t, Left> left_;  ///< by index of the file, for the few files with images that are not extracted
};

std::int64_t total_bytes(const PlannedFiles& files);

}  // namespace srcextract
