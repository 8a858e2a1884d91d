#pragma once

#include <optional>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/read_frame.hpp"
#include "pipeline/chain/subtract_reference.hpp"
#include "stages/core/exposure.hpp"
#include "stages/measure/dipoles.hpp"
#include "stages/photometry/forced.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Draws the picture of an image if output.quicklook is set, else returns nullopt.
template <class Where, class Engine>
std::optional<Picture> draw(const Pixels<Where>& pixels, const Config& config, Engine& engine) {
  if (!config.output.quicklook) return std::nullopt;
  std::optional<Picture> picture = render_picture(pixels.image, config.quicklook, engine.where());
  engine.done("picture", *picture);
  return picture;
}

/// Extracts the engine's image, then negates the image in place and extracts it again, for sources fainter than the
/// sky. `join` merges the two results.
template <class Engine, class Join>
Extraction extract_sides(Engine& engine, const Join& join) {
  engine.pixels().negated = false;
  Extraction brighter = engine.extract();
  negate(engine.pixels().image, engine.where());
  if (!engine.pixels().kept.pixels.empty()) negate(engine.pixels().kept, engine.where());
  engine.pixels().star.turn();
  engine.pixels().negated = true;
  Extraction fainter = engine.extract();
  engine.pixels().negated = false;
  return join(std::move(brighter), std::move(fainter));
}

/// The reference frame of a difference as an Exposure, so that read_exposure() can read it.
inline Exposure exposure_of(const ReferenceFrame& frame) {
  Exposure exposure(frame.planes);
  exposure.weights = frame.weights;
  exposure.mask = frame.mask;
  return exposure;
}

/// Extracts the sources of a difference image that are brighter than in the reference, and those that are fainter.
template <class Engine>
Extraction extract_changes(const Exposure& exposure, const Config& config, Engine& engine) {
  using Where = typename Engine::Where;
  const ReferenceFrame& frame = *exposure.reference;
  Pixels<Where> fresh(exposure.shape(), engine.where());
  Pixels<Where> reference(frame.planes.front().shape, engine.where());
  read_exposure(exposure, fresh_settings(config), fresh, engine);
  std::optional<Picture> picture = draw(fresh, config, engine);
  read_exposure(exposure_of(frame), reference_settings(config), reference, engine);
  auto match = subtract_reference(reference, frame.map.get(), fresh, config, engine.pixels(), engine);
  fresh.image = {};  // frees memory of both frames for the extraction
  reference.image = {};
  Extraction both = extract_sides(engine, join_sides);
  both.sources.describe(columns::sign, "1 brighter than the reference, -1 fainter");
  both.difference = describe(match, engine.where());
  both.frames = std::move(match.frames);
  if (match.fit)
    add_dipoles(match.fit->convolved_new ? match.fit->reference_fwhm : match.fit->new_fwhm,
                ColumnChoice(config.output.columns), both.sources);
  both.picture = std::move(picture);
  return both;
}

/// Dual-image mode: finds sources in one image, to be measured in other images.
template <class Engine>
FoundElsewhere<typename Engine::Where> find_elsewhere(const DetectionImage& found_in, Engine& engine) {
  read_exposure(found_in.exposure, found_in.config, engine.pixels(), engine);
  subtract_given_level(found_in.exposure, engine.pixels(), engine);
  return engine.keep_found();
}

/// Extracts sources brighter than the sky, fainter than the sky, or both, as detection.sign says.
template <class Engine>
Extraction extract_signs(const Config& config, Engine& engine) {
  if (config.detection.sign == DetectionSign::positive) return engine.extract();
  Extraction extraction = extract_sides(engine, [&](Extraction brighter, Extraction fainter) {
    return join_signs(std::move(brighter), std::move(fainter), config);
  });
  turn_backgrounds(extraction.sources);
  return extraction;
}

/// Runs the pipeline from stored pixels to the catalogue. Both back ends run the stages in this order. An Engine is a
/// back end with its memory for one image (pipeline/engine/host_engine.hpp, pipeline/engine/extractor.cpp). Its
/// members:
///   where();                      the CPU or GPU on which the stages run
///   pixels();                     the pixels to extract, of the image's shape
///   room_for(shape);              new pixels, into which a map can be read
///   read(source, pixels);         reads a plane (the stage `ingest`)
///   extract();                    `detect_sources` and `make_catalog` on pixels()
///   keep_found();                 `detect_for_others` on pixels()
///   extract_found(sources);       `measure_elsewhere` and `make_catalog`
///   extract_at(positions);        `measure_positions`, or `measure_crowd`, and `make_catalog`
///   done(stage, result);          called after every other stage, for times, progress and records
///   record(stage, result);        records a result without a time.
/// If `sources` (found in another image) or `positions` are given, they are measured and nothing is detected.
template <class Engine>
Extraction run_stages(const Exposure& exposure, const Config& config, Engine& engine,
                      const FoundElsewhere<typename Engine::Where>* sources = nullptr,
                      const ForcedPositions* positions = nullptr) {
  Extraction extraction;
  if (exposure.reference) {
    extraction = extract_changes(exposure, config, engine);
  } else {
    read_exposure(exposure, config, engine.pixels(), engine);
    std::optional<Picture> picture = draw(engine.pixels(), config, engine);
    subtract_given_level(exposure, engine.pixels(), engine);
    extraction = positions != nullptr || fits_crowd(config) ? engine.extract_at(positions)
                 : sources != nullptr                       ? engine.extract_found(*sources)
                                                            : extract_signs(config, engine);
    extraction.picture = std::move(picture);
  }
  engine.record("catalogue", extraction);
  return extraction;
}

}  // namespace srcextract
