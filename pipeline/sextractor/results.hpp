#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/sextractor/catalogue.hpp"
#include "pipeline/sextractor/named_outputs.hpp"

namespace srcextract {

/// What was extracted from the images of a file, until all of it is written under the names that outputs were given.
class NamedResults {
 public:
  /// Of these outputs and columns, which have to live as long.
  NamedResults(const NamedOutputs& outputs, const std::vector<sextractor::Parameter>& parameters)
      : outputs_(outputs), parameters_(parameters) {}

  /// Takes that of one image (Job::take). From any thread. Throws Error{output}.
  void take(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& where);

  /// Takes one that shows no sky (Job::take_without_sky), whose check images are those of the sky that SExtractor
  /// assumes. Throws the failure where sources were sought in another image that shows none, and check images are of
  /// this one's sky; and Error{output}.
  void take_without_sky(const ImageTask& task, const ImageInput& input, const Failure& failure, const Cpu& where);

  /// Writes all outputs once each is complete, none if one fails; a catalogue for standard output last. What shows
  /// no sky has no sources there, which is told. Throws Error{output} or Error{storage}, and Error{input} if the images
  /// do not have the columns, or if none shows a sky.
  void write(const Cpu& where);

 private:
  void keep(CatalogPiece piece, const ImageTask& task, const ImageInput& input, Extraction& extraction,
            const Cpu& where);
  /// Tells what shows no sky. Throws Error{input} if none does.
  void require_sky() const;
  void write_check_images(const ImageInput& input, int hdu, const Extraction& extraction,
                          const CatalogMetadata& metadata, const Cpu& where);

  const NamedOutputs& outputs_;
  const std::vector<sextractor::Parameter>& parameters_;
  std::mutex mutex_;
  std::vector<CatalogPiece> pieces_;
  std::map<std::string, std::map<int, OutputFile>> check_images_;  ///< by path, and by HDU, not committed
};

}  // namespace srcextract
