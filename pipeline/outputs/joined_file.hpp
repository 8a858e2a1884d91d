#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "survey/inputs/image_file.hpp"
#include "survey/merge/join_hdus.hpp"

namespace srcextract {

/// The one catalogue of a file whose HDUs are extracted one by one, maybe at the same time (output.one_catalogue). It
/// is made of theirs, those of an earlier run included, when the last is over, and is the same whichever that is.
class JoinedFile {
 public:
  /// `images` are those of the file, of which `pending` are to be extracted. Throws Error{config} if the catalogue
  /// would replace what is kept.
  JoinedFile(const std::string& directory, const ImageFile& file, const std::vector<SelectedImage>& images,
             std::size_t pending, const KeptFiles& kept);

  /// The catalogue of that HDU is in place, or there is none. From any thread. After the last it is all written; throws
  /// what join_hdus throws.
  void end(int hdu, bool done);

 private:
  std::mutex mutex_;
  std::size_t pending_;
  std::vector<HduCatalog> catalogs_;
  std::string output_;
};

}  // namespace srcextract
