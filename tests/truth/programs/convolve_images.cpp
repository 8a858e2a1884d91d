// Convolves images for tests/truth/test_convolve.py: read from stdin one after the other, each as int32 width, height,
// width and height of the kernel and how the edges are (0 zero, 1 nearest, 2 reflect), its float32 pixels and the
// float64 values of the kernel; its float32 pixels, convolved, go to stdout.
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include "stages/convolve/convolve.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;

template <class T>
std::vector<T> read_values(std::istream& in, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (!in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)))) {
    throw Error(ErrorKind::input, "the last image is cut short");
  }
  return values;
}

template <class Where>
void convolve_all(const Backend<Where>& backend) {
  for (std::array<std::int32_t, 5> head{}; std::cin.read(reinterpret_cast<char*>(head.data()), sizeof(head));) {
    const auto [width, height, kernel_width, kernel_height, edges] = head;
    Image<float, Where> image;
    image.shape = {width, height};
    image.pixels = backend.put(read_values<float>(std::cin, image.shape.count()));
    ConvolveConfig config;
    config.kernel = KernelShape::values;
    config.normalize = false;
    for (int row = 0; row < kernel_height; ++row) config.values.push_back(read_values<double>(std::cin, kernel_width));
    const Image<float, Where> result = convolve(image, make_kernel(config), static_cast<Edges>(edges),
                                                backend.put_value(Background{}), backend.where());
    const std::vector<float> pixels = backend.get(result.pixels);
    std::cout.write(reinterpret_cast<const char*>(pixels.data()),
                    static_cast<std::streamsize>(pixels.size() * sizeof(float)));
  }
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("convolve_images", argc, argv,
                                              [](const auto& backend) { srcextract::convolve_all(backend); });
}
