#include "cuda/device/sort_body.hpp"
#include "stages/clean/pixel_stretch.hpp"

namespace srcextract {

template void sort_by_keys(Buffer<std::uint64_t, Gpu>&, Buffer<PixelStretch, Gpu>&, std::int64_t, int, const Gpu&);

}  // namespace srcextract
