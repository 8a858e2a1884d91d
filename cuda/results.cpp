#include "cuda/results.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cuda/memory.hpp"

namespace srcextract {

HostResults::HostResults() : summary_(sizeof(Summary)) {
  new (summary_.data()) Summary{};
}

const HostResults::Summary& HostResults::receive(const Pixels<Gpu>& pixels, const Detection<Gpu>& found,
                                                 const Gpu& where) {
  Summary& s = summary();
  queue_copy_to_host(&s.background, found.background.data(), 1, where);
  queue_copy_to_host(&s.levels, found.levels.data(), 1, where);
  queue_copy_to_host(&s.masked, pixels.masked.data(), 1, where);
  queue_copy_to_host(&s.counts, found.components.counts.data(), 1, where);
  queue_copy_to_host(&s.runs, found.runs.row_begin.data() + found.runs.shape.height, 1, where);
  rows_here_ = std::min(rows_written_, room_);
  queue_copy_to_host(rows_.data(), reinterpret_cast<const std::byte*>(found.sums.data()),
                     rows_here_ * static_cast<std::int64_t>(sizeof(SourceSums)), where);
  check(cudaStreamSynchronize(where.stream));
  rows_written_ = std::max(rows_written_, std::min(s.counts.kept, found.sums.size()));
  return s;
}

Buffer<SourceSums, Cpu> HostResults::sums(const Detection<Gpu>& found, const Gpu& where) {
  const std::int64_t count = summary().counts.kept;
  constexpr auto row_bytes = static_cast<std::int64_t>(sizeof(SourceSums));
  if (count > room_) {
    room_ = count + count / 2;
    rows_ = PinnedBuffer(room_ * row_bytes);
    rows_here_ = 0;
  }
  if (count > rows_here_) {
    copy_to_host(rows_.data() + rows_here_ * row_bytes,
                 reinterpret_cast<const std::byte*>(found.sums.data() + rows_here_), (count - rows_here_) * row_bytes,
                 where);
    rows_here_ = count;
  }
  Buffer<SourceSums, Cpu> sums(count, Cpu{});
  if (count > 0) std::memcpy(sums.data(), rows_.data(), static_cast<std::size_t>(count * row_bytes));
  return sums;
}

}  // namespace srcextract
