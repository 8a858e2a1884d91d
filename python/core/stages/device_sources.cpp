// The stages that detect and measure sources, on a GPU. Measuring copies the sums, the sky, runs and labels to the
// host, and the image minus the sky if the host measures pixels. Labels from the caller are divided into parts on the
// host.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "pipeline/chain/add_aperture_noise.hpp"
#include "python/core/arrays.hpp"
#include "python/core/gil.hpp"
#include "python/core/stages/chain.hpp"
#include "python/core/stages/device.hpp"
#include "python/core/stages/results.hpp"

namespace srcextract::python {
namespace nb = nanobind;

void leave_no_room(Runs<Gpu>& runs, const Gpu& where) {
  std::int64_t count = 0;
  copy_to_host(&count, runs.row_begin.data() + runs.shape.height, 1, where);
  check_run_count(count);
  if (count < runs.runs.size()) runs.runs = first_of(runs.runs, count, where);
}

Components<Gpu> islands_of(const Runs<Gpu>& runs, const Components<Gpu>& components, const DetectionConfig& config,
                           const Gpu& where) {
  const Cpu host{where.host_threads};
  const Runs<Cpu> here{runs.shape, to_host(runs.runs, where), to_host(runs.row_begin, where)};
  const Components<Cpu> pieces = in_one_piece(here, to_host(components.label, where), config.connectivity, host);
  return {to_device(pieces.label, where), to_device(*pieces.counts, where)};
}

namespace {

/// Copies the elements of an array on a device, without conversion. Throws Error{input} if rows are not contiguous.
template <class T>
Image<T, Gpu> elements_of(const PlaneArray& array, const Gpu& where) {
  const Shape shape{array.shape[1], array.shape[0]};
  const auto size = static_cast<std::int64_t>(sizeof(T));
  if (array.strides[1] != size || array.strides[0] < size * shape.width)
    throw Error(ErrorKind::input,
                "the elements of a row of a mask or a map of labels on a GPU must lie one after the "
                "other; give a contiguous copy");
  Image<T, Gpu> image(shape, where);
  copy_rows(reinterpret_cast<const void*>(array.address), array.strides[0], size * shape.width, shape.height,
            array.written.get(), image.pixels.data(), where);
  return image;
}

std::unique_ptr<DeviceForeground> foreground_of(const PlaneArray& mask) {
  return on_device(session_of(*mask.device), [&](const Place<Gpu>& place) {
    Runs<Gpu> runs = runs_of_mask(elements_of<std::uint8_t>(mask, place.where), place.where);
    return HeldForeground<Gpu>{place, std::make_shared<const Runs<Gpu>>(std::move(runs))};
  });
}

std::unique_ptr<DeviceLabels> labels_of(const PlaneArray& map) {
  return on_device(session_of(*map.device), [&](const Place<Gpu>& place) {
    return held_labels_of(runs_of_labels(elements_of<std::int32_t>(map, place.where), place.where), place);
  });
}

std::unique_ptr<DeviceForeground> threshold_image(const DeviceImage& image, const DeviceSky& sky, bool subtracted,
                                                  const Configuration& configuration, int) {
  const Config& config = configuration.given->config;
  check_stage_config(config);
  require_same({image.session, sky.session});
  return on_device(image.session, [&](const Place<Gpu>& place) {
    return find_pixels(*image, SkyOf<Gpu>{*sky, subtracted}, config, place);
  });
}

std::unique_ptr<DeviceLabels> label(const DeviceForeground& found, const Configuration& configuration, int) {
  return on_device(found.session, [&](const Place<Gpu>& place) {
    return join_pixels(*found, configuration.given->config.detection, place);
  });
}

/// Sets the numbers of runs and of sources for which steps allocate memory. A run is a sequence of detected pixels in
/// one row.
Place<Gpu> with_room(Place<Gpu> place, std::int64_t runs, std::int64_t sources) {
  place.where.capacity = {std::max<std::int64_t>(runs, 1), std::max<std::int64_t>(sources, 1)};
  return place;
}

std::unique_ptr<DeviceLabels> deblend_labels(const DeviceImage& image, const DeviceLabels& labels, const DeviceSky& sky,
                                             bool subtracted, const DeviceImage* found_in,
                                             const Configuration& configuration, int) {
  const Config& config = configuration.given->config;
  check_stage_config(config);
  require_same({image.session, labels.session, sky.session});
  if (found_in != nullptr) require_same({image.session, found_in->session});
  return on_device(image.session, [&](const Place<Gpu>& place) {
    std::int64_t runs = 2 * labels->runs->runs.size() + 1024, sources = 2 * labels->kept + 1024;
    for (;;) {
      HeldLabels<Gpu> parts =
          divide_labels(*image, *labels, SkyOf<Gpu>{*sky, subtracted}, found_in != nullptr ? &**found_in : nullptr,
                        config, with_room(place, runs, sources));
      std::int64_t there = 0;
      copy_to_host(&there, parts.runs->row_begin.data() + parts.runs->shape.height, 1, place.where);
      if (there <= runs && std::max(parts.kept, parts.found) <= sources) return parts;
      runs = std::max(runs, there + there / 2);
      sources = std::max(sources, std::max(parts.kept, parts.found) * 3 / 2);
    }
  });
}

/// Copies results to the host in the form that make_catalog() requires: sky and sums from `there`, runs and counts from
/// `labels`.
Detection<Cpu> to_host_as_found(const Detection<Gpu>& there, const HeldLabels<Gpu>& labels, const Gpu& where) {
  Detection<Cpu> found = sky_to_host(there, where);
  found.runs.shape = labels.runs->shape;
  found.runs.row_begin = to_host(labels.runs->row_begin, where);
  const std::int64_t runs = found.runs.row_begin[labels.runs->shape.height];
  found.runs.runs = to_host(labels.runs->runs, runs, where);
  found.components.label = to_host(labels.components.label, runs, where);
  found.components.counts = ComponentCounts{labels.kept, labels.found};
  const std::int64_t count = labels.kept;
  rows_to_host(there, count, found, where);
  found.sums = rows_to_host(there.sums, count, where);
  return found;
}

/// Copies the shape and the mask counts of an image to the host. With `measured`, also copies the image minus the sky.
Pixels<Cpu> pixels_to_host(const HeldImage<Gpu>& image, const Detection<Gpu>& there, bool measured, const Gpu& where) {
  Pixels<Cpu> here;
  here.image.shape = image.pixels.image.shape;
  here.masked = fetch(image.pixels.masked, where);
  if (measured) here.image = to_host(measured_image(image.pixels, there), where);
  return here;
}

std::unique_ptr<Catalogue> measure(const DeviceImage& image, const DeviceLabels& labels, const DeviceSky& sky,
                                   bool subtracted, const DeviceImage* found_in, const Configuration& configuration,
                                   int threads) {
  const Config& config = configuration.given->config;
  check_stage_config(config);
  check_divided(labels->kept, !labels->parentage.empty(), config);
  require_same({image.session, labels.session, sky.session});
  if (found_in != nullptr) require_same({image.session, found_in->session});
  const WithoutGil others;
  Detection<Cpu> found;
  Pixels<Cpu> pixels;
  {
    const DeviceLock lock(*image.session);
    const Gpu where = with_room({lock.where()}, labels->runs->runs.size(), labels->kept).where;
    const Detection<Gpu> there = measure_labels(*image, *labels, SkyOf<Gpu>{*sky, subtracted},
                                                found_in != nullptr ? &**found_in : nullptr, config, where);
    found = to_host_as_found(there, *labels, where);
    pixels = pixels_to_host(*image, there, Plan(config).measures_aperture_noise(), where);
  }
  auto catalogue = catalogue_of({std::move(found), pixels, labels->numbers}, config, configuration.given->yaml,
                                host_place(threads).where);
  catalogue->result.backend = "cuda";
  return catalogue;
}

/// Measures light at positions. The device subtracts the sky; the host measures, since there are few positions.
std::unique_ptr<Catalogue> measure_at(const DeviceImage& image, const PositionColumns& columns, const DeviceSky& sky,
                                      bool subtracted, const Configuration& configuration, int threads) {
  const WithoutGil others;
  check_stage_config(configuration.given->config);
  check_background(sky->facts, configuration.given->config);
  require_same({image.session, sky.session});
  const Config config = config_of_light(columns, configuration);
  Detection<Cpu> found;
  Pixels<Cpu> pixels;
  {
    const DeviceLock lock(*image.session);
    const Gpu& where = lock.where();
    Detection<Gpu> there = detection_of<Gpu>(*image, {*sky, subtracted}, nullptr, where);
    find_levels(image->pixels, config, there, where);
    found = sky_to_host(there, where);
    pixels = pixels_to_host(*image, there, true, where);
  }
  auto catalogue = light_at(columns, {std::move(found), pixels}, configuration, host_place(threads).where);
  catalogue->result.backend = "cuda";
  return catalogue;
}

std::unique_ptr<DeviceMask> mask_of(const DeviceForeground& found) {
  return on_device(found.session, [&](const Place<Gpu>& place) { return map_runs(*found->runs, place.where); });
}

std::unique_ptr<DeviceMap> map_of(const DeviceLabels& labels) {
  return on_device(labels.session, [&](const Place<Gpu>& place) {
    if (labels->numbers.empty()) return map_labels(*labels->runs, labels->components.label, place.where);
    Buffer<std::int32_t, Cpu> numbered = to_host(labels->components.label, place.where);
    renumber(labels->numbers, numbered);
    return map_labels(*labels->runs, to_device(numbered, place.where), place.where);
  });
}

}  // namespace

void bind_device_sources(nb::module_& module) {
  nb::class_<DeviceForeground>(module, "DeviceForeground")
      .def_prop_ro("shape", [](const DeviceForeground& self) { return shape_of(*self); })
      .def_prop_ro("level", [](const DeviceForeground& self) { return level_of(*self); })
      .def_prop_ro("runs", [](const DeviceForeground& self) { return self->runs->runs.size(); })
      .def("mask", &mask_of);
  nb::class_<DeviceLabels>(module, "DeviceLabels")
      .def_prop_ro("shape", [](const DeviceLabels& self) { return shape_of(*self); })
      .def_prop_ro("kept", [](const DeviceLabels& self) { return self->kept; })
      .def_prop_ro("found", [](const DeviceLabels& self) { return self->found; })
      .def("map", &map_of);
  module.def("device_stage_foreground", &foreground_of, nb::arg("mask"));
  module.def("device_stage_labels", &labels_of, nb::arg("map"));
  module.def("stage_threshold", &threshold_image);
  module.def("stage_label", &label);
  module.def("stage_deblend", &deblend_labels, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
             nb::arg());
  module.def("stage_measure_at", &measure_at);
  module.def("stage_measure", &measure, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
             nb::arg());
}

}  // namespace srcextract::python
