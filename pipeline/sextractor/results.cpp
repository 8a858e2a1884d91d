#include "pipeline/sextractor/results.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/catalog/segmentation.hpp"
#include "io/files/input_file.hpp"
#include "io/files/output_file.hpp"
#include "io/fits/card.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/table_head.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "pipeline/extract/restore_level.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/outputs/check_images.hpp"
#include "pipeline/outputs/vignets.hpp"
#include "pipeline/sextractor/run_xml.hpp"
#include "stages/core/error.hpp"
#include "stages/detect/no_sky.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

/// The offset in bytes of the END card of a header; npos if `text` has no END card yet.
std::size_t end_card(std::string_view text) {
  for (std::size_t i = 0; i + card_length <= text.size(); i += card_length)
    if (is_end(text.substr(i, card_length))) return i;
  return text.npos;
}

/// Converts the cards of a primary header, without END, to the header of an image extension.
std::string as_extension(std::string cards) {
  const std::size_t axes_end = 5 * card_length;  // SIMPLE, BITPIX, NAXIS, NAXIS1, NAXIS2
  cards.insert(axes_end, format_card({"PCOUNT", std::int64_t{0}}) + format_card({"GCOUNT", std::int64_t{1}}));
  cards.replace(0, card_length, format_card({"XTENSION", std::string("IMAGE")}));
  return whole_header(std::move(cards));
}

void append(const OutputFile& image, OutputFile& all) {
  std::string begin;
  bool in_header = true;
  image.read_back([&](std::span<const std::byte> bytes) {
    if (!in_header) return all.write(bytes);
    begin.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t end = end_card(begin);
    if (end == begin.npos) return;
    in_header = false;
    all.write(as_extension(begin.substr(0, end)));
    all.write(std::string_view(begin).substr(static_cast<std::size_t>(in_records(static_cast<std::int64_t>(end) + 1))));
  });
}

/// Joins files with one image each into one file at `path`, with an extension for each image in the order of the HDUs.
/// The caller commits the file. Throws Error{output}.
OutputFile join_images(const std::string& path, const std::map<int, OutputFile>& images) {
  OutputFile all(path);
  all.write(empty_primary_header());
  for (const auto& [hdu, image] : images) append(image, all);
  return all;
}

Buffer<float, Cpu> filled(std::int64_t size, double value, const Cpu& where) {
  Buffer<float, Cpu> all(size, where);
  std::fill(all.begin(), all.end(), static_cast<float>(value));
  return all;
}

/// The result for an image that shows no sky: no sources, and check images of the sky `sky` that SExtractor assumes, or
/// of the sky level that the configuration gives. Throws Error{input} if the image cannot be read.
Extraction extraction_without_sky(const ImageInput& input, const AssumedSky& sky, const Cpu& where) {
  const Shape shape = input.exposure.shape();
  Extraction nothing;
  nothing.background.clipped.median = sky.level;
  nothing.background.clipped.sigma = sky.noise;
  nothing.levels.detection = std::numeric_limits<double>::infinity();
  nothing.runs.shape = shape;
  nothing.runs.row_begin = Buffer<std::int64_t, Cpu>(shape.height + 1, where);
  std::fill(nothing.runs.row_begin.begin(), nothing.runs.row_begin.end(), 0);
  if (input.config().output.check_images.empty()) return nothing;
  restore_level(input, where, nothing);
  // Equal nodes and second derivatives of 0 give a flat spline.
  SkyMesh<Cpu>& mesh = nothing.check.mesh;
  mesh.grid = mesh_grid(shape, mesh_sides(input.config().background));
  const std::int64_t nodes = mesh.grid.nodes.count();
  mesh.level = filled(nodes, sky.level, where);
  mesh.rms = filled(nodes, sky.noise, where);
  mesh.level_bend = filled(nodes, 0, where);
  mesh.rms_bend = filled(nodes, 0, where);
  nothing.check.above = std::move(ingest(input.first(), where).image);
  const double level = nothing.sky_level();
  for (float& pixel : nothing.check.above.pixels) pixel = static_cast<float>(static_cast<double>(pixel) - level);
  return nothing;
}

/// The directory that TMPDIR, TMP, TEMP or TEMPDIR names, the first that is set, or /tmp if that is no directory. A
/// directory that is not writable causes an error later, when the file is made.
std::filesystem::path directory_of_scratch() {
  std::error_code problem;
  const std::filesystem::path directory = std::filesystem::temp_directory_path(problem);
  return problem ? "/tmp" : directory;
}

void show(const OutputFile& file) {
  file.read_back([](std::span<const std::byte> bytes) {
    print_result({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
}

}  // namespace

void NamedResults::keep(CatalogPiece piece, const ImageTask& task, const ImageInput& input, Extraction& extraction,
                        const Cpu& where) {
  piece.hdu = task.image.hdu;
  piece.extension = task.image.by_pattern ? static_cast<int>(task.image.number) + 1 : 1;
  piece.name = task.name;
  piece.header = input.header();
  piece.metadata = metadata_of(input, extraction, *task.file->config);
  piece.facts = {extraction.sky_level(), extraction.levels.sigma,
                 extraction.levels.detection - extraction.levels.background};
  if (list_ != nullptr && !piece.without_sky) associate(piece, extraction);
  const std::lock_guard lock(mutex_);
  write_check_images(input, piece.hdu, extraction, piece.metadata, where);
  piece.sources = std::move(extraction.sources);
  pieces_.push_back(std::move(piece));
}

void NamedResults::associate(CatalogPiece& piece, Extraction& extraction) const {
  const Sources& sources = extraction.sources;
  piece.associations = list_->of(sources[columns::x_image], sources[columns::y_image], piece.header);
  if (const std::vector<bool> kept = list_->kept(piece.associations); !kept.empty())
    keep_rows(kept, extraction, piece.vignets, piece.associations);
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
    return write_named_catalogue(path, outputs_.type, pieces_, request_.parameters, where);
  };
  std::vector<OutputFile> files;
  for (auto& [path, images] : check_images_)
    files.push_back(images.size() == 1 ? std::move(images.begin()->second) : join_images(path, images));
  if (!outputs_.catalogue.empty()) files.push_back(catalogue(outputs_.catalogue));
  if (!outputs_.xml.empty()) files.push_back(write_run_xml(outputs_.xml, request_, pieces_));
  std::optional<OutputFile> shown;
  if (outputs_.to_standard_output) shown.emplace(catalogue(directory_of_scratch() / "STDOUT"));
  commit(files);
  if (shown) show(*shown);
}

}  // namespace srcextract
