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

/// The one catalogue of a file whose HDUs are extracted one by one, maybe at the same time (output.one_catalogue). It
/// is made of theirs, those of an earlier run included, when the last is over, and is the same whichever that is. Of an
/// HDU that failed, then or now, there are no rows, whatever lies there under the name of its catalogue.
class JoinedFile {
 public:
  /// `images` are all those of the file. Throws Error{config} if the catalogue would replace what is kept.
  JoinedFile(const std::string& directory, const PlannedFile& planned, const std::vector<SelectedImage>& images,
             const KeptFiles& kept);

  /// The catalogue of that HDU is in place, or there is none. From any thread. After the last it is all written; throws
  /// what join_hdus throws.
  void end(int hdu, bool done);

  /// Where none of the images is to be extracted, since the last came to its end in another process: all is written.
  void end_without_any();

 private:
  void write() const;

  std::mutex mutex_;
  std::size_t pending_ = 0;  ///< to be extracted
  std::vector<HduCatalog> catalogs_;
  std::string output_;
};

}  // namespace srcextract
