#include "stages/sky/mesh_rows.hpp"

#include <algorithm>
#include <array>

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows = MeshRow::rows_at_once;

/// The nodes of one row, `rows` apart.
SRCEXTRACT_VECTOR_CLONES
void fill_nodes(const float* nodes, const float* bends, NodePlace place, std::int64_t width, float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) out[x * rows] = place.at(nodes + x, bends + x, width);
}

/// bend() of all rows.
SRCEXTRACT_VECTOR_CLONES
void bend_rows(const float* nodes, std::int64_t count, float* __restrict out) {
  constexpr Pivots pivots = make_pivots();
  std::fill_n(out, rows, 0.0F);
  std::fill_n(out + (count - 1) * rows, rows, 0.0F);
  std::array<double, rows> last{};
  for (std::int64_t i = 1; i < count - 1; ++i) {
    const double pivot = pivots.at(i);
    const float* const at = nodes + i * rows;
    for (std::int64_t r = 0; r < rows; ++r) {
      last[r] = bend_down(pivot, last[r], at[r - rows], at[r], at[r + rows]);
      out[i * rows + r] = static_cast<float>(last[r]);
    }
  }
  last.fill(0);
  for (std::int64_t i = count - 2; i > 0; --i) {
    const double pivot = pivots.at(i);
    for (std::int64_t r = 0; r < rows; ++r) {
      last[r] = bend_up(pivot, last[r], out[i * rows + r]) / 6;
      out[i * rows + r] = static_cast<float>(last[r]);
    }
  }
}

SRCEXTRACT_VECTOR_CLONES
void fill_piece(SplinePiece piece, MeshScale scale, float before, std::int64_t begin, std::int64_t end,
                float* __restrict out) {
  for (std::int64_t x = begin; x < end; ++x)
    out[x] = piece.at(SplinePiece::beyond(static_cast<float>(static_cast<std::int32_t>(x)), scale, before));
}

}  // namespace

void MeshRow::go_to(std::int64_t y) {
  row_ = y % rows;
  if (y - row_ == first_) return;
  first_ = y - row_;
  const auto [width, height] = grid_.nodes;
  node_.resize(static_cast<std::size_t>(width * rows));
  bend_.resize(node_.size());
  for (std::int64_t r = 0; r < rows; ++r)
    fill_nodes(nodes_.data(), bends_.data(), NodePlace(first_ + r, grid_.mesh, height), width, node_.data() + r);
  bend_rows(node_.data(), width, bend_.data());
}

void MeshRow::fill(float* out) const {
  const std::int64_t width = grid_.image.width, count = grid_.nodes.width;
  const float *const node = node_.data() + row_, *const bend = bend_.data() + row_;
  if (count == 1) {
    std::fill_n(out, width, node[0]);
    return;
  }
  const MeshScale scale(grid_.mesh);
  std::int64_t x = 0;
  for (std::int64_t before = 0; before < count - 1; ++before) {
    const bool last = before == count - 2;
    // node_before() of this pixel is the next node.
    const std::int64_t end = last ? width : std::min(width, grid_.mesh * (2 * before + 3) / 2);
    fill_piece(SplinePiece(node, bend, before, rows), scale, static_cast<float>(before), x, end, out);
    x = end;
  }
}

}  // namespace srcextract
