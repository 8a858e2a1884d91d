// Labels masks for tests/truth/random_masks.py: read from stdin one after the other, each as int32 width, height and
// connectivity and a byte per pixel; an int32 label per pixel goes to stdout.
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "stages/label.hpp"
#include "stages/threshold.hpp"
#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backend;

struct Mask {
  Shape shape;
  std::int64_t connectivity = 4;
  std::vector<float> pixels;
};

std::optional<Mask> read_mask(std::istream& in) {
  std::array<std::int32_t, 3> head{};
  if (!in.read(reinterpret_cast<char*>(head.data()), sizeof(head))) return std::nullopt;
  Mask mask{{head[0], head[1]}, head[2], {}};
  std::vector<char> bytes(static_cast<std::size_t>(mask.shape.count()));
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw Error(ErrorKind::input, "the last mask is cut short");
  }
  mask.pixels.assign(bytes.begin(), bytes.end());
  return mask;
}

template <class Where>
std::vector<std::int32_t> label_mask(const Backend<Where>& backend, const Mask& mask) {
  Image<float, Where> image;
  image.shape = mask.shape;
  image.pixels = backend.put(mask.pixels);
  DetectionConfig config;
  config.connectivity = mask.connectivity;
  config.min_area = 1;
  const Runs<Where> runs = find_runs(image, testing::put_levels(backend, 0.5), backend.where());
  const Components<Where> components = label_components(runs, config, backend.where());

  const std::vector<Run> host_runs = testing::get_runs(backend, runs);
  const std::vector<std::int32_t> labels = testing::get_labels(backend, runs, components);
  std::vector<std::int32_t> map(mask.pixels.size(), 0);
  for (std::size_t i = 0; i < host_runs.size(); ++i) {
    const std::int64_t row = host_runs[i].y * mask.shape.width;
    for (std::int64_t x = host_runs[i].begin; x < host_runs[i].end; ++x) {
      map.at(static_cast<std::size_t>(row + x)) = labels.at(i);
    }
  }
  return map;
}

template <class Where>
void label_all() {
  const Backend<Where> backend;
  while (const std::optional<Mask> mask = read_mask(std::cin)) {
    const std::vector<std::int32_t> map = label_mask(backend, *mask);
    std::cout.write(reinterpret_cast<const char*>(map.data()),
                    static_cast<std::streamsize>(map.size() * sizeof(std::int32_t)));
  }
}

void label_all_on(const std::string& backend) {
  if (backend == "cpu") return label_all<Cpu>();
#if SRCEXTRACT_HAVE_CUDA
  if (backend == "cuda") return label_all<Gpu>();
#endif
  throw Error(ErrorKind::config, "no back end '" + backend + "' in this build");
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  try {
    srcextract::label_all_on(argc == 3 && std::string(argv[1]) == "--backend" ? argv[2] : "cpu");
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "label_masks: " << error.what() << '\n';
    return 1;
  }
}
