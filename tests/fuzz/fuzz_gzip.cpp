#include "io/files/gzip.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "tests/fuzz/fuzz_support.hpp"

/// A gzip file, and the same bytes as a member that is looked at alone.
int fuzz_gzip(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  testing::read_or_refused({ErrorKind::input}, [&] {
    std::vector<std::byte> member(std::size_t{1} << 16);
    testing::require(inflate_member(bytes, member) <= std::ssize(member), "more is inflated than there is room for");
    std::span left = bytes;
    const auto next = [&left](std::byte* out, std::int64_t room) {
      const auto count = std::min<std::int64_t>(room, std::ssize(left));
      std::copy_n(left.begin(), count, out);
      left = left.subspan(static_cast<std::size_t>(count));
      return count;
    };
    // As a header would: more is needed than there is, up to a limit.
    const std::int64_t most = 1 << 20;
    const auto needed = [most](std::span<const std::byte> so_far) {
      return std::max(std::ssize(so_far), std::min(most, 2 * std::ssize(so_far) + 2880));
    };
    inflate_gzip(next, static_cast<std::int64_t>(size), needed, "x.gz");
  });
  return 0;
}
