#include "io/tiles/hcompress.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "io/files/big_endian.hpp"
#include "io/tiles/bit_cursor.hpp"
#include "io/tiles/h_transform.hpp"

namespace srcextract {
namespace {

/// Length of the head in bytes: magic number, size of the tile, scale, sum of the pixels, three numbers of bit planes.
constexpr std::size_t head_bytes = 25;

/// Number of unused bytes at the end from which on a stream counts as damaged.
constexpr std::int64_t most_padding = 8;

/// Returns the numbers of bit planes of three groups of coefficients: the sums, the differences along one axis, and the
/// differences along both axes.
std::array<int, 3> bit_planes(std::span<const std::byte> stream) {
  const auto count = [&](std::size_t at) { return std::to_integer<int>(stream[at]); };
  return {count(22), count(23), count(24)};
}

struct Code {
  std::uint8_t value, bits;
};

/// Returns a table that decodes the Huffman codes of values of four bits. The index of the table is the next six bits
/// of the stream. The values with a single bit set, the most frequent, have the shortest codes.
constexpr std::array<Code, 64> make_codes() {
  constexpr std::array<std::pair<int, Code>, 16> codes{{{0b000, {1, 3}},
                                                        {0b001, {2, 3}},
                                                        {0b010, {4, 3}},
                                                        {0b011, {8, 3}},
                                                        {0b1000, {3, 4}},
                                                        {0b1001, {5, 4}},
                                                        {0b1010, {10, 4}},
                                                        {0b1011, {12, 4}},
                                                        {0b1100, {15, 4}},
                                                        {0b11010, {6, 5}},
                                                        {0b11011, {7, 5}},
                                                        {0b11100, {9, 5}},
                                                        {0b11101, {11, 5}},
                                                        {0b11110, {13, 5}},
                                                        {0b111110, {0, 6}},
                                                        {0b111111, {14, 6}}}};
  std::array<Code, 64> table{};
  for (const auto& [bits, code] : codes) {
    const int free = 6 - code.bits;
    std::fill_n(table.begin() + (bits << free), 1 << free, code);
  }
  return table;
}

constexpr std::array<Code, 64> code_table = make_codes();

std::uint8_t read_code(BitCursor& cursor) {
  const Code code = code_table[cursor.window() >> 58];
  cursor.skip(code.bits);
  return code.value;
}

std::int64_t half(std::int64_t length) {
  return (length + 1) / 2;
}

/// One bit plane of a quadrant of coefficients, stored as a quadtree. A node of the tree is a number of four bits; each
/// bit tells whether one of the four children has any bit set. On the last level, the bits are those of 2 x 2
/// coefficients, from the highest bit on: upper left, upper right, lower left, lower right.
class Quadtree {
 public:
  Quadtree(std::int64_t rows, std::int64_t columns) : rows_(rows), columns_(columns) {
    const std::int64_t longest = std::max({rows, columns, std::int64_t{1}});
    levels_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest - 1)));
    // Allocates one node at least: the stream has a node even for a quadrant without rows.
    nodes_.resize(static_cast<std::size_t>(length_at(rows, 1) * length_at(columns, 1)));
    parents_.resize(nodes_.size());
  }

  /// Reads the nodes of the last level from a plane that is stored without a tree.
  void read_directly(BitCursor& cursor) {
    const auto count = static_cast<std::size_t>(half(rows_) * half(columns_));
    for (std::size_t done = 0; done < count;) {
      std::uint64_t bits = cursor.window();
      const std::size_t end = std::min<std::size_t>(count, done + 14);
      cursor.skip(static_cast<int>(4 * (end - done)));
      for (; done < end; ++done, bits <<= 4) nodes_[done] = static_cast<std::uint8_t>(bits >> 60);
    }
  }

  /// Reads the tree from the root to the last level. Returns false if the root is 0, so that no bit of the plane is
  /// set.
  bool read_tree(BitCursor& cursor) {
    nodes_[0] = read_code(cursor);
    if (nodes_[0] == 0) return false;
    for (int level = levels_ - 1; level > 0 && cursor.inside(); --level) {
      std::swap(nodes_, parents_);
      read_level(cursor, length_at(rows_, level), length_at(columns_, level));
    }
    return true;
  }

  /// Sets `bit` in those coefficients of the quadrant that have a bit in this plane.
  template <class Coefficient>
  void add_to(Coefficient* quadrant, std::int64_t stride, Coefficient bit) const {
    const std::uint8_t* node = nodes_.data();
    for (std::int64_t y = 0; y < rows_; y += 2) {
      Coefficient* const upper = quadrant + y * stride;
      Coefficient* const lower = y + 1 < rows_ ? upper + stride : nullptr;
      for (std::int64_t x = 0; x < columns_; x += 2) {
        const unsigned bits = *node++;
        if (bits == 0) continue;
        const bool right = x + 1 < columns_;
        upper[x] |= bits & 8 ? bit : 0;
        if (right) upper[x + 1] |= bits & 4 ? bit : 0;
        if (lower) lower[x] |= bits & 2 ? bit : 0;
        if (lower && right) lower[x + 1] |= bits & 1 ? bit : 0;
      }
    }
  }

 private:
  static std::int64_t length_at(std::int64_t length, int level) {
    return std::max<std::int64_t>(1, (length + (std::int64_t{1} << level) - 1) >> level);
  }

  /// Reads the nodes of one level, which are stored from the last to the first.
  void read_level(BitCursor& cursor, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t y = rows - 1; y >= 0; --y) {
      const std::uint8_t* const parents = parents_.data() + y / 2 * half(columns);
      std::uint8_t* const nodes = nodes_.data() + y * columns;
      const int row_bits = y % 2 == 0 ? 2 : 0;
      for (std::int64_t x = columns - 1; x >= 0; --x) {
        const bool any = parents[x / 2] >> (row_bits + (x % 2 == 0 ? 1 : 0)) & 1;
        nodes[x] = any ? read_code(cursor) : std::uint8_t{0};
      }
    }
  }

  std::int64_t rows_, columns_;
  int levels_;
  std::vector<std::uint8_t> nodes_, parents_;
};

/// Reads the absolute values of a quadrant's coefficients, bit plane by bit plane from the highest on. Returns false if
/// the stream is damaged.
template <class Coefficient>
bool read_quadrant(BitCursor& cursor, std::int64_t rows, std::int64_t columns, int planes, Coefficient* quadrant,
                   std::int64_t stride) {
  constexpr std::uint32_t direct = 0, tree = 15;
  if (planes > std::numeric_limits<Coefficient>::digits) return false;
  Quadtree bits(rows, columns);
  for (int plane = planes - 1; plane >= 0; --plane) {
    const std::uint32_t kind = cursor.read(4);
    if (kind == direct) {
      bits.read_directly(cursor);
    } else if (kind != tree || !cursor.inside()) {
      return false;
    } else if (!bits.read_tree(cursor)) {
      continue;
    }
    if (!cursor.inside()) return false;
    bits.add_to(quadrant, stride, static_cast<Coefficient>(Coefficient{1} << plane));
  }
  return true;
}

/// Reads the signs of the coefficients: one bit for every coefficient other than 0.
template <class Coefficient>
void read_signs(BitCursor& cursor, std::span<Coefficient> coefficients) {
  for (std::size_t done = 0; done < coefficients.size() && cursor.inside();) {
    std::uint64_t bits = cursor.window();
    int left = BitCursor::sure_bits;
    for (; done < coefficients.size() && left > 0; ++done) {
      Coefficient& coefficient = coefficients[done];
      const int used = coefficient != 0 ? 1 : 0;
      const bool negative = used != 0 && bits >> 63 != 0;
      coefficient = negative ? -coefficient : coefficient;
      bits <<= used;
      left -= used;
    }
    cursor.skip(BitCursor::sure_bits - left);
  }
}

}  // namespace

std::optional<HcompressTile> read_hcompress_head(std::span<const std::byte> stream, std::int64_t pixels) {
  if (stream.size() < head_bytes || stream[0] != std::byte{0xdd} || stream[1] != std::byte{0x99}) return std::nullopt;
  const std::int64_t rows = load_big_endian<std::int32_t>(&stream[2]);
  const std::int64_t columns = load_big_endian<std::int32_t>(&stream[6]);
  if (rows < 1 || columns < 1 || rows > pixels || columns > pixels || rows * columns != pixels) return std::nullopt;
  return HcompressTile{rows, columns, load_big_endian<std::int32_t>(&stream[10])};
}

// The stream holds the quadrants in this order: sums, differences along the rows, differences down the columns,
// differences along both axes. Then follow four zero bits and, from the next byte on, the signs.
template <class Coefficient>
bool decode_hcompress(std::span<const std::byte> stream, bool smooth, std::span<std::int32_t> pixels) {
  const std::optional<HcompressTile> tile = read_hcompress_head(stream, std::ssize(pixels));
  if (!tile) return false;
  const std::int64_t rows = tile->rows, columns = tile->columns;
  const auto planes = bit_planes(stream);
  BitCursor cursor(stream.subspan(head_bytes));
  std::vector<Coefficient> coefficients(pixels.size());
  const std::int64_t upper = half(rows), left = half(columns);
  Coefficient* const first = coefficients.data();
  const auto quadrant = [&](std::int64_t height, std::int64_t width, int count, std::int64_t begin) {
    return read_quadrant(cursor, height, width, count, first + begin, columns);
  };
  if (!quadrant(upper, left, planes[0], 0) || !quadrant(upper, columns / 2, planes[1], left) ||
      !quadrant(rows / 2, left, planes[1], upper * columns) ||
      !quadrant(rows / 2, columns / 2, planes[2], upper * columns + left) || cursor.read(4) != 0)
    return false;
  cursor.to_next_byte();
  read_signs(cursor, std::span(coefficients));
  const std::int64_t left_over = std::ssize(stream) - static_cast<std::int64_t>(head_bytes) - cursor.bytes_begun();
  if (!cursor.inside() || left_over >= most_padding) return false;
  coefficients[0] = static_cast<Coefficient>(load_big_endian<std::int64_t>(&stream[14]));
  const HTransform<Coefficient> transform{rows, columns, tile->scale, smooth};
  return transform.invert(coefficients, pixels);
}

template bool decode_hcompress<std::int32_t>(std::span<const std::byte>, bool, std::span<std::int32_t>);
template bool decode_hcompress<std::int64_t>(std::span<const std::byte>, bool, std::span<std::int32_t>);

}  // namespace srcextract
