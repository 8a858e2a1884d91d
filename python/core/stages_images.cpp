#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/wcs/pixel_map.hpp"
#include "python/core/arrays.hpp"
#include "python/core/stages_chain.hpp"
#include "python/core/stages_results.hpp"
#include "stages/combine/combine.hpp"
#include "stages/difference/resample.hpp"
#include "stages/picture/picture.hpp"
#include "stages/weights/given_level.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

using HostImage = HeldImage<Cpu>;
using HostSky = HeldSky<Cpu>;

std::unique_ptr<HostImage> hold(const PlaneArray& array, int threads) {
  const nb::gil_scoped_release others;
  const PixelSource source = source_of(array);
  auto held = std::make_unique<HostImage>(host_place(threads), source.shape);
  ingest(source, held->pixels, held->place.where);
  return held;
}

/// A stage's own image, which masks what `from` does.
std::unique_ptr<HostImage> held(Image<float, Cpu>&& image, const MaskCounts& masked, const Place<Cpu>& place) {
  auto result = std::make_unique<HostImage>(place, Shape{});
  result->pixels.image = std::move(image);
  result->pixels.masked = masked;
  return result;
}

nb::object pixels_of(nb::handle self) {
  const auto& held = nb::cast<const HostImage&>(self);
  const Image<float, Cpu>& image = held.pixels.image;
  return numpy_array(image.pixels.data(),
                     {static_cast<std::size_t>(image.shape.height), static_cast<std::size_t>(image.shape.width)}, self);
}

std::unique_ptr<HostSky> background(const HostImage& image, const Configuration& configuration, int threads) {
  const nb::gil_scoped_release others;
  auto sky = std::make_unique<HostSky>(HostSky{host_place(threads), image.pixels.image.shape});
  find_sky(image, configuration.given->config, *sky);
  return sky;
}

/// As the rows of a check image need it.
Extraction extraction_of(const HostSky& sky) {
  Extraction extraction;
  extraction.background = sky.facts;
  extraction.check.mesh = copy_of_mesh(sky.mesh, sky.place.where);
  return extraction;
}

nb::object sky_part(const HostSky& sky, SkyPart part) {
  Image<float, Cpu> image;
  {
    const nb::gil_scoped_release others;
    image = sky_image(extraction_of(sky), sky.shape, part, sky.place.where);
  }
  return numpy_image(std::move(image));
}

/// Of every mesh; none for a sky that is the same all over.
nb::object nodes(nb::handle self, SkyPart part) {
  const auto& sky = nb::cast<const HostSky&>(self);
  if (sky.mesh.level.empty()) return nb::none();
  const Shape& shape = sky.mesh.grid.nodes;
  const Buffer<float, Cpu>& values = part == SkyPart::level ? sky.mesh.level : sky.mesh.rms;
  return numpy_array(values.data(), {static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width)},
                     self);
}

std::unique_ptr<HostImage> subtract(const HostImage& image, const HostSky& sky, int threads) {
  const nb::gil_scoped_release others;
  const Place<Cpu> place = host_place(threads);
  const Worked<Cpu> worked(image, {sky, false}, place.where);
  if (!sky.mesh.level.empty())
    return held(subtract_sky(image.pixels.image, sky.mesh, place.where), *image.pixels.masked, place);
  const Pixels<Cpu> level = ingest(constant_source(sky.shape, sky.facts.clipped.median), place.where);
  auto above = held(copy_of(image.pixels.image, place.where), *image.pixels.masked, place);
  subtract_level(level.image, above->pixels, place.where);
  return above;
}

std::unique_ptr<HostImage> convolve_image(const HostImage& image, const HostSky* sky, bool subtracted,
                                          const Configuration& configuration, int threads) {
  const nb::gil_scoped_release others;
  const Place<Cpu> place = host_place(threads);
  const ConvolveConfig& config = configuration.given->config.convolve;
  if (sky != nullptr && !subtracted && !sky->mesh.level.empty())
    throw Error(ErrorKind::config, "background: a convolution is about one level, and this background is a mesh; "
                                   "convolve background.subtract(image), with background.subtracted");
  if (config.kernel == KernelShape::none)
    throw Error(ErrorKind::config, "convolve.kernel: 'none' is no kernel; say gaussian, tophat, mexican_hat, file, or "
                                   "an array");
  const Value<Background, Cpu> level =
      sky != nullptr ? SkyOf<Cpu>{*sky, subtracted}.background() : Value<Background, Cpu>();
  return held(convolve(image.pixels.image, make_kernel(config), config.edges, level, place.where), *image.pixels.masked,
              place);
}

std::unique_ptr<HostImage> combine(const std::vector<const HostImage*>& images, const Configuration& configuration,
                                   int threads) {
  const nb::gil_scoped_release others;
  const Config& config = configuration.given->config;
  const Place<Cpu> place = host_place(threads);
  check_plane_count(images.size(), config.combine);
  const Shape& shape = images.front()->pixels.image.shape;
  std::vector<Pixels<Cpu>> planes;
  std::vector<Value<Background, Cpu>> skies;
  for (const HostImage* image : images) {
    if (!(image->pixels.image.shape == shape))
      throw Error(ErrorKind::input, "the planes that are combined are of different shapes");
    Pixels<Cpu>& plane = planes.emplace_back();
    plane.image = copy_of(image->pixels.image, place.where);
    plane.masked = image->pixels.masked;
    if (needs_skies(config.combine.method))
      skies.push_back(estimate_background(plane.image, config.background, place.where));
  }
  auto out = std::make_unique<HostImage>(place, shape);
  combine_planes(planes, skies, config.combine, out->pixels, place.where);
  return out;
}

std::unique_ptr<HostImage> resample_image(const HostImage& image, const std::string& header,
                                          const std::string& to_header, std::pair<std::int64_t, std::int64_t> shape,
                                          const Configuration& configuration, int threads) {
  const nb::gil_scoped_release others;
  const Place<Cpu> place = host_place(threads);
  const PixelMap map =
      map_pixels({shape.second, shape.first}, to_header, "to_header", header, "from_header", place.where);
  Image<float, Cpu> out =
      resample(image.pixels.image, map, configuration.given->config.difference.interpolation, place.where);
  MaskCounts masked;
  for (const float pixel : out.pixels) masked.nan += pixel != pixel ? 1 : 0;
  return held(std::move(out), masked, place);
}

nb::object render(const HostImage& image, const Configuration& configuration, int threads) {
  Picture picture;
  {
    const nb::gil_scoped_release others;
    picture = render_picture(image.pixels.image, configuration.given->config.quicklook, host_place(threads).where);
  }
  return numpy_image(std::move(picture.grey));
}

}  // namespace

void bind_stage_images(nb::module_& module) {
  nb::class_<HostImage>(module, "HostImage", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("array", [](nb::object self) { return pixels_of(self); })
      .def_prop_ro("masked", [](const HostImage& self) { return self.pixels.masked->total(); });
  nb::class_<HostSky>(module, "HostSky")
      .def_prop_ro("shape", [](const HostSky& self) { return std::pair(self.shape.height, self.shape.width); })
      .def_prop_ro("global_level", [](const HostSky& self) { return self.facts.clipped.median; })
      .def_prop_ro("global_rms", [](const HostSky& self) { return self.facts.clipped.sigma; })
      .def("level", [](const HostSky& self) { return sky_part(self, SkyPart::level); })
      .def("rms", [](const HostSky& self) { return sky_part(self, SkyPart::rms); })
      .def("level_nodes", [](nb::object self) { return nodes(self, SkyPart::level); })
      .def("rms_nodes", [](nb::object self) { return nodes(self, SkyPart::rms); });
  module.def("stage_image", &hold, nb::arg("array"), nb::arg("threads"));
  module.def("stage_background", &background, nb::arg("image"), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_subtract", &subtract, nb::arg("image"), nb::arg("sky"), nb::arg("threads"));
  module.def("stage_convolve", &convolve_image, nb::arg("image"), nb::arg("sky").none(), nb::arg("subtracted"),
             nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_combine", &combine, nb::arg("images"), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_resample", &resample_image, nb::arg("image"), nb::arg("header"), nb::arg("to_header"),
             nb::arg("shape"), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_render", &render, nb::arg("image"), nb::arg("configuration"), nb::arg("threads"));
}

}  // namespace srcextract::python
