#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <optional>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract::testing {

/// A mask to do something with: width, height and what else is to be known of it, and a byte per pixel.
template <std::size_t numbers>
struct MaskRequest {
  std::array<std::int32_t, numbers> head{};
  std::vector<char> pixels;

  Shape shape() const { return {head[0], head[1]}; }
};

/// The next mask, its numbers as int32; nothing after the last one.
template <std::size_t numbers>
std::optional<MaskRequest<numbers>> read_mask(std::istream& in) {
  MaskRequest<numbers> request;
  if (!in.read(reinterpret_cast<char*>(request.head.data()), sizeof(request.head))) return std::nullopt;
  request.pixels.resize(static_cast<std::size_t>(request.shape().count()));
  if (!in.read(request.pixels.data(), static_cast<std::streamsize>(request.pixels.size()))) {
    throw Error(ErrorKind::input, "the last mask is cut short");
  }
  return request;
}

/// The runs of a mask, as the program finds them in an image.
template <class Where>
Runs<Where> find_mask_runs(const Backend<Where>& backend, const Shape& shape, const std::vector<char>& pixels) {
  Image<float, Where> image;
  image.shape = shape;
  image.pixels = backend.put(std::vector<float>(pixels.begin(), pixels.end()));
  return find_runs(image, put_levels(backend, 0.5), backend.where());
}

}  // namespace srcextract::testing
