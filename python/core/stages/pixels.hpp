#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/wcs/map_pixels.hpp"
#include "python/core/stages/held.hpp"
#include "python/core/view_of.hpp"
#include "stages/combine/combine.hpp"
#include "stages/difference/difference.hpp"
#include "stages/difference/resample.hpp"
#include "stages/weights/given_level.hpp"

/// The stages that make images, on the host or on a device.
namespace srcextract::python {

template <class Where>
HeldSky<Where> find_sky(const HeldImage<Where>& image, const Config& config, const Place<Where>& place) {
  const Where& where = place.where;
  if (has_level(config.given_sky))
    throw Error(ErrorKind::config,
                "background.level: a level that is known is subtracted from the array before it "
                "comes here; background.rms can be given");
  MeshSky<Where> found = estimate_sky(image.pixels.image, config, where);
  const bool of_mesh = !found.mesh.level.empty();
  HeldSky<Where> sky{place, image.pixels.image.shape};
  sky.above = of_mesh ? std::move(found.above) : sky_above(found.background, where);
  sky.mesh = std::move(found.mesh);
  sky.whole = std::move(found.background);
  sky.facts = fetch(sky.whole, where);
  return sky;
}

/// Wraps an image for Python. `masked` are the mask counts of the image from which the wrapped image was made.
template <class Where>
HeldImage<Where> held(Image<float, Where>&& image, Value<MaskCounts, Where>&& masked, const Place<Where>& place) {
  HeldImage<Where> result(place, Shape{});
  result.pixels.image = std::move(image);
  result.pixels.masked = std::move(masked);
  return result;
}

template <class Where>
HeldImage<Where> subtract_background(const HeldImage<Where>& image, const HeldSky<Where>& sky,
                                     const Place<Where>& place) {
  const Where& where = place.where;
  require_shape(image, sky);
  if (!sky.mesh.level.empty())
    return held(subtract_mesh(image.pixels, sky.mesh, where), copy_of(image.pixels.masked, where), place);
  const Pixels<Where> level = ingest(constant_source(sky.shape, sky.facts.clipped.median), where);
  HeldImage<Where> above = held(copy_of(image.pixels.image, where), copy_of(image.pixels.masked, where), place);
  subtract_level(level.image, above.pixels, where);
  return above;
}

enum class SkyMap { level, rms, nothing };

/// Makes an image of the sky's level or noise, or of zeros. For a mesh, subtracts the mesh from an image of zeros and
/// negates the result.
template <class Where>
HeldImage<Where> map_of_sky(const HeldSky<Where>& sky, SkyMap part, const Place<Where>& place) {
  const Where& where = place.where;
  const bool level = part == SkyMap::level;
  if (sky.mesh.level.empty() || part == SkyMap::nothing) {
    const Statistics& of = sky.facts.clipped;
    const double value = part == SkyMap::nothing ? 0.0 : level ? of.median : of.sigma;
    HeldImage<Where> map(place, sky.shape);
    ingest(constant_source(sky.shape, value), map.pixels, where);
    return map;
  }
  Pixels<Where> nothing = ingest(constant_source(sky.shape, 0), where);
  SkyMesh<Where> mesh = copy_of_mesh(sky.mesh, where);
  if (!level) {
    mesh.level = copy_of(sky.mesh.rms, where);
    mesh.level_bend = copy_of(sky.mesh.rms_bend, where);
    mesh.level_bounded = sky.mesh.rms_bounded;
  }
  Image<float, Where> map = subtract_sky(nothing.image, mesh, where);
  negate(map, where);
  return held(std::move(map), std::move(nothing.masked), place);
}

template <class Where>
HeldImage<Where> convolve_about_sky(const HeldImage<Where>& image, const HeldSky<Where>* sky, bool subtracted,
                                    const ConvolveConfig& config, const Place<Where>& place) {
  const Where& where = place.where;
  if (sky != nullptr && !subtracted && !sky->mesh.level.empty())
    throw Error(ErrorKind::config,
                "background: a convolution is about one level, and this background is a mesh; "
                "convolve background.subtract(image), with background.subtracted");
  if (!config.filters())
    throw Error(ErrorKind::config,
                "convolve.kernel: 'none' is no kernel; say gaussian, tophat, mexican_hat, file, or "
                "an array");
  const Value<Background, Where> level =
      sky != nullptr ? copy_of(SkyOf<Where>{*sky, subtracted}.background(), where) : value_at(Background{}, where);
  return held(filter_of(config).apply(image.pixels.image, level, where), copy_of(image.pixels.masked, where), place);
}

template <class Where>
HeldImage<Where> combine_images(const std::vector<const HeldImage<Where>*>& images, const Config& config,
                                const Place<Where>& place) {
  const Where& where = place.where;
  check_plane_count(images.size(), config.combine);
  const Shape& shape = images.front()->pixels.image.shape;
  std::vector<Pixels<Where>> planes;
  std::vector<Value<Background, Where>> skies;
  for (const HeldImage<Where>* image : images) {
    if (!(image->pixels.image.shape == shape))
      throw Error(ErrorKind::input, "the planes that are combined are of different shapes");
    Pixels<Where>& plane = planes.emplace_back();
    plane.image = view_of(image->pixels.image.pixels.data(), shape, where);
    plane.masked = copy_of(image->pixels.masked, where);
    if (needs_skies(config.combine.method)) skies.push_back(estimate_background(plane.image, config.background, where));
  }
  HeldImage<Where> out(place, shape);
  combine_planes(planes, skies, config.combine, out.pixels, where);
  return out;
}

/// Resamples an image from the pixel grid of `header` to that of `to_header`. The result may have masked pixels.
template <class Where>
HeldImage<Where> resample_by_headers(const HeldImage<Where>& image, const std::string& header,
                                     const std::string& to_header, const Shape& shape, Interpolation interpolation,
                                     const Cpu& host, const Place<Where>& place) {
  const PixelMap map = map_pixels(shape, to_header, "to_header", header, "from_header", host);
  const MaskCounts some{.nan = 1};
  return held(resample(image.pixels.image, map, interpolation, place.where), value_at(some, place.where), place);
}

}  // namespace srcextract::python
