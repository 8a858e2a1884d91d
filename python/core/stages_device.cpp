// The stages on arrays of a GPU: everything stays there but the table of what was measured.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/device/device.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/engine/results.hpp"
#include "pipeline/chain/aperture_noise.hpp"
#include "python/core/arrays.hpp"
#include "python/core/stages_device.hpp"
#include "python/core/stages_pixels.hpp"
#include "python/core/stages_results.hpp"
#include "stages/core/parallel.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract::python {
namespace nb = nanobind;

template <class T>
Value<T, Gpu> value_at(const T& value, const Gpu& where) {
  return to_device(value, where);
}

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

using DeviceImage = OnDevice<HeldImage<Gpu>>;
using DeviceSky = OnDevice<HeldSky<Gpu>>;
using DeviceForeground = OnDevice<HeldForeground<Gpu>>;
using DeviceLabels = OnDevice<HeldLabels<Gpu>>;
using DeviceMask = OnDevice<Image<std::uint8_t, Gpu>>;
using DeviceMap = OnDevice<Image<std::int32_t, Gpu>>;

/// Elements as they are, of an array whose rows lie one after the other.
template <class T>
Image<T, Gpu> elements_of(const PlaneArray& array, const Gpu& where) {
  const Shape shape{array.shape[1], array.shape[0]};
  const auto size = static_cast<std::int64_t>(sizeof(T));
  const bool dense = array.strides[1] == size && (array.strides[0] == size * shape.width || shape.height == 1);
  if (!dense)
    throw Error(ErrorKind::input, "a mask or a map of labels on a GPU must lie there row by row; give a contiguous copy");
  if (array.written) check(cudaStreamWaitEvent(where.stream, array.written.get()));
  Image<T, Gpu> image(shape, where);
  check(cudaMemcpyAsync(image.pixels.data(), reinterpret_cast<const void*>(array.address),
                        static_cast<std::size_t>(shape.count() * size), cudaMemcpyDeviceToDevice, where.stream));
  return image;
}

std::unique_ptr<DeviceImage> hold(const PlaneArray& array) {
  return on_device(session_of(*array.device), [&](const Place<Gpu>& place) {
    const PixelSource source = source_of(array);
    HeldImage<Gpu> held(place, source.shape);
    ingest(source, held.pixels, place.where);
    return held;
  });
}

std::unique_ptr<DeviceForeground> foreground_of(const PlaneArray& mask) {
  return on_device(session_of(*mask.device), [&](const Place<Gpu>& place) {
    HeldForeground<Gpu> found{place, {}};
    found.runs = std::make_shared<const Runs<Gpu>>(
        runs_of_mask(elements_of<std::uint8_t>(mask, place.where), place.where));
    return found;
  });
}

std::unique_ptr<DeviceLabels> labels_of(const PlaneArray& map) {
  return on_device(session_of(*map.device), [&](const Place<Gpu>& place) {
    LabelledRuns<Gpu> labelled = runs_of_labels(elements_of<std::int32_t>(map, place.where), place.where);
    HeldLabels<Gpu> labels{place, {}, {}};
    labels.runs = std::make_shared<const Runs<Gpu>>(std::move(labelled.runs));
    labels.components = std::move(labelled.components);
    labels.kept = labels.found = static_cast<std::int64_t>(labelled.labels.size());
    if (!labelled.labels.empty() && labelled.labels.back() != labels.kept) labels.numbers = std::move(labelled.labels);
    return labels;
  });
}

std::unique_ptr<DeviceSky> background(const DeviceImage& image, const Configuration& configuration, int) {
  return on_device(image.session, [&](const Place<Gpu>& place) {
    HeldSky<Gpu> sky{place, image->pixels.image.shape};
    find_sky(*image, configuration.given->config, sky);
    return sky;
  });
}

std::unique_ptr<DeviceImage> sky_part(const DeviceSky& sky, SkyMap part) {
  return on_device(sky.session, [&](const Place<Gpu>& place) { return std::move(*map_of_sky(*sky, part, place)); });
}

/// Of every mesh, on the host; none for a sky that is the same all over.
nb::object nodes(const DeviceSky& sky, SkyMap part) {
  if (sky->mesh.level.empty()) return nb::none();
  std::unique_ptr<Image<float, Cpu>> image;
  {
    const nb::gil_scoped_release others;
    const Turn turn(*sky.session);
    image = std::make_unique<Image<float, Cpu>>();
    image->shape = sky->mesh.grid.nodes;
    image->pixels = to_host(part == SkyMap::level ? sky->mesh.level : sky->mesh.rms, turn.where());
  }
  return numpy_image(std::move(*image));
}

std::unique_ptr<DeviceImage> subtract(const DeviceImage& image, const DeviceSky& sky, int) {
  require_same({image.session, sky.session});
  return on_device(image.session,
                   [&](const Place<Gpu>& place) { return std::move(*subtract_background(*image, *sky, place)); });
}

std::unique_ptr<DeviceImage> convolve_image(const DeviceImage& image, const DeviceSky* sky, bool subtracted,
                                            const Configuration& configuration, int) {
  if (sky != nullptr) require_same({image.session, sky->session});
  return on_device(image.session, [&](const Place<Gpu>& place) {
    return std::move(*convolve_about_sky(*image, sky != nullptr ? &**sky : nullptr, subtracted,
                                         configuration.given->config.convolve, place));
  });
}

std::unique_ptr<DeviceImage> combine(const std::vector<const DeviceImage*>& images, const Configuration& configuration,
                                     int) {
  std::vector<const HeldImage<Gpu>*> planes;
  for (const DeviceImage* image : images) {
    require_same({images.front()->session, image->session});
    planes.push_back(&**image);
  }
  return on_device(images.front()->session, [&](const Place<Gpu>& place) {
    return std::move(*combine_images(planes, configuration.given->config, place));
  });
}

std::unique_ptr<DeviceImage> resample_image(const DeviceImage& image, const std::string& header,
                                            const std::string& to_header, std::pair<std::int64_t, std::int64_t> shape,
                                            const Configuration& configuration, int threads) {
  return on_device(image.session, [&](const Place<Gpu>& place) {
    return std::move(*resample_by_headers(*image, header, to_header, {shape.second, shape.first},
                                          configuration.given->config.difference.interpolation,
                                          host_place(threads).where, place));
  });
}

nb::object render(const DeviceImage& image, const Configuration& configuration, int) {
  Picture picture;
  {
    const nb::gil_scoped_release others;
    const Turn turn(*image.session);
    picture = render_picture(image->pixels.image, configuration.given->config.quicklook, turn.where());
  }
  return numpy_image(std::move(picture.grey));
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

/// Room for so many runs and sources.
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
      HeldLabels<Gpu> parts = divide_sources(*image, *labels, SkyOf<Gpu>{*sky, subtracted},
                                             found_in != nullptr ? &**found_in : nullptr, config,
                                             with_room(place, runs, sources));
      std::int64_t there = 0;
      copy_to_host(&there, parts.runs->row_begin.data() + parts.runs->shape.height, 1, place.where);
      if (there <= runs && std::max(parts.kept, parts.found) <= sources) return parts;
      runs = std::max(runs, there + there / 2);
      sources = std::max(sources, std::max(parts.kept, parts.found) * 3 / 2);
    }
  });
}

/// A result of the sources that there are, on the host.
template <class Row>
Buffer<Row, Cpu> rows_here(const Buffer<Row, Gpu>& rows, std::int64_t count, const Gpu& where) {
  return rows.empty() ? Buffer<Row, Cpu>() : to_host(rows, std::min(count, rows.size()), where);
}

/// What was found on the device, with what is known of labels and sky, for the catalogue.
Detection<Cpu> to_host_as_found(const Detection<Gpu>& there, const HeldLabels<Gpu>& labels, const SkyOf<Gpu>& sky,
                                const Gpu& where) {
  Detection<Cpu> found;
  found.background = fetch(sky.background(), where);
  found.whole = sky.sky.facts;
  found.mesh = {sky.sky.mesh.grid, to_host(sky.sky.mesh.level, where), to_host(sky.sky.mesh.rms, where),
                to_host(sky.sky.mesh.level_bend, where), to_host(sky.sky.mesh.rms_bend, where)};
  found.levels = fetch(there.levels, where);
  found.runs.shape = labels.runs->shape;
  found.runs.row_begin = to_host(labels.runs->row_begin, where);
  const std::int64_t runs = found.runs.row_begin[labels.runs->shape.height];
  found.runs.runs = to_host(labels.runs->runs, runs, where);
  found.components.label = rows_here(labels.components.label, runs, where);
  found.components.counts = ComponentCounts{labels.kept, labels.found};
  const std::int64_t count = labels.kept;
  found.sums = rows_here(there.sums, count, where);
  found.fluxes = rows_here(there.fluxes, count, where);
  found.areas = rows_here(there.areas, count, where);
  found.parentage = rows_here(labels.parentage, count, where);
  if (labels.cleaned) found.cleaned.own_sums = rows_here(labels.cleaned->own_sums, count, where);
  for_each_family([&]<class One>(auto&& rows_of) {
    const auto& from = rows_of(there.photometry);
    rows_of(found.photometry).each = from.each;
    rows_of(found.photometry).rows = rows_here(from.rows, count * from.each, where);
  });
  return found;
}

std::unique_ptr<Catalogue> measure(const DeviceImage& image, const DeviceLabels& labels, const DeviceSky& sky,
                                   bool subtracted, const DeviceImage* found_in, const Configuration& configuration,
                                   int threads) {
  const Config& config = configuration.given->config;
  check_stage_config(config);
  check_divided(labels->kept, !labels->parentage.empty(), config);
  require_same({image.session, labels.session, sky.session});
  if (found_in != nullptr) require_same({image.session, found_in->session});
  const nb::gil_scoped_release others;
  const SkyOf<Gpu> of{*sky, subtracted};
  Detection<Cpu> found;
  MaskCounts masked;
  Image<float, Cpu> pixels;
  {
    const Turn turn(*image.session);
    const Gpu where = with_room({turn.where()}, labels->runs->runs.size(), labels->kept).where;
    const Detection<Gpu> there =
        sum_sources(*image, *labels, of, found_in != nullptr ? &**found_in : nullptr, config, where);
    found = to_host_as_found(there, *labels, of, where);
    masked = fetch(image->pixels.masked, where);
    if (measures_aperture_noise(config)) pixels = to_host(Worked<Gpu>(*image, of, where).image(), where);
  }
  auto catalogue = catalogue_of({std::move(found), image->pixels.image.shape, masked, labels->numbers}, pixels,
                                configuration, host_place(threads).where);
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
    for (std::int32_t& one : numbered)
      if (one > 0) one = labels->numbers[static_cast<std::size_t>(one - 1)];
    return map_labels(*labels->runs, to_device(numbered, place.where), place.where);
  });
}

template <class T>
struct Pixel;
template <>
struct Pixel<HeldImage<Gpu>> {
  using Type = float;
  static constexpr const char* name = "<f4";
  static const Image<float, Gpu>& of(const HeldImage<Gpu>& held) { return held.pixels.image; }
};
template <>
struct Pixel<Image<std::uint8_t, Gpu>> {
  using Type = std::uint8_t;
  static constexpr const char* name = "|b1";
  static const Image<std::uint8_t, Gpu>& of(const Image<std::uint8_t, Gpu>& held) { return held; }
};
template <>
struct Pixel<Image<std::int32_t, Gpu>> {
  using Type = std::int32_t;
  static constexpr const char* name = "<i4";
  static const Image<std::int32_t, Gpu>& of(const Image<std::int32_t, Gpu>& held) { return held; }
};

/// An image on a device, for CuPy and all others that take its interface or DLPack.
template <class Held>
nb::class_<OnDevice<Held>> bind_image(nb::module_& module, const char* name) {
  using Own = OnDevice<Held>;
  using One = Pixel<Held>;
  return nb::class_<Own>(module, name, nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("shape",
                   [](const Own& self) {
                     const Shape& shape = One::of(*self).shape;
                     return std::pair(shape.height, shape.width);
                   })
      .def_prop_ro("dtype_name", [](const Own&) { return One::name; })
      .def_prop_ro("device", [](const Own& self) { return self.session->device(); })
      .def_prop_ro("__cuda_array_interface__",
                   [](const Own& self) {
                     self.lend();
                     const Image<typename One::Type, Gpu>& image = One::of(*self);
                     nb::dict told;
                     told["shape"] = nb::make_tuple(image.shape.height, image.shape.width);
                     told["typestr"] = One::name;
                     told["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(image.pixels.data()), false);
                     told["strides"] = nb::none();
                     told["stream"] = nb::none();  // all is written
                     told["version"] = 3;
                     return told;
                   })
      .def("__dlpack_device__", [](const Own& self) { return nb::make_tuple(2, self.session->device()); })
      .def(
          "__dlpack__",
          [](nb::object self, const nb::kwargs&) {
            const auto& own = nb::cast<const Own&>(self);
            own.lend();
            const Image<typename One::Type, Gpu>& image = One::of(*own);
            const std::size_t shape[] = {static_cast<std::size_t>(image.shape.height),
                                         static_cast<std::size_t>(image.shape.width)};
            using Element = std::conditional_t<std::is_same_v<typename One::Type, std::uint8_t>, bool,
                                               typename One::Type>;
            auto* const data = const_cast<Element*>(reinterpret_cast<const Element*>(image.pixels.data()));
            return nb::ndarray<Element, nb::device::cuda>(data, 2, shape, self, nullptr, nb::dtype<Element>(),
                                                          nb::device::cuda::value, own.session->device())
                .cast(nb::rv_policy::reference);
          },
          nb::arg("kwargs"));
}

}  // namespace

void bind_stage_devices(nb::module_& module) {
  bind_image<HeldImage<Gpu>>(module, "DeviceImage");
  bind_image<Image<std::uint8_t, Gpu>>(module, "DeviceMask");
  bind_image<Image<std::int32_t, Gpu>>(module, "DeviceMap");
  nb::class_<DeviceSky>(module, "DeviceSky")
      .def_prop_ro("shape", [](const DeviceSky& self) { return std::pair(self->shape.height, self->shape.width); })
      .def_prop_ro("global_level", [](const DeviceSky& self) { return self->facts.clipped.median; })
      .def_prop_ro("global_rms", [](const DeviceSky& self) { return self->facts.clipped.sigma; })
      .def("level", [](const DeviceSky& self) { return sky_part(self, SkyMap::level); })
      .def("rms", [](const DeviceSky& self) { return sky_part(self, SkyMap::rms); })
      .def("nothing", [](const DeviceSky& self) { return sky_part(self, SkyMap::nothing); })
      .def("level_nodes", [](const DeviceSky& self) { return nodes(self, SkyMap::level); })
      .def("rms_nodes", [](const DeviceSky& self) { return nodes(self, SkyMap::rms); });
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
  module.def("device_stage_free", [](int device) {
    const nb::gil_scoped_release others;
    const std::shared_ptr<DeviceSession> session = session_of(device);
    const Turn turn(*session);
    session->give_back();
  });
  module.def("device_stage_image", &hold, nb::arg("array"));
  module.def("device_stage_foreground", &foreground_of, nb::arg("mask"));
  module.def("device_stage_labels", &labels_of, nb::arg("map"));
  module.def("stage_background", &background);
  module.def("stage_subtract", &subtract);
  module.def("stage_convolve", &convolve_image, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  module.def("stage_combine", &combine);
  module.def("stage_resample", &resample_image);
  module.def("stage_render", &render);
  module.def("stage_threshold", &threshold_image);
  module.def("stage_label", &label);
  module.def("stage_deblend", &deblend_labels, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
             nb::arg());
  module.def("stage_measure", &measure, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
             nb::arg());
}

}  // namespace srcextract::python
