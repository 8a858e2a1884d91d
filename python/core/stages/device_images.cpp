// The stages that make images, on a GPU. Results stay in the GPU's memory, except pictures and mesh values.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "python/core/arrays.hpp"
#include "python/core/gil.hpp"
#include "python/core/stages/device.hpp"
#include "python/core/stages/results.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

std::unique_ptr<DeviceImage> hold(const PlaneArray& array) {
  return on_device(session_of(*array.device), [&](const Place<Gpu>& place) {
    const PixelSource source = source_of(array);
    HeldImage<Gpu> held(place, source.shape);
    ingest(source, held.pixels, place.where);
    return held;
  });
}

std::unique_ptr<DeviceSky> background(const DeviceImage& image, const Configuration& configuration, int) {
  return on_device(image.session,
                   [&](const Place<Gpu>& place) { return find_sky(*image, configuration.given->config, place); });
}

std::unique_ptr<DeviceImage> sky_part(const DeviceSky& sky, SkyMap part) {
  return on_device(sky.session, [&](const Place<Gpu>& place) { return map_of_sky(*sky, part, place); });
}

/// The level or noise of every mesh, as a NumPy image; None for a constant sky.
nb::object nodes(const DeviceSky& sky, SkyMap part) {
  if (sky->mesh.level.empty()) return nb::none();
  Image<float, Cpu> image;
  {
    const WithoutGil others;
    const DeviceLock lock(*sky.session);
    image.shape = sky->mesh.grid.nodes;
    image.pixels = to_host(part == SkyMap::level ? sky->mesh.level : sky->mesh.rms, lock.where());
  }
  return numpy_image(std::move(image));
}

std::unique_ptr<DeviceImage> subtract(const DeviceImage& image, const DeviceSky& sky, int) {
  require_same({image.session, sky.session});
  return on_device(image.session, [&](const Place<Gpu>& place) { return subtract_background(*image, *sky, place); });
}

std::unique_ptr<DeviceImage> convolve_image(const DeviceImage& image, const DeviceSky* sky, bool subtracted,
                                            const Configuration& configuration, int) {
  if (sky != nullptr) require_same({image.session, sky->session});
  return on_device(image.session, [&](const Place<Gpu>& place) {
    return convolve_about_sky(*image, sky != nullptr ? &**sky : nullptr, subtracted,
                              configuration.given->config.convolve, place);
  });
}

std::unique_ptr<DeviceImage> combine(const std::vector<const DeviceImage*>& images, const Configuration& configuration,
                                     int) {
  std::vector<const HeldImage<Gpu>*> planes;
  for (const DeviceImage* image : images) {
    require_same({images.front()->session, image->session});
    planes.push_back(&**image);
  }
  return on_device(images.front()->session,
                   [&](const Place<Gpu>& place) { return combine_images(planes, configuration.given->config, place); });
}

std::unique_ptr<DeviceImage> resample_image(const DeviceImage& image, const std::string& header,
                                            const std::string& to_header, std::pair<std::int64_t, std::int64_t> shape,
                                            const Configuration& configuration, int threads) {
  return on_device(image.session, [&](const Place<Gpu>& place) {
    return resample_by_headers(*image, header, to_header, {shape.second, shape.first},
                               configuration.given->config.difference.interpolation, host_place(threads).where, place);
  });
}

nb::object render(const DeviceImage& image, const Configuration& configuration, int) {
  Picture picture;
  {
    const WithoutGil others;
    const DeviceLock lock(*image.session);
    picture = render_picture(image->pixels.image, configuration.given->config.quicklook, lock.where());
  }
  return numpy_image(std::move(picture.grey));
}

const Image<float, Gpu>& image_of(const HeldImage<Gpu>& held) {
  return held.pixels.image;
}
template <class T>
const Image<T, Gpu>& image_of(const Image<T, Gpu>& image) {
  return image;
}

/// Binds an image on a device. CuPy and other libraries can read the image through the CUDA array interface or DLPack.
/// `type` is the type of the pixels as NumPy names it; `Element` is the type for DLPack.
template <class Element, class Held>
void bind_image(nb::module_& module, const char* name, const char* type) {
  using Own = OnDevice<Held>;
  nb::class_<Own>(module, name, nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro("shape",
                   [](const Own& self) {
                     const Shape& shape = image_of(*self).shape;
                     return std::pair(shape.height, shape.width);
                   })
      .def_prop_ro("dtype_name", [type](const Own&) { return type; })
      .def_prop_ro("device", [](const Own& self) { return self.session->device(); })
      .def_prop_ro("__cuda_array_interface__",
                   [type](const Own& self) {
                     self.lend();
                     const auto& image = image_of(*self);
                     nb::dict told;
                     told["shape"] = nb::make_tuple(image.shape.height, image.shape.width);
                     told["typestr"] = type;
                     told["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(image.pixels.data()), false);
                     told["strides"] = nb::none();
                     told["stream"] = nb::none();  // no stream to wait for, since all writes are complete
                     told["version"] = 3;
                     return told;
                   })
      .def("__dlpack_device__", [](const Own& self) { return nb::make_tuple(2, self.session->device()); })
      .def(
          "__dlpack__",
          [](nb::handle self, const nb::kwargs&) {
            const auto& own = nb::cast<const Own&>(self);
            own.lend();
            const auto& image = image_of(*own);
            const std::size_t shape[] = {static_cast<std::size_t>(image.shape.height),
                                         static_cast<std::size_t>(image.shape.width)};
            auto* const data = const_cast<Element*>(reinterpret_cast<const Element*>(image.pixels.data()));
            return nb::ndarray<Element, nb::device::cuda>(data, 2, shape, self, nullptr, nb::dtype<Element>(),
                                                          nb::device::cuda::value, own.session->device())
                .cast(nb::rv_policy::reference);
          },
          nb::arg("kwargs"));
}

}  // namespace

void bind_device_images(nb::module_& module) {
  bind_image<float, HeldImage<Gpu>>(module, "DeviceImage", "<f4");
  bind_image<bool, Image<std::uint8_t, Gpu>>(module, "DeviceMask", "|b1");
  bind_image<std::int32_t, Image<std::int32_t, Gpu>>(module, "DeviceMap", "<i4");
  nb::class_<DeviceSky>(module, "DeviceSky")
      .def_prop_ro("shape", [](const DeviceSky& self) { return std::pair(self->shape.height, self->shape.width); })
      .def_prop_ro("global_level", [](const DeviceSky& self) { return self->facts.clipped.median; })
      .def_prop_ro("global_rms", [](const DeviceSky& self) { return self->facts.clipped.sigma; })
      .def("level", [](const DeviceSky& self) { return sky_part(self, SkyMap::level); })
      .def("rms", [](const DeviceSky& self) { return sky_part(self, SkyMap::rms); })
      .def("nothing", [](const DeviceSky& self) { return sky_part(self, SkyMap::nothing); })
      .def("level_nodes", [](const DeviceSky& self) { return nodes(self, SkyMap::level); })
      .def("rms_nodes", [](const DeviceSky& self) { return nodes(self, SkyMap::rms); });
  module.def("device_stage_free", [](int device) {
    const WithoutGil others;
    const std::shared_ptr<DeviceSession> session = session_of(device);
    const DeviceLock lock(*session);
    session->give_back();
  });
  module.def("device_stage_image", &hold, nb::arg("array"));
  module.def("stage_background", &background);
  module.def("stage_subtract", &subtract);
  module.def("stage_convolve", &convolve_image, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  module.def("stage_combine", &combine);
  module.def("stage_resample", &resample_image);
  module.def("stage_render", &render);
}

}  // namespace srcextract::python
