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

/// Collects the results of all images of a file, then writes them under the names that the user gave.
class NamedResults {
 public:
  /// All must outlive it; `list` is null if nothing is associated.
  NamedResults(const NamedOutputs& outputs, const sextractor::Request& request, const AssociationList* list)
      : outputs_(outputs), request_(request), list_(list) {}

  /// Takes the result of one image (Job::take). May be called from any thread. Throws Error{output}.
  void take(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& where);

  /// Takes an image that shows no sky (Job::take_without_sky); its check images show the sky that SExtractor assumes.
  /// Throws the failure if the image has a detection image and check images of its sky are asked for. Throws
  /// Error{output}.
  void take_without_sky(const ImageTask& task, const ImageInput& input, const Failure& failure, const Cpu& where);

  /// Writes all outputs once each is complete, none if one fails. A catalogue for standard output is printed last. An
  /// image that shows no sky has no sources in the catalogue, which is logged. Throws Error{output} or Error{storage}.
  /// Throws Error{input} if the images lack a column, or if none shows a sky.
  void write(const Cpu& where);

 private:
  /// Associates the sources of a piece with the list.
  void associate(CatalogPiece& piece, Extraction& extraction) const;
  void keep(CatalogPiece piece, const ImageTask& task, const ImageInput& input, Extraction& extraction,
            const Cpu& where);
  /// Logs the images that show no sky. Throws Error{input} if none shows one.
  void require_sky() const;
  void write_check_images(const ImageInput& input, int hdu, const Extraction& extraction,
                          const CatalogMetadata& metadata, const Cpu& where);

  const NamedOutputs& outputs_;
  const sextractor::Request& request_;
  const AssociationList* list_;
  std::mutex mutex_;
  std::vector<CatalogPiece> pieces_;
  std::map<std::string, std::map<int, OutputFile>> check_images_;  ///< by path, then by HDU; not yet committed
};

}  // namespace srcextract
