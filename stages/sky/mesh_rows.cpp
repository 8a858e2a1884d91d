#include "stages/sky/mesh_rows.hpp"

#include <algorithm>
#include <array>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows = MeshRow::rows_at_once;

/// Interpolates along y for one image row: writes the value at each column of nodes. Values are stored `rows` elements
/// apart, since `rows` image rows share the array.
SRCEXTRACT_VECTOR_CLONES
void fill_nodes(const float* nodes, const float* bends, NodePlace place, std::int64_t width, bool bounded,
                float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) out[x * rows] = place.at(nodes + x, bends + x, width, bounded);
}

/// Computes bend() along x for `rows` image rows at once. Element i * rows + r of `nodes` and `out` belongs to node i
/// of row r.
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
void find_beyond(MeshScale scale, float before, std::int32_t begin, std::int32_t end, float* __restrict out) {
  for (std::int32_t x = begin; x < end; ++x) out[x] = SplinePiece::beyond(static_cast<float>(x), scale, before);
}

SRCEXTRACT_VECTOR_CLONES
void fill_piece(SplinePiece piece, const float* beyond, std::int64_t n, float* __restrict out) {
  for (std::int64_t x = 0; x < n; ++x) out[x] = piece.at(beyond[x]);
}

/// fill_piece() of a bounded map. Only pieces at the edges of the image go beyond their nodes; a loop with that case is
/// not vectorised, and took a tenth of the time of an image.
SRCEXTRACT_VECTOR_CLONES
void fill_bounded_piece(SplinePiece piece, const float* beyond, std::int64_t n, float* __restrict out) {
  if (n > 0 && beyond[0] >= 0.0F && beyond[n - 1] <= 1.0F) {
    const float least = std::min(piece.node, piece.next_node), most = std::max(piece.node, piece.next_node);
    for (std::int64_t x = 0; x < n; ++x) {
      const float value = piece.at(beyond[x]), raised = value < least ? least : value;
      out[x] = raised > most ? most : raised;
    }
  } else {
    for (std::int64_t x = 0; x < n; ++x) out[x] = piece.at(beyond[x], true);
  }
}

SRCEXTRACT_VECTOR_CLONES
void subtract_piece(SplinePiece piece, const float* beyond, const float* pixels, std::int64_t n, bool bounded,
                    float* __restrict out) {
  for (std::int64_t x = 0; x < n; ++x) out[x] = pixel_of(pixels[x] - piece.at(beyond[x], bounded));
}

SRCEXTRACT_VECTOR_CLONES
void subtract_piece_in_place(SplinePiece piece, const float* __restrict beyond, std::int64_t n, bool bounded,
                             float* pixels) {
  for (std::int64_t x = 0; x < n; ++x) pixels[x] = pixel_of(pixels[x] - piece.at(beyond[x], bounded));
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
    fill_nodes(nodes_.data(), bends_.data(), NodePlace(first_ + r, grid_.mesh.height, height), width, bounded_,
               node_.data() + r);
  bend_rows(node_.data(), width, bend_.data());
}

template <class F>
void MeshRow::for_each_piece(const F& f) {
  const std::int64_t width = grid_.image.width, count = grid_.nodes.width;
  const bool known = !beyond_.empty();
  if (!known) beyond_.resize(static_cast<std::size_t>(width));
  const MeshScale scale(grid_.mesh.width);
  std::int64_t x = 0;
  for (std::int64_t before = 0; before < count - 1; ++before) {
    const bool last = before == count - 2;
    // The first pixel that is beyond node before + 1.
    const std::int64_t end = last ? width : std::min(width, grid_.mesh.width * (2 * before + 3) / 2);
    if (!known)
      find_beyond(scale, static_cast<float>(before), static_cast<std::int32_t>(x), static_cast<std::int32_t>(end),
                  beyond_.data());
    f(SplinePiece(node_.data() + row_, bend_.data() + row_, before, rows), beyond_.data() + x, x, end - x);
    x = end;
  }
}

void MeshRow::fill(float* out) {
  if (grid_.nodes.width == 1) std::fill_n(out, grid_.image.width, node_[static_cast<std::size_t>(row_)]);
  for_each_piece([&](const SplinePiece& piece, const float* beyond, std::int64_t x, std::int64_t n) {
    if (bounded_) {
      fill_bounded_piece(piece, beyond, n, out + x);
    } else {
      fill_piece(piece, beyond, n, out + x);
    }
  });
}

void MeshRow::subtract_from(const float* pixels, float* above) {
  if (grid_.nodes.width == 1) {
    const float level = node_[static_cast<std::size_t>(row_)];
    std::transform(pixels, pixels + grid_.image.width, above, [=](float pixel) { return pixel_of(pixel - level); });
  }
  for_each_piece([&](const SplinePiece& piece, const float* beyond, std::int64_t x, std::int64_t n) {
    if (above == pixels) {
      subtract_piece_in_place(piece, beyond, n, bounded_, above + x);
    } else {
      subtract_piece(piece, beyond, pixels + x, n, bounded_, above + x);
    }
  });
}

}  // namespace srcextract
