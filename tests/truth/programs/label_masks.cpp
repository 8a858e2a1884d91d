// Labels masks for tests/truth/support/random_masks.py: read from stdin one after the other, each as int32 width,
// height and connectivity and a byte per pixel; an int32 label per pixel goes to stdout.
#include "stages/detect/label.hpp"
#include "tests/truth/programs/mask_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using Request = testing::MaskRequest<3>;

template <class Where>
std::vector<std::int32_t> label_mask(const Backend<Where>& backend, const Request& mask) {
  DetectionConfig config;
  config.connectivity = mask.head[2];
  config.min_area = 1;
  const Runs<Where> runs = testing::find_mask_runs(backend, mask.shape(), mask.pixels);
  const Components<Where> components = label_components(runs, config, backend.where());

  const std::vector<Run> host_runs = testing::get_runs(backend, runs);
  const std::vector<std::int32_t> labels = testing::get_labels(backend, runs, components);
  std::vector<std::int32_t> map(mask.pixels.size(), 0);
  for (std::size_t i = 0; i < host_runs.size(); ++i) {
    const std::int64_t row = host_runs[i].y * mask.shape().width;
    for (std::int64_t x = host_runs[i].begin; x < host_runs[i].end; ++x) {
      map.at(static_cast<std::size_t>(row + x)) = labels.at(i);
    }
  }
  return map;
}

template <class Where>
void label_all(const Backend<Where>& backend) {
  while (const auto mask = testing::read_mask<3>(std::cin)) {
    const std::vector<std::int32_t> map = label_mask(backend, *mask);
    std::cout.write(reinterpret_cast<const char*>(map.data()),
                    static_cast<std::streamsize>(map.size() * sizeof(std::int32_t)));
  }
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("label_masks", argc, argv,
                                              [](const auto& backend) { srcextract::label_all(backend); });
}
