#include "stages/sky/mesh_rows.hpp"

#include <algorithm>

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

SRCEXTRACT_VECTOR_CLONES
void fill_piece(SplinePiece piece, std::int64_t begin, std::int64_t end, float* __restrict out) {
  for (std::int64_t x = begin; x < end; ++x) out[x] = piece.at(static_cast<float>(static_cast<std::int32_t>(x)));
}

}  // namespace

void MeshRow::go_to(std::int64_t y) {
  const auto [width, height] = grid_.nodes;
  for (std::int64_t x = 0; x < width; ++x)
    node_[static_cast<std::size_t>(x)] =
        node_in_row(nodes_.data() + x, bends_.data() + x, height, width, grid_.mesh, y);
  bend(node_.data(), width, 1, bend_.data());
}

void MeshRow::fill(float* out) const {
  const std::int64_t width = grid_.image.width, count = grid_.nodes.width;
  if (count == 1) {
    std::fill_n(out, width, node_[0]);
    return;
  }
  std::int64_t x = 0;
  for (std::int64_t before = 0; before < count - 1; ++before) {
    const bool last = before == count - 2;
    // node_before() of this pixel is the next node.
    const std::int64_t end = last ? width : std::min(width, grid_.mesh * (2 * before + 3) / 2);
    fill_piece(SplinePiece(node_.data(), bend_.data(), before, grid_.mesh, 1), x, end, out);
    x = end;
  }
}

}  // namespace srcextract
