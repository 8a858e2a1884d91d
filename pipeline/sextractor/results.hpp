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

/// Collects the results of all images of a file, then writes the outputs to the paths that the user gave.
class NamedResults {
 public:
  /// The arguments must outlive this object; `list` is null if no column of associations is requested.
  NamedResults(const NamedOutputs& outputs, const sextractor::Request& request, const AssociationList* list)
      : outputs_(outputs), request_(request), list_(list) {}

  /// Adds the result of one image (Job::take). Thread-safe. Throws Error{output}.
  void take(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& where);

  /// Adds an image that shows no sky, and has no sources (Job::take_without_sky). The image's check images show the sky
  /// that SExtractor assumes. Throws `failure` as an Error if the image has a detection image and check images other
  /// than the label map and IDENTICAL are requested. Throws Error{output}. Thread-safe.
  void take_without_sky(const ImageTask& task, const ImageInput& input, const Failure& failure, const Cpu& where);

  /// Writes all outputs, or none if one cannot be written; prints a catalogue for standard output after the files are
  /// complete. Logs the images that show no sky. Throws Error{output} or Error{storage}. Throws Error{input} if an
  /// image lacks a requested column, or if no image shows a sky.
  void write(const Cpu& where);

 private:
  /// Associates the sources of an image with the entries of the list, and removes sources that ASSOCSELEC_TYPE
  /// excludes.
  void associate(CatalogPiece& piece, Extraction& extraction) const;
  void keep(CatalogPiece piece, const ImageTask& task, const ImageInput& input, Extraction& extraction,
            const Cpu& where);
  /// Logs the images that show no sky. Throws the failure of an image as an Error if no image shows a sky.
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
