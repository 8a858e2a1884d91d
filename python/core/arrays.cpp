#include "python/core/arrays.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// The storage format of an array's elements.
struct Element {
  PixelFormat format;
  /// Whether FITS stores this type with the highest bit inverted: true for int8, uint16, uint32 and uint64.
  bool turned = false;
};

[[noreturn]] void refuse(const std::string& type) {
  throw Error(ErrorKind::input, "pixels cannot be of the type '" + type +
                                    "'; integers of 1, 2, 4 and 8 bytes can, and real numbers of 4 and 8: convert the "
                                    "array, as with array.astype('float32')");
}

Element element_of(const std::string& type) {
  static_assert(std::endian::native == std::endian::little);
  if (type.size() != 3) refuse(type);
  const char order = type[0], kind = type[1];
  const int bytes = type[2] - '0';
  const bool integer = kind == 'i' || kind == 'u';
  const bool known =
      integer ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 : kind == 'f' && (bytes == 4 || bytes == 8);
  if (!known) refuse(type);
  Element element;
  element.format = {.bitpix = integer ? 8 * bytes : -8 * bytes, .big_endian = order == '>'};
  element.turned = integer && (kind == 'u') == (bytes > 1);
  return element;
}

/// The offset to add to stored integers of a type that FITS stores with the highest bit inverted.
double offset_of(const PixelFormat& format) {
  return format.bitpix == 8 ? -128.0 : static_cast<double>(std::uint64_t{1} << (format.bitpix - 1));
}

const std::byte* address_of(const PlaneArray& array) {
  return std::bit_cast<const std::byte*>(array.address);
}

/// Sets array.device to the GPU whose memory has the array. If `stream` is given, reads of the array wait for the work
/// in that stream.
void put_on_device(PlaneArray& array, const std::optional<std::uintptr_t>& stream) {
  array.device = device_of(address_of(array));
  if (!array.device)
    throw Error(ErrorKind::input,
                "an array that is said to lie on a GPU lies in the memory of none; was it freed, or is it another "
                "process's?");
  if (stream) array.written = written_by(*array.device, *stream);
}

}  // namespace

void gather(const std::byte* from, std::int64_t step, std::int64_t count, std::size_t bytes, std::byte* out) {
  if (step == static_cast<std::int64_t>(bytes)) {
    std::memcpy(out, from, static_cast<std::size_t>(count) * bytes);
    return;
  }
  const auto each = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(out + static_cast<std::size_t>(i) * size, from + i * step, size);
  };
  if (bytes == 1) each(std::integral_constant<std::size_t, 1>());
  if (bytes == 2) each(std::integral_constant<std::size_t, 2>());
  if (bytes == 4) each(std::integral_constant<std::size_t, 4>());
  if (bytes == 8) each(std::integral_constant<std::size_t, 8>());
}

PixelSource source_of(const PlaneArray& array, std::shared_ptr<DeviceReader> reader) {
  const auto [format, turned] = element_of(array.type);
  PixelSource source;
  source.shape = {array.shape[1], array.shape[0]};
  source.format = format;
  source.format.bscale = array.bscale;
  source.format.bzero = array.bzero;
  source.format.blank = array.blank;
  const auto bytes = static_cast<std::int64_t>(format.bytes());
  const std::byte* const first = address_of(array);
  const bool dense = array.strides[1] == bytes && (array.strides[0] == bytes * array.shape[1] || array.shape[0] == 1);
  if (turned) {
    // The value of an element is the stored value, with the inverted bit, plus the offset.
    source.format.bzero = array.bzero + array.bscale * offset_of(format);
  }
  if (array.device) {
    const DevicePlace place{*array.device, first, array.strides, turned, array.written};
    source.read = DevicePixels(place, source.shape, source.format, std::move(reader));
    return source;
  }
  if (dense && !turned) source.memory = first;
  const std::int64_t sign_at = format.big_endian ? 0 : bytes - 1;
  source.read = [=, strides = array.strides, width = array.shape[1], turned = turned](
                    std::int64_t begin, std::int64_t count, std::byte* out) {
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t y = (begin + done) / width, x = (begin + done) % width;
      const std::int64_t piece = std::min(width - x, count - done);
      gather(first + y * strides[0] + x * strides[1], strides[1], piece, static_cast<std::size_t>(bytes),
             out + done * bytes);
      done += piece;
    }
    if (!turned) return;
    for (std::int64_t i = 0; i < count; ++i) out[i * bytes + sign_at] ^= std::byte{0x80};
  };
  return source;
}

void bind_arrays(nb::module_& module) {
  nb::class_<PlaneArray>(module, "PlaneArray")
      .def(
          "__init__",
          [](PlaneArray* self, std::uintptr_t address, std::array<std::int64_t, 2> shape,
             std::array<std::int64_t, 2> strides, const std::string& type, double bscale, double bzero,
             std::optional<std::int64_t> blank, bool on_device, std::optional<std::uintptr_t> stream) {
            element_of(type);
            PlaneArray array{.address = address,
                             .shape = shape,
                             .strides = strides,
                             .type = type,
                             .bscale = bscale,
                             .bzero = bzero,
                             .blank = blank};
            if (on_device) put_on_device(array, stream);
            new (self) PlaneArray(std::move(array));
          },
          nb::arg("address"), nb::arg("shape"), nb::arg("strides"), nb::arg("type"), nb::arg("bscale") = 1.0,
          nb::arg("bzero") = 0.0, nb::arg("blank").none() = nb::none(), nb::arg("on_device") = false,
          nb::arg("stream").none() = nb::none())
      .def_ro("device", &PlaneArray::device);
}

}  // namespace srcextract::python
