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

/// Grids of cells over the image, to find profiles near a source. There is a grid (layer) for each range of semi-major
/// axes: below 2 pixels, below 4, below 8, and so on. The cells of a layer are as wide as the reach of its largest
/// profiles. A single grid would need cells for the largest profile and would return too many small profiles. The last
/// layer has a single cell and takes all larger profiles.
class AbsorberCells {
 public:
  static constexpr int most_layers = 40;
  static constexpr double reach = 10;  ///< distance at which CLEAN ignores a profile, in semi-major axes

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

  /// Calls body(first, end), row by row, for the cells of a layer that may contain a profile that reaches the source
  /// `small`. The arguments are a range of cell indices.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_row(int layer, const CleanProfile& small, const Body& body) const {
    // The margins cover rounding errors of floats. The last layer has one cell, so that profiles of any size are found
    // there.
    const double far = (reach + 0.01) * (size_of(layer) + static_cast<double>(small.a)) + 1;
    const std::int64_t left = column(layer, small.x - far), right = column(layer, small.x + far);
    const std::int64_t last = row(layer, small.y + far);
    for (std::int64_t y = row(layer, small.y - far); y <= last; ++y)
      body(first_[layer] + y * columns_[layer] + left, first_[layer] + y * columns_[layer] + right + 1);
  }

 private:
  /// Semi-major axes in a layer are below this size in pixels (except in the last layer).
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
  std::int64_t first_[most_layers + 1] = {};  ///< per layer: index of its first cell
};

/// All absorptions of a source by another, sorted by absorber and then by time. Time is the index of a source in
/// SExtractor's order at which the absorption happens.
struct Absorptions {
  std::uint64_t* key;    ///< absorber in the high 32 bits, time in the low 32 bits
  std::int32_t* source;  ///< the absorbed source
  std::uint32_t* begin;  ///< per absorber: index of its first absorption; one more element is the end
  double* flux;          ///< flux that the absorber gained by this and all its earlier absorptions
  std::int64_t* npix;    ///< number of pixels that the absorber gained by this and all its earlier absorptions
};

/// Steps that find the absorber of each source as SExtractor does. Sources arrive one after another, in SExtractor's
/// order:
/// - The first earlier source that is not fainter than the newcomer, and is able to (can_absorb), absorbs the newcomer.
/// - If there is no such source, the newcomer absorbs all fainter earlier sources for which can_absorb() is true. A
///   later newcomer can absorb this source.
///
/// A source grows by each absorption: its flux and the wings of its profile. The steps therefore find absorbers twice.
/// The first time, sources do not grow. The second time, sources grow by what they absorbed the first time.
///
/// Only neighbours are compared, so the time is linear in the number of sources, unless many sources are so large that
/// each reaches most others.
struct SharedAbsorbers {
  SRCEXTRACT_STEP(take_place)
  SRCEXTRACT_STEP(enter)
  SRCEXTRACT_STEP(enter_cell)
  SRCEXTRACT_STEP(find_later)
  SRCEXTRACT_STEP(set_gain)
  SRCEXTRACT_STEP(add_gains)
  SRCEXTRACT_STEP(tell)

  /// `undecided` is the number whose bytes are all 0xfe, with which the buffer is filled.
  static constexpr std::int32_t undecided = -0x01010102, nobody = -1;
  /// If no cell of a layer has more profiles than this, the lanes (threads that process an item together) divide the
  /// rows of cells among them. If a cell has more, the lanes divide the profiles of each row.
  static constexpr std::uint32_t few = 8;

  /// The first source, in SExtractor's order, that absorbs a newcomer; the largest integer if there is none.
  struct Part {
    std::int32_t absorber = std::numeric_limits<std::int32_t>::max();

    SRCEXTRACT_HOST_DEVICE void join(const Part& other) {
      if (other.absorber < absorber) *this = other;
    }
  };

  const CleanCandidate* candidates;
  std::int64_t room;
  double beta;
  AbsorberCells cells;
  std::int32_t* source;   ///< per place in SExtractor's order: index of the source in `candidates`; -1: none
  CleanProfile* profile;  ///< per place in SExtractor's order, like `flux`, `absorber` and `later`
  double* flux;
  std::uint32_t* cell_begin;  ///< per cell: number of profiles; later index in `member` of its first profile
  std::uint32_t* cell_used;   ///< per cell: number of profiles stored in `member` so far
  std::uint32_t* most;        ///< per layer: number of profiles in its fullest cell
  std::int32_t* member;       ///< places of the profiles, cell by cell
  std::int32_t* absorber;     ///< place of the source that absorbs this source on arrival, `nobody` or `undecided`
  std::int64_t* later;        ///< place of the source that absorbs this source after its arrival; `room`: none does
  std::int32_t* result;       ///< per source: index of the source that it finally belongs to, or `nobody`
  Absorptions gains;          ///< absorptions that make sources grow
  bool grows;                 ///< whether sources grow: false the first time, true the second

  SRCEXTRACT_HOST_DEVICE void take_place(std::int64_t i) const {
    const std::int32_t place = candidates[i].place;
    if (place >= 0 && place < room) source[place] = static_cast<std::int32_t>(i);
  }

  SRCEXTRACT_HOST_DEVICE void enter(std::int64_t i) const {
    flux[i] = 0;
    if (source[i] < 0) {  // the buffers were too small for all sources
      profile[i].a = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    profile[i] = candidates[source[i]].profile;
    flux[i] = candidates[source[i]].flux;
    if (!can_be_found(profile[i])) return;
    const int layer = cells.layer_of(profile[i]);
    shared_raise(&most[layer], shared_add(&cell_begin[cells.cell_of(layer, profile[i])], 1u) + 1);
  }

  SRCEXTRACT_HOST_DEVICE void enter_cell(std::int64_t i) const {
    if (!can_be_found(profile[i])) return;
    const std::int64_t cell = cells.cell_of(cells.layer_of(profile[i]), profile[i]);
    member[cell_begin[cell] + shared_add(&cell_used[cell], 1u)] = static_cast<std::int32_t>(i);
  }

  /// Searches the share of lane `lane` of the earlier sources for the absorber of newcomer i.
  SRCEXTRACT_HOST_DEVICE Part part(std::int64_t i, int lane, int lanes) const {
    Part best;
    for_each_near(i, lane, lanes, [&](std::int32_t earlier) {
      if (earlier < i && earlier < best.absorber && absorbs_newcomer(earlier, i) && wait_for(earlier) == nobody &&
          first_after(earlier, i) >= i)
        best.absorber = earlier;
    });
    return best;
  }

  SRCEXTRACT_HOST_DEVICE void finish(std::int64_t i, const Part& best) const {
    shared_store(&absorber[i], best.absorber < std::numeric_limits<std::int32_t>::max() ? best.absorber : nobody);
  }

  SRCEXTRACT_HOST_DEVICE void find_later(std::int64_t i) const {
    later[i] = absorber[i] == nobody ? first_after(i, room) : room;
  }

  /// Sets the sort key of source i if the source was absorbed. The time is the arrival of the source or of its
  /// absorber, whichever is later.
  SRCEXTRACT_HOST_DEVICE void set_gain(std::int64_t i) const {
    const std::int64_t by = absorber[i] == nobody ? later[i] : absorber[i];
    if (by >= room) return;
    const std::int64_t time = by < i ? i : by;
    gains.key[i] = static_cast<std::uint64_t>(by) << 32U | static_cast<std::uint64_t>(time);
    gains.source[i] = static_cast<std::int32_t>(i);
    shared_add(&gains.begin[by], 1u);
  }
  SRCEXTRACT_HOST_DEVICE void add_gains(std::int64_t i) const {
    double light = 0;
    std::int64_t pixels = 0;
    for (std::uint32_t k = gains.begin[i]; k < gains.begin[i + 1]; ++k) {
      const CleanCandidate& absorbed = candidates[source[gains.source[k]]];
      gains.flux[k] = light += absorbed.flux;
      gains.npix[k] = pixels += absorbed.npix;
    }
  }

  /// Stores the final absorber, following absorbers that were absorbed themselves.
  SRCEXTRACT_HOST_DEVICE void tell(std::int64_t i) const {
    if (source[i] < 0) return;
    std::int64_t last = absorber[i] == nobody ? i : absorber[i];
    while (later[last] < room) last = later[last];
    result[source[i]] = last == i ? nobody : source[last];
  }

 private:
  /// Calls body(other) for the share of lane `lane` of the sources whose profile may reach source i.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_near(std::int64_t i, int lane, int lanes, const Body& body) const {
    const CleanProfile small = profile[i];
    if (!can_be_found(small)) return;
    int rows = 0;
    for (int layer = 0; layer < cells.layers(); ++layer) {
      const std::uint32_t fullest = most[layer];
      if (fullest == 0) continue;
      cells.for_each_row(layer, small, [&](std::int64_t first, std::int64_t end) {
        const bool is_shared = fullest > few;
        if (!is_shared && rows++ % lanes != lane) return;
        const int step = is_shared ? lanes : 1;
        for (std::int64_t k = cell_begin[first] + (is_shared ? lane : 0); k < cell_begin[end]; k += step)
          body(member[k]);
      });
    }
  }

  /// 1 + the index in `gains` of the last absorption by source i before `time`; 0 if there is none.
  SRCEXTRACT_HOST_DEVICE std::uint32_t gains_before(std::int64_t i, std::int64_t time) const {
    if (!grows) return 0;
    std::uint32_t low = gains.begin[i], high = gains.begin[i + 1];
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      const bool is_before = static_cast<std::uint32_t>(gains.key[middle]) < static_cast<std::uint64_t>(time);
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    return low > gains.begin[i] ? low : 0;
  }
  SRCEXTRACT_HOST_DEVICE double flux_at(std::int64_t i, std::int64_t time) const {
    const std::uint32_t last = gains_before(i, time);
    return last == 0 ? flux[i] : flux[i] + gains.flux[last - 1];
  }

  SRCEXTRACT_HOST_DEVICE bool absorbs_newcomer(std::int64_t earlier, std::int64_t i) const {
    const std::uint32_t last = gains_before(earlier, i);
    if (last == 0) return !(flux[i] > flux[earlier]) && can_absorb(profile[earlier], profile[i], beta);
    const double light = gains.flux[last - 1];
    return !(flux[i] > flux[earlier] + light) &&
           can_absorb(grown(candidates[source[earlier]], light, gains.npix[last - 1], beta), profile[i], beta);
  }

  /// The first source that arrives after `i` and before `end`, is not absorbed on arrival, and absorbs `i`; `end` if
  /// there is none.
  SRCEXTRACT_HOST_DEVICE std::int64_t first_after(std::int64_t i, std::int64_t end) const {
    std::int64_t first = end;
    for_each_near(i, 0, 1, [&](std::int32_t newcomer) {
      if (newcomer > i && newcomer < first && flux[newcomer] > flux[i] && flux[newcomer] > flux_at(i, newcomer) &&
          can_absorb(profile[newcomer], profile[i], beta) && wait_for(newcomer) == nobody)
        first = newcomer;
    });
    return first;
  }

  SRCEXTRACT_HOST_DEVICE std::int32_t wait_for(std::int32_t i) const {
    for (;;) {
      const std::int32_t decided = shared_load(&absorber[i]);
      if (decided != undecided) return decided;
    }
  }
};

/// Returns for each source the index of the source that finally contains it, or -1. `machine` executes the steps on
/// host or device (shared_steps.hpp).
template <class Where, class Machine>
Buffer<std::int32_t, Where> find_absorbers(const Buffer<CleanCandidate, Where>& candidates, const SharedCount& sources,
                                           const Shape& shape, double beta, const Machine& machine) {
  const std::int64_t room = candidates.size();
  constexpr int undecided = 0xfe;
  const AbsorberCells cells(shape);
  auto source = machine.template filled<std::int32_t>(room, 0xff);
  Buffer<CleanProfile, Where> profile(room, machine.where());
  Buffer<double, Where> flux(room, machine.where()), gain_flux(room, machine.where());
  auto begin = machine.template filled<std::uint32_t>(cells.cells() + 1, 0);
  auto used = machine.template filled<std::uint32_t>(cells.cells(), 0);
  auto most = machine.template filled<std::uint32_t>(AbsorberCells::most_layers, 0);
  Buffer<std::int32_t, Where> member(room, machine.where());
  auto at_first = machine.template filled<std::int32_t>(room, undecided);
  auto at_last = machine.template filled<std::int32_t>(room, undecided);
  Buffer<std::int64_t, Where> later(room, machine.where()), gain_npix(room, machine.where());
  auto result = machine.template filled<std::int32_t>(room, 0xff);
  auto gain_key = machine.template filled<std::uint64_t>(room, 0xff);
  auto gain_source = machine.template filled<std::int32_t>(room, 0xff);
  auto gain_begin = machine.template filled<std::uint32_t>(room + 1, 0);
  SharedAbsorbers absorbers{
      candidates.data(),
      room,
      beta,
      cells,
      source.data(),
      profile.data(),
      flux.data(),
      begin.data(),
      used.data(),
      most.data(),
      member.data(),
      at_first.data(),
      later.data(),
      result.data(),
      {gain_key.data(), gain_source.data(), gain_begin.data(), gain_flux.data(), gain_npix.data()},
      false};
  machine.template over<SharedAbsorbers::take_place_step>(sources, absorbers);
  machine.template over<SharedAbsorbers::enter_step>(sources, absorbers);
  machine.make_running_sums(begin, {nullptr, cells.cells()});
  machine.template over<SharedAbsorbers::enter_cell_step>(sources, absorbers);
  machine.in_order(sources, absorbers);
  machine.template over<SharedAbsorbers::find_later_step>(sources, absorbers);

  machine.template over<SharedAbsorbers::set_gain_step>(sources, absorbers);
  machine.make_running_sums(gain_begin, {nullptr, room});
  machine.sort(gain_key, gain_source, 64);
  absorbers.gains.key = gain_key.data();
  absorbers.gains.source = gain_source.data();
  machine.template over<SharedAbsorbers::add_gains_step>(sources, absorbers);

  absorbers.grows = true;
  absorbers.absorber = at_last.data();
  machine.in_order(sources, absorbers);
  machine.template over<SharedAbsorbers::find_later_step>(sources, absorbers);
  machine.template over<SharedAbsorbers::tell_step>(sources, absorbers);
  return result;
}

}  // namespace srcextract
