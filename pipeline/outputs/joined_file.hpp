#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/journal/planned_files.hpp"
#include "survey/merge/join_hdus.hpp"

namespace srcextract {

/// The catalogue that joins the HDUs of a file, which are extracted separately, maybe in parallel
/// (output.one_catalogue). When the last HDU has ended, its rows are read from the HDUs' catalogues, including those of
/// an earlier run. The result does not depend on which HDU is last. An HDU that failed, now or earlier, has no rows,
/// even if an old catalogue of it exists.
class JoinedFile {
 public:
  /// `images` are all images of the file. Throws Error{config} if the catalogue would replace a kept file.
  JoinedFile(const std::string& directory, const PlannedFile& planned, const std::vector<SelectedImage>& images,
             const KeptFiles& kept);

  /// Reports that the catalogue of that HDU is in place (`done`), or that there is none. May be called from any thread.
  /// Writes the common catalogue after the last HDU; throws the errors of join_hdus.
  void end(int hdu, bool done);

  /// Writes the joined catalogue if no image is left to extract, because an earlier process did the last one.
  void end_without_any();

 private:
  void write() const;

  std::mutex mutex_;
  std::size_t pending_ = 0;  ///< images still to be extracted
  std::vector<HduCatalog> catalogs_;
  std::string output_;
};

}  // namespace srcextract
