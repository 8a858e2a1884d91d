// Makes pictures for tests/truth/test_picture.py: images are read from stdin one after the other, each as int32 width,
// height, stretch, limits, bins and size (of QuicklookConfig) and a float32 per pixel; to stdout go, each as one array,
// int32 width and height of the picture, the shrunk pixels, the limits (float32), and a byte of grey per pixel.
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <vector>

#include "stages/picture/picture.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;

struct Request {
  Shape shape;
  QuicklookConfig config;
  std::vector<float> pixels;
};

std::optional<Request> read_request(std::istream& in) {
  std::array<std::int32_t, 6> head{};
  if (!in.read(reinterpret_cast<char*>(head.data()), sizeof(head))) return std::nullopt;
  Request request;
  request.shape = {head[0], head[1]};
  request.config.stretch = static_cast<Stretch>(head[2]);
  request.config.limits = static_cast<Limits>(head[3]);
  request.config.bins = head[4];
  request.config.size = head[5];
  request.pixels.resize(static_cast<std::size_t>(request.shape.count()));
  const auto bytes = static_cast<std::streamsize>(request.pixels.size() * sizeof(float));
  if (!in.read(reinterpret_cast<char*>(request.pixels.data()), bytes)) {
    throw Error(ErrorKind::input, "the last image is cut short");
  }
  return request;
}

template <class T>
void write(const T* values, std::size_t count) {
  std::cout.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class Where>
void answer(const Backend<Where>& backend, const Request& request) {
  Image<float, Where> image;
  image.shape = request.shape;
  image.pixels = backend.put(request.pixels);
  const Picture picture = render_picture(image, request.config, backend.where());
  const Image<float, Where> shrunk = shrink(image, picture.factor, backend.where());

  const std::array<std::int32_t, 2> shape = {static_cast<std::int32_t>(picture.grey.shape.width),
                                             static_cast<std::int32_t>(picture.grey.shape.height)};
  const std::vector<float> pixels = backend.get(shrunk.pixels);
  const std::array<float, 2> limits = {picture.range.low, picture.range.high};
  write(shape.data(), shape.size());
  write(pixels.data(), pixels.size());
  write(limits.data(), limits.size());
  write(picture.grey.pixels.data(), pixels.size());
}

template <class Where>
void answer_all(const Backend<Where>& backend) {
  while (const std::optional<Request> request = read_request(std::cin)) answer(backend, *request);
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("make_pictures", argc, argv,
                                              [](const auto& backend) { srcextract::answer_all(backend); });
}
