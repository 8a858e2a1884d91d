#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "python/core/arrays.hpp"
#include "python/core/stages/pixels.hpp"
#include "python/core/stages/results.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Makes an image of an array. With `lent`, the caller promises not to change the array, so that no copy may be needed.
HostImage hold(const PlaneArray& array, int threads, bool lent) {
  return do_stage(array.shape[0] * array.shape[1], [&] {
    const PixelSource source = source_of(array);
    HostImage held(host_place(threads), source.shape);
    if (!lent || !borrow(source, held.pixels, held.place.where)) ingest(source, held.pixels, held.place.where);
    return held;
  });
}

nb::object pixels_of(nb::handle self) {
  const auto& held = nb::cast<const HostImage&>(self);
  const Image<float, Cpu>& image = held.pixels.image;
  return numpy_array(image.pixels.data(),
                     {static_cast<std::size_t>(image.shape.height), static_cast<std::size_t>(image.shape.width)}, self);
}

HostSky background(const HostImage& image, const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(),
                  [&] { return find_sky(image, configuration.given->config, host_place(threads)); });
}

nb::object sky_part(const HostSky& sky, SkyMap part) {
  HostImage map = do_stage(sky.shape.count(), [&] { return map_of_sky(sky, part, sky.place); });
  return numpy_image(std::move(map.pixels.image));
}

/// The level or noise of every mesh, as a NumPy image; None for a constant sky.
nb::object nodes(nb::handle self, SkyMap part) {
  const auto& sky = nb::cast<const HostSky&>(self);
  if (sky.mesh.level.empty()) return nb::none();
  const Shape& shape = sky.mesh.grid.nodes;
  const Buffer<float, Cpu>& values = part == SkyMap::level ? sky.mesh.level : sky.mesh.rms;
  return numpy_array(values.data(), {static_cast<std::size_t>(shape.height), static_cast<std::size_t>(shape.width)},
                     self);
}

HostImage subtract(const HostImage& image, const HostSky& sky, int threads) {
  return do_stage(image.pixels.image.shape.count(),
                  [&] { return subtract_background(image, sky, host_place(threads)); });
}

HostImage convolve_image(const HostImage& image, const HostSky* sky, bool subtracted,
                         const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    return convolve_about_sky(image, sky, subtracted, configuration.given->config.convolve, host_place(threads));
  });
}

HostImage combine(const std::vector<const HostImage*>& images, const Configuration& configuration, int threads) {
  return do_stage(images.front()->pixels.image.shape.count(),
                  [&] { return combine_images(images, configuration.given->config, host_place(threads)); });
}

HostImage resample_image(const HostImage& image, const std::string& header, const std::string& to_header,
                         std::pair<std::int64_t, std::int64_t> shape, const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    const Place<Cpu> place = host_place(threads);
    return resample_by_headers(image, header, to_header, {shape.second, shape.first},
                               configuration.given->config.difference.interpolation, place.where, place);
  });
}

nb::object render(const HostImage& image, const Configuration& configuration, int threads) {
  Picture picture = do_stage(image.pixels.image.shape.count(), [&] {
    return render_picture(image.pixels.image, configuration.given->config.quicklook, host_place(threads).where);
  });
  return numpy_image(std::move(picture.grey));
}

}  // namespace

void bind_stage_images(nb::module_& module) {
  nb::class_<HostImage>(module, "HostImage", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("array", [](nb::handle self) { return pixels_of(self); })
      .def_prop_ro("masked", [](const HostImage& self) { return self.pixels.masked->total(); });
  nb::class_<HostSky>(module, "HostSky")
      .def_prop_ro("shape", [](const HostSky& self) { return std::pair(self.shape.height, self.shape.width); })
      .def_prop_ro("global_level", [](const HostSky& self) { return self.facts.clipped.median; })
      .def_prop_ro("global_rms", [](const HostSky& self) { return self.facts.clipped.sigma; })
      .def("level", [](const HostSky& self) { return sky_part(self, SkyMap::level); })
      .def("rms", [](const HostSky& self) { return sky_part(self, SkyMap::rms); })
      .def("nothing", [](const HostSky& self) { return sky_part(self, SkyMap::nothing); })
      .def("level_nodes", [](nb::handle self) { return nodes(self, SkyMap::level); })
      .def("rms_nodes", [](nb::handle self) { return nodes(self, SkyMap::rms); });
  module.def("stage_image", &hold, nb::arg("array"), nb::arg("threads"), nb::arg("lent") = false);
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
