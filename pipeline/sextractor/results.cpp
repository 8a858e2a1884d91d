#include "pipeline/sextractor/results.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "io/catalog/segmentation.hpp"
#include "pipeline/log/print_result.hpp"
#include "pipeline/outputs/check_images.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "pipeline/sextractor/join_images.hpp"
#include "pipeline/sextractor/without_sky.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// TMPDIR, or /tmp if TMPDIR is no directory. A directory that is not writable is reported later.
std::filesystem::path directory_of_scratch() {
  std::error_code problem;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(problem);
  return problem ? "/tmp" : directory;
}

/// Prints the text of a file on standard output.
void show(const OutputFile& file) {
  file.read_back([](std::span<const std::byte> bytes) {
    print_result({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}

}  // namespace

void NamedResults::keep(CatalogPiece piece, const ImageTask& task, const ImageInput& input, Extraction& extraction,
                        const Cpu& where) {
  piece.hdu = task.image.hdu;
  piece.name = task.name;
  piece.header = input.header();
  piece.metadata = metadata_of(input, extraction, *task.file->config);
  const std::lock_guard lock(mutex_);
  write_check_images(input, piece.hdu, extraction, piece.metadata, where);
  piece.sources = std::move(extraction.sources);
  pieces_.push_back(std::move(piece));
}

void NamedResults::take(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& where) {
  CatalogPiece piece;
  piece.vignets = cut_vignets(result.extraction, input.config(), where);
  show_masked_pixels(input, result.extraction, where);
  keep(std::move(piece), task, input, result.extraction, where);
}

void NamedResults::take_without_sky(const ImageTask& task, const ImageInput& input, const Failure& failure,
                                    const Cpu& where) {
  const auto is_of_sky = [](const NamedCheckImage& image) { return image.which.has_value(); };
  if (input.detection != nullptr && std::ranges::any_of(outputs_.check_images, is_of_sky))
    throw Error(failure.kind, failure.message);
  CatalogPiece piece{.hdu = task.image.hdu,
                     .name = task.name,
                     .header = {},
                     .sources = {},
                     .vignets = {},
                     .metadata = {},
                     .without_sky = failure};
  Extraction nothing = extraction_without_sky(input, *failure.no_sky, where);
  keep(std::move(piece), task, input, nothing, where);
}

void NamedResults::require_sky() const {
  std::vector<const CatalogPiece*> dark;
  for (const CatalogPiece& piece : pieces_)
    if (piece.without_sky) dark.push_back(&piece);
  const bool none = dark.size() == pieces_.size();
  for (const CatalogPiece* piece : dark) {
    if (!none)
      spdlog::warn("{}: it has no sources in the catalogue, as in SExtractor's: {}", piece->name,
                   piece->without_sky->message);
    else if (piece != dark.back())
      log_failure(piece->name, *piece->without_sky);
    else
      throw Error(piece->without_sky->kind, message_about(piece->name, *piece->without_sky));
  }
}

void NamedResults::write_check_images(const ImageInput& input, int hdu, const Extraction& extraction,
                                      const CatalogMetadata& metadata, const Cpu& where) {
  const auto write = [&](const NamedCheckImage& image) {
    if (image.which)
      return write_check_image(image.path, *image.which, ImageCompression::none, extraction, input, metadata, where);
    if (image.type == "IDENTICAL") return write_identical_image(image.path, input, metadata, where);
    return write_labels(image.path, extraction.runs, extraction.label, check_image_cards(input), metadata);
  };
  for (const NamedCheckImage& image : outputs_.check_images) check_images_[image.path].emplace(hdu, write(image));
}

void NamedResults::write(const Cpu& where) {
  std::ranges::sort(pieces_, {}, &CatalogPiece::hdu);
  require_sky();
  const auto catalogue = [&](const std::string& path) {
    return write_named_catalogue(path, outputs_.type, pieces_, parameters_, where);
  };
  std::vector<OutputFile> files;
  for (auto& [path, images] : check_images_)
    files.push_back(images.size() == 1 ? std::move(images.begin()->second) : join_images(path, images));
  if (!outputs_.catalogue.empty()) files.push_back(catalogue(outputs_.catalogue));
  std::optional<OutputFile> shown;
  if (outputs_.to_standard_output) shown.emplace(catalogue(directory_of_scratch() / "STDOUT"));
  commit(files);
  if (shown) show(*shown);
}

}  // namespace srcextract
