#pragma once

#include <cstdint>

struct CUstream_st;

namespace srcextract::bench {

/// Queues the reading of `count` words on a device, a multiple of 4, once each; `sum`, on the device too, keeps the
/// compiler from dropping it.
void queue_read(const std::uint32_t* words, std::int64_t count, std::uint32_t* sum, int multiprocessors,
                CUstream_st* stream);

}  // namespace srcextract::bench
