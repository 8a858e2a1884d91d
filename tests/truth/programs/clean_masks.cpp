// Cleans masks for tests/truth/support/cleaned_masks.py: read from stdin one after the other, each as int32 width,
// height, operation (of `Operation`), element (0 = cross, 1 = square) and iterations, and a byte per pixel; the mask
// that is left, a byte per pixel, goes to stdout.
#include "stages/detect/morphology.hpp"
#include "tests/truth/programs/mask_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using Request = testing::MaskRequest<5>;

enum class Operation { erosion, opening, dilation };

template <class Where>
Runs<Where> clean(const Runs<Where>& runs, const Request& request, const Where& where) {
  const auto operation = static_cast<Operation>(request.head[2]);
  const auto element = static_cast<StructuringElement>(request.head[3]);
  const std::int64_t iterations = request.head[4];
  if (operation == Operation::dilation) {
    return to_runs(dilate(to_mask(runs, where), element, iterations, where), where);
  }
  const MorphologicalOperation which =
      operation == Operation::opening ? MorphologicalOperation::opening : MorphologicalOperation::erosion;
  return apply_morphology(runs, {which, element, iterations}, where);
}

template <class Where>
std::vector<char> clean_mask(const Backend<Where>& backend, const Request& mask) {
  const Runs<Where> runs = testing::find_mask_runs(backend, mask.shape(), mask.pixels);
  const Runs<Where> left = clean(runs, mask, backend.where());
  std::vector<char> pixels(mask.pixels.size(), 0);
  for (const Run& run : testing::get_runs(backend, left)) {
    const std::int64_t row = run.y * mask.shape().width;
    for (std::int64_t x = run.begin; x < run.end; ++x) pixels.at(static_cast<std::size_t>(row + x)) = 1;
  }
  return pixels;
}

template <class Where>
void clean_all(const Backend<Where>& backend) {
  while (const auto mask = testing::read_mask<5>(std::cin)) {
    const std::vector<char> pixels = clean_mask(backend, *mask);
    std::cout.write(pixels.data(), static_cast<std::streamsize>(pixels.size()));
  }
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("clean_masks", argc, argv,
                                              [](const auto& backend) { srcextract::clean_all(backend); });
}
