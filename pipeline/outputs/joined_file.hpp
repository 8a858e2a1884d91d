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

/// The catalogue that joins the HDUs of one file (output.one_catalogue). The HDUs are extracted separately, maybe in
/// parallel. When the last HDU is done, the catalogues of all HDUs are read and joined, also catalogues of earlier
/// runs. The result does not depend on the order of the HDUs. A failed HDU contributes no rows, even if an old
/// catalogue of that HDU exists.
class JoinedFile {
 public:
  /// `images` are all images of the file. Throws Error{config} if the joined catalogue would replace a file in `kept`.
  JoinedFile(const std::string& directory, const PlannedFile& planned, const std::vector<SelectedImage>& images,
             const KeptFiles& kept);

  /// Reports that the catalogue of an HDU is complete (`done`), or that the HDU failed. After the last HDU, writes the
  /// joined catalogue; throws the errors of join_hdus. Thread-safe.
  void end(int hdu, bool done);

  /// Writes the joined catalogue if an earlier run extracted all HDUs but did not write the joined catalogue.
  void end_without_any();

 private:
  void write() const;

  std::mutex mutex_;
  std::size_t pending_ = 0;  ///< number of images still to be extracted
  std::vector<HduCatalog> catalogs_;
  std::string output_;
};

}  // namespace srcextract
