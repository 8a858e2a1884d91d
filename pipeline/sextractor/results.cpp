#include "pipeline/sextractor/results.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/catalog/segmentation.hpp"
#include "pipeline/outputs/check_images.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

void NamedResults::take(const ImageTask& task, const ImageInput& input, ImageResult&& result, const Cpu& where) {
  Extraction& extraction = result.extraction;
  CatalogPiece piece{.hdu = task.image.hdu,
                     .name = task.name,
                     .header = input.header(),
                     .sources = {},
                     .vignets = cut_vignets(extraction, input.config(), where),
                     .metadata = metadata_of(input, extraction, *task.file->config)};
  if (!outputs_.check_images.empty() && task.images > 1)
    throw Error(ErrorKind::config, "CHECKIMAGE_TYPE: " + task.file->path + " has " + std::to_string(task.images) +
                                       " images, and check images are written of one; name it, as in " +
                                       task.file->path + "[1]");
  const std::lock_guard lock(mutex_);
  write_check_images(input, extraction, piece.metadata, where);
  piece.sources = std::move(extraction.sources);
  pieces_.push_back(std::move(piece));
}

void NamedResults::write_check_images(const ImageInput& input, const Extraction& extraction,
                                      const CatalogMetadata& metadata, const Cpu& where) {
  for (const auto& [which, path] : outputs_.check_images)
    files_.push_back(which ? write_check_image(path, *which, ImageCompression::none, extraction, input.exposure.shape(),
                                               input.header(), metadata, where)
                           : write_labels(path, extraction.runs, extraction.label, input.header(), metadata));
}

void NamedResults::write(const Cpu& where) {
  std::ranges::sort(pieces_, {}, &CatalogPiece::hdu);
  if (!outputs_.catalogue.empty())
    files_.push_back(write_named_catalogue(outputs_.catalogue, outputs_.type, pieces_, parameters_, where));
  std::optional<OutputFile> shown;
  if (outputs_.to_standard_output)
    shown.emplace(write_named_catalogue(std::filesystem::temp_directory_path() / "STDOUT", outputs_.type, pieces_,
                                        parameters_, where));
  commit(files_);
  if (shown) shown->copy_to(STDOUT_FILENO);
}

}  // namespace srcextract
