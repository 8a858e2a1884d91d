#include "pipeline/sextractor/unmet.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "io/image/fits_image.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/sextractor/association.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using sextractor::Request;
using sextractor::Unmet;

/// Adds problems that concern only `srcextract sextractor`, and not a converted configuration: catalogues of type
/// FITS_TPX, and header files beside the images (HEADER_SUFFIX).
void add_files_beside(const Request& request, const std::vector<std::string>& images, std::vector<Unmet>& unmet) {
  const auto lose = [&](const char* key, const std::string& reason) {
    unmet.push_back({request[key].text(), request[key].place, reason, true});
  };
  if (request["CATALOG_TYPE"].word() == "FITS_TPX")
    lose("CATALOG_TYPE", "that type of table is not written; FITS_LDAC and FITS_1.0 are");
  for (const std::string& image : images) {
    const std::string header =
        std::filesystem::path(image).replace_extension().string() + request["HEADER_SUFFIX"].word();
    std::error_code ignored;
    if (!std::filesystem::exists(header, ignored)) continue;
    unmet.push_back({header, request["HEADER_SUFFIX"].place,
                     "SExtractor takes this file (HEADER_SUFFIX) for the header of " + image +
                         "; here positions on the sky are those of the image's own header: put its keywords into the "
                         "image (missfits does), or move it away",
                     true});
  }
}

/// Whether an image of the file has integers of more than 8 bits, to which FITS_UNSIGNED applies.
bool has_signed_integers(const std::string& file) {
  return std::ranges::any_of(select_images(file, "all"),
                             [](const SelectedImage& selected) { return selected.open().plane(1).format.bitpix > 8; });
}

/// Adds a problem if WEIGHT_TYPE has a single value other than NONE, without a second weight map. SExtractor then uses
/// the first image's noise for the errors of the second image, too.
void add_shared_weights(const Request& request, std::vector<Unmet>& unmet) {
  const sextractor::Setting& types = request["WEIGHT_TYPE"];
  const std::string type = types.word();
  const bool two_maps = type.starts_with("MAP") && request["WEIGHT_IMAGE"].values.size() > 1;
  if (types.values.size() > 1 || type == "NONE" || two_maps) return;
  unmet.push_back({types.text(), types.place,
                   "of two images SExtractor has the noise of the first in the errors of the second, too, where there "
                   "is one value; here each has its own, as WEIGHT_TYPE " +
                       type + "," + type + " has it in both programs",
                   true});
}

/// Adds a problem if the weights to detect with differ from the weights to measure with. srcextract has one set of
/// weights for a single image.
void add_weights_for_two(const sextractor::Translation& translation, std::vector<Unmet>& unmet) {
  for (const Unmet& one : translation.unmet)
    if (!one.for_detection.empty() && one.for_detection.front().starts_with("weights.type="))
      unmet.push_back(
          {one.what, one.place,
           "of a single image with weights for two SExtractor takes the sky by the first and fluxes by the "
           "second: write one value of WEIGHT_TYPE, WEIGHT_IMAGE, WEIGHT_THRESH and RESCALE_WEIGHTS, or the "
           "image twice, as IMAGE,IMAGE",
           true});
}

std::string text_of(const Unmet& unmet) {
  return (unmet.place.empty() ? "" : unmet.place + ": ") + unmet.what + ": " + unmet.reason;
}

}  // namespace

void require_met(const Request& request, const sextractor::Translation& translation,
                 const std::vector<std::string>& images) {
  for (const sextractor::UnknownName& key : request.configuration.unknown())
    spdlog::warn("{}: SExtractor has no key '{}', and passes over the line, as is done here", key.place, key.name);
  for (const sextractor::UnknownName& column : request.unknown)
    spdlog::warn("{}: SExtractor has no column '{}', and passes over the line, as is done here", column.place,
                 column.name);
  std::vector<Unmet> lost = translation.unmet;
  std::erase_if(lost, [](const Unmet& unmet) {
    // add_files_beside() reports HEADER_SUFFIX if a file with that suffix exists.
    return !unmet.counts || !unmet.for_detection.empty() || unmet.what.starts_with("HEADER_SUFFIX ") ||
           is_of_association(unmet.what.substr(0, unmet.what.find('(')));
  });
  if (!std::ranges::any_of(images, has_signed_integers))
    std::erase_if(lost, [](const Unmet& unmet) { return unmet.what.starts_with("FITS_UNSIGNED "); });
  add_files_beside(request, images, lost);
  if (images.size() == 2) add_shared_weights(request, lost);
  if (images.size() == 1) add_weights_for_two(translation, lost);
  if (lost.empty()) return;
  lost = sextractor::by_reason(lost, true);
  for (std::size_t i = 0; i + 1 < lost.size(); ++i) log_error(text_of(lost[i]));
  throw Error(
      ErrorKind::config,
      text_of(lost.back()) + ". SExtractor does that and srcextract does not, so that nothing is written: change " +
          (lost.size() == 1 ? "it" : "these") + ", or let srcextract convert-config make a configuration without " +
          (lost.size() == 1 ? "it" : "them"));
}

}  // namespace srcextract
