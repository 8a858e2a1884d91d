#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stages/clean/clean_profile.hpp"
#include "stages/core/atomics.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/image.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract {

/// Grids of cells over the whole image, one layer for each size of profile, with cells as wide as the reach of the
/// layer's profiles. Small profiles are thus not searched for over the reach of a large one. Each layer has profiles
/// twice as large as the one before; the last layer is the first with a single cell.
class AbsorberCells {
 public:
  static constexpr int most_layers = 40;
  static constexpr double reach = 10;  ///< of a profile, in semi-major axes

  explicit AbsorberCells(const Shape& shape) {
    for (;;) {
      const double side = side_of(layers_);
      columns_[layers_] = static_cast<std::int32_t>(static_cast<double>(shape.width) / side) + 1;
      rows_[layers_] = static_cast<std::int32_t>(static_cast<double>(shape.height) / side) + 1;
      first_[layers_ + 1] = first_[layers_] + std::int64_t{columns_[layers_]} * rows_[layers_];
      ++layers_;
      if (columns_[layers_ - 1] == 1 && rows_[layers_ - 1] == 1) return;
    }
  }

  std::int64_t cells() const { return first_[layers_]; }

  SRCEXTRACT_HOST_DEVICE int layers() const { return layers_; }
  SRCEXTRACT_HOST_DEVICE int layer_of(const CleanProfile& profile) const {
    int layer = 0;
    while (layer + 1 < layers_ && static_cast<double>(profile.a) >= size_of(layer)) ++layer;
    return layer;
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t cell_of(int layer, const CleanProfile& profile) const {
    return first_[layer] + row(layer, profile.y) * columns_[layer] + column(layer, profile.x);
  }

  /// Calls body(first, end), row by row, with the range of cells of a layer whose profiles may reach the source
  /// `small`.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_row(int layer, const CleanProfile& small, const Body& body) const {
    // The margin covers rounding of floats. The last layer has one cell, so profiles of any size are found in it.
    const double far = (reach + 0.01) * (size_of(layer) + static_cast<double>(small.a)) + 1;
    const std::int64_t left = column(layer, small.x - far), right = column(layer, small.x + far);
    const std::int64_t last = row(layer, small.y + far);
    for (std::int64_t y = row(layer, small.y - far); y <= last; ++y)
      body(first_[layer] + y * columns_[layer] + left, first_[layer] + y * columns_[layer] + right + 1);
  }

 private:
  /// Upper limit of the semi-major axes of the profiles in a layer.
  SRCEXTRACT_HOST_DEVICE static double size_of(int layer) { return static_cast<double>(std::int64_t{2} << layer); }
  SRCEXTRACT_HOST_DEVICE static double side_of(int layer) { return reach * size_of(layer); }
  SRCEXTRACT_HOST_DEVICE static std::int64_t cell_at(double at, std::int64_t cells) {
    const double last = static_cast<double>(cells - 1);
    return static_cast<std::int64_t>(at > 0 ? (at < last ? at : last) : 0);
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t column(int layer, double x) const {
    return cell_at(x / side_of(layer), columns_[layer]);
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t row(int layer, double y) const {
    return cell_at(y / side_of(layer), rows_[layer]);
  }

  int layers_ = 0;
  std::int32_t columns_[most_layers] = {}, rows_[most_layers] = {};
  std::int64_t first_[most_layers + 1] = {};  ///< per layer: its first cell
};

/// Steps that find for each source another one that absorbs it. Sources are decided from the brightest to the faintest,
/// equal ones in SExtractor's order, each after all brighter ones. A source is absorbed if a brighter one that is not
/// absorbed itself can absorb it (can_absorb). Of several such sources the first in SExtractor's order absorbs it.
/// Unlike in SExtractor, the result does not depend on the order in which sources are looked at.
///
/// Only neighbours are compared, so time is linear in the number of sources. Only many large sources, each of which
/// reaches most others, take longer.
struct SharedAbsorbers {
  SRCEXTRACT_STEP(set_key)
  SRCEXTRACT_STEP(take_order)
  SRCEXTRACT_STEP(enter_cell)

  static constexpr std::int32_t undecided = -2, nobody = -1;
  /// If every cell of a layer has at most this many profiles, each lane searches whole rows of cells, since rows then
  /// outnumber the profiles in a row. Otherwise lanes share the profiles of a row.
  static constexpr std::uint32_t few = 8;

  /// The best absorber that a lane has found: the first in SExtractor's order.
  struct Part {
    std::int32_t place = std::numeric_limits<std::int32_t>::max();
    std::int32_t absorber = nobody;

    SRCEXTRACT_HOST_DEVICE void join(const Part& other) {
      if (other.place < place) *this = other;
    }
  };

  const CleanCandidate* candidates;
  std::int64_t room;
  double beta;
  AbsorberCells cells;
  std::uint64_t* key;     ///< larger for fainter sources
  std::int32_t* source;   ///< sources by brightness, the brightest first, after sorting
  CleanProfile* profile;  ///< in this order, like the members below
  std::int32_t* place;
  std::uint32_t* cell_begin;  ///< per cell: its first element of `member`
  std::uint32_t* cell_used;   ///< per cell: number of members entered
  std::uint32_t* most;        ///< per layer: number of profiles in the cell with most of them
  std::int32_t* member;
  std::int32_t* absorber;  ///< per source, from the brightest on
  std::int32_t* result;    ///< per source, by its number

  /// Sets the sort key of a candidate, so that brighter sources come first. Equal sources keep SExtractor's order.
  SRCEXTRACT_HOST_DEVICE void set_key(std::int64_t i) const {
    const CleanCandidate& candidate = candidates[i];
    if (candidate.place < 0 || candidate.place >= room) return;
    const double flux = candidate.flux == 0 ? 0.0 : candidate.flux;
    std::uint64_t bits;
    memcpy(&bits, &flux, sizeof(bits));
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    key[candidate.place] = (bits & sign) != 0 ? bits : ~(bits | sign);
    source[candidate.place] = static_cast<std::int32_t>(i);
  }

  SRCEXTRACT_HOST_DEVICE void take_order(std::int64_t i) const {
    absorber[i] = undecided;
    if (source[i] < 0) {  // no room for all sources
      place[i] = 0;
      profile[i].a = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    profile[i] = candidates[source[i]].profile;
    place[i] = candidates[source[i]].place;
    if (!can_be_found(profile[i])) return;
    const int layer = cells.layer_of(profile[i]);
    shared_raise(&most[layer], shared_add(&cell_begin[cells.cell_of(layer, profile[i])], 1u) + 1);
  }

  SRCEXTRACT_HOST_DEVICE void enter_cell(std::int64_t i) const {
    if (!can_be_found(profile[i])) return;
    const std::int64_t cell = cells.cell_of(cells.layer_of(profile[i]), profile[i]);
    member[cell_begin[cell] + shared_add(&cell_used[cell], 1u)] = static_cast<std::int32_t>(i);
  }

  /// Searches a part of the brighter sources, those of lane `lane`, for the best absorber of source i.
  SRCEXTRACT_HOST_DEVICE Part part(std::int64_t i, int lane, int lanes) const {
    Part best;
    const CleanProfile small = profile[i];
    if (!can_be_found(small)) return best;
    const auto look_at = [&](std::int64_t from, std::int64_t end, int step) {
      for (std::int64_t k = from; k < end; k += step) {
        const std::int32_t big = member[k];
        if (big >= i || place[big] > best.place || !can_absorb(profile[big], small, beta)) continue;
        if (wait_for(big) == nobody) best.join({place[big], big});
      }
    };
    int rows = 0;
    for (int layer = 0; layer < cells.layers(); ++layer) {
      const std::uint32_t fullest = most[layer];
      if (fullest == 0) continue;
      cells.for_each_row(layer, small, [&](std::int64_t first, std::int64_t end) {
        if (fullest > few) {
          look_at(cell_begin[first] + lane, cell_begin[end], lanes);
        } else if (rows++ % lanes == lane) {
          look_at(cell_begin[first], cell_begin[end], 1);
        }
      });
    }
    return best;
  }

  SRCEXTRACT_HOST_DEVICE void finish(std::int64_t i, const Part& best) const {
    shared_store(&absorber[i], best.absorber);
    if (source[i] >= 0) result[source[i]] = best.absorber < 0 ? nobody : source[best.absorber];
  }

 private:
  SRCEXTRACT_HOST_DEVICE std::int32_t wait_for(std::int32_t i) const {
    for (;;) {
      const std::int32_t decided = shared_load(&absorber[i]);
      if (decided != undecided) return decided;
    }
  }
};

/// Returns for each source the index of the source that absorbs it, or -1.
template <class Where, class Machine>
Buffer<std::int32_t, Where> find_absorbers(const Buffer<CleanCandidate, Where>& candidates, const SharedCount& sources,
                                           const Shape& shape, double beta, const Machine& machine) {
  const std::int64_t room = candidates.size();
  const AbsorberCells cells(shape);
  auto key = machine.template filled<std::uint64_t>(room, 0xff);
  auto source = machine.template filled<std::int32_t>(room, 0xff);
  Buffer<CleanProfile, Where> profile(room, machine.where());
  Buffer<std::int32_t, Where> place(room, machine.where());
  auto begin = machine.template filled<std::uint32_t>(cells.cells() + 1, 0);
  auto used = machine.template filled<std::uint32_t>(cells.cells(), 0);
  auto most = machine.template filled<std::uint32_t>(AbsorberCells::most_layers, 0);
  Buffer<std::int32_t, Where> member(room, machine.where()), absorber(room, machine.where());
  auto result = machine.template filled<std::int32_t>(room, 0xff);
  SharedAbsorbers absorbers{candidates.data(), room,         beta,         cells,       key.data(),  source.data(),
                            profile.data(),    place.data(), begin.data(), used.data(), most.data(), member.data(),
                            absorber.data(),   result.data()};
  machine.template over<SharedAbsorbers::set_key_step>(sources, absorbers);
  machine.sort(key, source, 64);
  absorbers.source = source.data();
  machine.template over<SharedAbsorbers::take_order_step>(sources, absorbers);
  machine.make_running_sums(begin, {nullptr, cells.cells()});
  machine.template over<SharedAbsorbers::enter_cell_step>(sources, absorbers);
  machine.in_order(sources, absorbers);
  return result;
}

}  // namespace srcextract
