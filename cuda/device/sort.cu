#include "cuda/device/sort_body.hpp"

namespace srcextract {

template void sort_by_keys(Buffer<std::uint64_t, Gpu>&, Buffer<std::int32_t, Gpu>&, std::int64_t, int, const Gpu&);
template void sort_by_keys(Buffer<std::uint32_t, Gpu>&, Buffer<std::int32_t, Gpu>&, std::int64_t, int, const Gpu&);
template void sort_keys(Buffer<std::uint64_t, Gpu>&, std::int64_t, int, const Gpu&);
template void sort_keys(Buffer<float, Gpu>&, std::int64_t, int, const Gpu&);

}  // namespace srcextract
