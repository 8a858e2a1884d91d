#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <utility>

#include "python/core/arrays.hpp"
#include "python/core/stages/chain.hpp"
#include "python/core/stages/results.hpp"
#include "python/core/view_of.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// The elements of an array, whose type must be T. A contiguous array is used in place and must not be written to.
template <class T>
Image<T, Cpu> image_of(const PlaneArray& array, const Cpu& where) {
  const Shape shape{array.shape[1], array.shape[0]};
  constexpr auto step = static_cast<std::int64_t>(sizeof(T));
  if (array.strides[1] == step && array.strides[0] == step * shape.width && array.address % alignof(T) == 0)
    return view_of(std::bit_cast<const T*>(array.address), shape, where);
  Image<T, Cpu> image(shape, where);
  const auto* const first = std::bit_cast<const std::byte*>(array.address);
  auto* const out = reinterpret_cast<std::byte*>(image.pixels.data());
  parallel_for(array.shape[0], 64, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y)
      gather(first + y * array.strides[0], array.strides[1], shape.width, sizeof(T), out + y * step * shape.width);
  });
  return image;
}

HostForeground foreground_of(const PlaneArray& mask, int threads) {
  return do_stage(mask.shape[0] * mask.shape[1], [&] {
    const Place<Cpu> place = host_place(threads);
    Runs<Cpu> runs = runs_of_mask(image_of<std::uint8_t>(mask, place.where), place.where);
    return HostForeground{place, std::make_shared<const Runs<Cpu>>(std::move(runs))};
  });
}

HostLabels labels_of(const PlaneArray& map, int threads) {
  return do_stage(map.shape[0] * map.shape[1], [&] {
    const Place<Cpu> place = host_place(threads);
    return held_labels_of(runs_of_labels(image_of<std::int32_t>(map, place.where), place.where), place);
  });
}

HostForeground threshold_image(const HostImage& image, const HostSky& sky, bool subtracted,
                               const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    const Config& config = configuration.given->config;
    check_stage_config(config);
    return find_pixels(image, {sky, subtracted}, config, host_place(threads));
  });
}

HostLabels label(const HostForeground& found, const Configuration& configuration, int threads) {
  return do_stage(found.runs->shape.count(),
                  [&] { return join_pixels(found, configuration.given->config.detection, host_place(threads)); });
}

HostLabels deblend_labels(const HostImage& image, const HostLabels& labels, const HostSky& sky, bool subtracted,
                          const HostImage* found_in, const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    const Config& config = configuration.given->config;
    check_stage_config(config);
    return divide_labels(image, labels, {sky, subtracted}, found_in, config, host_place(threads));
  });
}

std::unique_ptr<Catalogue> measure(const HostImage& image, const HostLabels& labels, const HostSky& sky,
                                   bool subtracted, const HostImage* found_in, const Configuration& configuration,
                                   int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    const Config& config = configuration.given->config;
    check_stage_config(config);
    check_divided(labels.kept, !labels.parentage.empty(), config);
    const Cpu where = host_place(threads).where;
    Detection<Cpu> found = measure_labels(image, labels, {sky, subtracted}, found_in, config, where);
    found.runs = copy_of(*labels.runs, where);
    return catalogue_of({std::move(found), image.pixels, labels.numbers}, config, configuration.given->yaml, where);
  });
}

std::unique_ptr<Catalogue> measure_at(const HostImage& image, const PositionColumns& columns, const HostSky& sky,
                                      bool subtracted, const Configuration& configuration, int threads) {
  return do_stage(image.pixels.image.shape.count(), [&] {
    check_stage_config(configuration.given->config);
    check_background(sky.facts, configuration.given->config);
    const Cpu where = host_place(threads).where;
    const Config config = config_of_light(columns, configuration);
    Detection<Cpu> found = detection_of<Cpu>(image, {sky, subtracted}, nullptr, where);
    find_levels(image.pixels, config, found, where);
    return light_at(columns, {std::move(found), image.pixels}, configuration, where);
  });
}

nb::object mask_of(const HostForeground& found) {
  Image<std::uint8_t, Cpu> map =
      do_stage(found.runs->shape.count(), [&] { return map_runs(*found.runs, found.place.where); });
  return numpy_image(std::move(map));
}

nb::object map_of(const HostLabels& labels) {
  Image<std::int32_t, Cpu> map = do_stage(labels.runs->shape.count(), [&] {
    const Cpu& where = labels.place.where;
    if (labels.numbers.empty()) return map_labels(*labels.runs, labels.components.label, where);
    Buffer<std::int32_t, Cpu> numbered = copy_of(labels.components.label, where);
    renumber(labels.numbers, numbered);
    return map_labels(*labels.runs, numbered, where);
  });
  return numpy_image(std::move(map));
}

}  // namespace

void bind_stage_sources(nb::module_& module) {
  nb::class_<HostForeground>(module, "HostForeground")
      .def_prop_ro("shape", &shape_of<HostForeground>)
      .def_prop_ro("level", &level_of<Cpu>)
      .def_prop_ro("runs", [](const HostForeground& self) { return self.runs->runs.size(); })
      .def("mask", &mask_of);
  nb::class_<HostLabels>(module, "HostLabels")
      .def_prop_ro("shape", &shape_of<HostLabels>)
      .def_ro("kept", &HostLabels::kept)
      .def_ro("found", &HostLabels::found)
      .def("map", &map_of);
  module.def("stage_foreground", &foreground_of, nb::arg("mask"), nb::arg("threads"));
  module.def("stage_labels", &labels_of, nb::arg("map"), nb::arg("threads"));
  module.def("stage_threshold", &threshold_image, nb::arg("image"), nb::arg("sky"), nb::arg("subtracted"),
             nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_label", &label, nb::arg("found"), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_deblend", &deblend_labels, nb::arg("image"), nb::arg("labels"), nb::arg("sky"),
             nb::arg("subtracted"), nb::arg("found_in").none(), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_measure_at", &measure_at, nb::arg("image"), nb::arg("columns"), nb::arg("sky"),
             nb::arg("subtracted"), nb::arg("configuration"), nb::arg("threads"));
  module.def("stage_measure", &measure, nb::arg("image"), nb::arg("labels"), nb::arg("sky"), nb::arg("subtracted"),
             nb::arg("found_in").none(), nb::arg("configuration"), nb::arg("threads"));
}

}  // namespace srcextract::python
