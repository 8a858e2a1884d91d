#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/deblend/pieces.hpp"
#include "stages/deblend/shared_cores.hpp"
#include "stages/deblend/shared_places.hpp"
#include "stages/deblend/shared_shares.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/measure/measure.hpp"
#include "tests/stages/deblend/host_steps.hpp"
#include "tests/support/fields.hpp"

namespace srcextract::testing {

inline Image<float, Cpu> image_of(const Field& field) {
  Image<float, Cpu> image(field.shape, Cpu{});
  std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
  return image;
}

/// The steps of deblending that a device takes, by threads of the host, several to a run: what is between them
/// (cutting, measuring, numbering) is done plainly here.
class SharedDeblending {
 public:
  struct Room {
    std::int64_t islands, cores;
  };

  SharedDeblending(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                   const Settings& config, const Cpu& where)
      : SharedDeblending(images, runs, components, config, where, {components.counts->kept, runs.shape.count()}) {}

  SharedDeblending(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                   const Settings& config, const Cpu& where, const Room& room)
      : images_(images),
        runs_(runs),
        components_(components),
        clean_(config.deblend.clean),
        where_(where),
        islands_(room.islands, where),
        level_(runs.shape.count(), where),
        parent_(runs.shape.count(), where),
        pixels_(runs.shape.count(), where),
        children_(runs.shape.count(), where),
        flux_(runs.shape.count(), where),
        state_(runs.shape.count(), where),
        cores_(room.cores, where),
        shapes_(room.cores, where),
        boxes_((room.cores + SharedShares::box_cores - 1) / SharedShares::box_cores, where),
        first_pixel_(first_pixels_of(runs)),
        island_levels_(static_cast<std::size_t>(room.islands * config.deblend.thresholds)),
        all_{images.found.pixels.data(),
             images.measured.pixels.data(),
             runs.shape,
             &*images.levels,
             runs.runs.data(),
             runs.runs.size(),
             runs.row_begin.data(),
             runs.row_begin.data() + runs.shape.height,
             first_pixel_.data(),
             components.label.data(),
             {reach_of(config.detection.connectivity), static_cast<int>(config.deblend.thresholds), branch_rule(config),
              !images.noise.varies()},
             room.islands,
             room.cores,
             islands_.data(),
             island_levels_.data(),
             level_.data(),
             parent_.data(),
             {flux_.data(), pixels_.data(), children_.data(), state_.data()},
             cores_.data(),
             shapes_.data(),
             &core_count_,
             &divided_count_} {}

  Deblended<Cpu> divide() {
    find_cores();
    if (clean_) places_ = find_places<Cpu>(all_, MeetingSteps(where_));
    const Buffer<SourceSums, Cpu> sums = measure_cores();
    share_out(sums);
    return number_sources(sums);
  }

 private:
  struct Noise {
    RowNoise* row;
    std::int64_t* at_row;
    float at(std::int64_t x, std::int64_t y) const {
      if (std::exchange(*at_row, y) != y) row->go_to(y);
      return row->at(x);
    }
  };
  static constexpr int lanes = 3;

  /// step(run, lane), each by whoever comes.
  template <class Step>
  void go_over_runs(const Step& step) {
    parallel_for(runs_.runs.size() * lanes, 7, where_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) step(i / lanes, static_cast<int>(i % lanes));
    });
  }
  template <class Step>
  void go_over_islands(const Step& step) {
    for (std::int64_t i = 0; i < islands_.size(); ++i) step(i);
  }

  void find_cores() {
    const SharedCores cores(all_);
    go_over_islands([&](std::int64_t island) { all_.clear(island); });
    go_over_runs([&](std::int64_t run, int lane) {
      RowNoise row(images_.noise, runs_.shape.width);
      std::int64_t at_row = -1;
      CarriedSum<std::int32_t> pixels;
      all_.survey(run, lane, lanes, Noise{&row, &at_row}, pixels);
    });
    go_over_islands([&](std::int64_t island) { all_.plan(island); });
    go_over_runs([&](std::int64_t run, int lane) { all_.plant(run, lane, lanes); });
    go_over_runs([&](std::int64_t run, int lane) { all_.join(run, lane, lanes); });
    go_over_runs([&](std::int64_t run, int lane) {
      SharedCores::Carried carried;
      cores.sum(run, lane, lanes, carried);
    });
    go_over_runs([&](std::int64_t run, int lane) { cores.judge(run, lane, lanes); });
    go_over_runs([&](std::int64_t run, int lane) { cores.count(run, lane, lanes); });
    go_over_islands([&](std::int64_t island) { cores.place(island); });
    go_over_runs([&](std::int64_t run, int lane) { cores.number(run, lane, lanes); });
    go_over_runs([&](std::int64_t run, int lane) { cores.own(run, lane, lanes); });
  }

  Buffer<SourceSums, Cpu> measure_cores() {
    std::vector<Run> pieces;
    std::vector<std::int32_t> owner;
    std::vector<std::int64_t> row_begin(static_cast<std::size_t>(runs_.shape.height) + 1, 0);
    for (std::int64_t i = 0; i < runs_.runs.size(); ++i)
      SharedShares(all_, nullptr).for_each_core_piece(i, [&](std::int32_t begin, std::int32_t end, std::int32_t core) {
        const std::int32_t y = runs_.runs[i].y;
        pieces.push_back({y, begin, end});
        ++row_begin[static_cast<std::size_t>(y) + 1];
        owner.push_back(core + 1);
      });
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    core_pixels_.cores = {copy(owner), {}};
    core_pixels_.cores.counts->kept = cores_there();
    core_pixels_.runs = {runs_.shape, copy(pieces), copy(row_begin)};
    return measure_sources(images_.found, core_pixels_.runs, core_pixels_.cores, images_.levels, MaskCounts{}, where_);
  }

  void share_out(const Buffer<SourceSums, Cpu>& sums) {
    const SharedShares shares(all_, boxes_.data());
    if (all_.rules.one_threshold) {
      go_over_runs([&](std::int64_t run, int lane) {
        CarriedSum<std::int32_t> above;
        shares.count_above(run, lane, lanes, above);
      });
      go_over_runs([&](std::int64_t run, int lane) {
        CarriedSum<std::int32_t> above;
        shares.count_above_half(run, lane, lanes, above);
      });
    }
    for (std::int64_t core = 0; core < cores_there(); ++core) shares.shape(core, sums.data());
    for (std::int64_t box = 0; box < shares.box_count(); ++box) shares.fill_box(box);
    go_over_runs([&](std::int64_t run, int lane) { shares.share(run, lane, lanes); });
  }

  Deblended<Cpu> number_sources(const Buffer<SourceSums, Cpu>& sums) {
    std::vector<Run> pieces;
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> row_begin(static_cast<std::size_t>(runs_.shape.height) + 1, 0);
    std::vector<std::int32_t> number(static_cast<std::size_t>(all_.island_room + all_.core_room), 0);
    std::vector<Parentage> parentage;
    for (std::int64_t i = 0; i < runs_.runs.size(); ++i)
      SharedShares(all_, nullptr)
          .for_each_source_piece(i, [&](std::int32_t begin, std::int32_t end, std::int32_t source) {
            const std::int32_t y = runs_.runs[i].y;
            pieces.push_back({y, begin, end});
            ++row_begin[static_cast<std::size_t>(y) + 1];
            label.push_back(source < 0 ? 0 : number[static_cast<std::size_t>(source)]);
            if (source < 0 || label.back() > 0) return;
            const std::int64_t core = source - all_.island_room;
            parentage.push_back(core < 0
                                    ? parentage_of_whole(source + 1)
                                    : parentage_of(cores_[core].island + 1, sums[core], shapes_[core], all_.shape));
            label.back() = number[static_cast<std::size_t>(source)] = static_cast<std::int32_t>(parentage.size());
          });
    std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
    Components<Cpu> components{copy(label), {}};
    *components.counts = {components_.counts->kept - divided_count_ + core_count_, components_.counts->found};
    if (clean_) number_cores(number, std::ssize(parentage));
    return {{runs_.shape, copy(pieces), copy(row_begin)},
            std::move(components),
            copy(parentage),
            clean_ ? std::move(core_pixels_) : CorePixels<Cpu>{}};
  }

  /// `number` is that of every owner: islands, and then cores.
  void number_cores(const std::vector<std::int32_t>& number, std::int64_t sources) {
    const auto number_of = [&](std::int64_t core) { return number[static_cast<std::size_t>(all_.island_room + core)]; };
    core_pixels_.place = MeetingSteps(where_).filled<std::int32_t>(sources, 0);
    for (std::int64_t core = 0; core < cores_there(); ++core) core_pixels_.place[number_of(core) - 1] = places_[core];
    for (std::int32_t& label : core_pixels_.cores.label) label = number_of(label - 1);
  }

  static std::vector<std::uint32_t> first_pixels_of(const Runs<Cpu>& runs) {
    std::vector<std::uint32_t> first;
    std::uint32_t pixels = 0;
    for (const Run& run : runs.runs) {
      first.push_back(pixels);
      pixels += static_cast<std::uint32_t>(run.end - run.begin);
    }
    return first;
  }

  std::int64_t cores_there() const { return std::min<std::int64_t>(core_count_, all_.core_room); }

  template <class T>
  Buffer<T, Cpu> copy(const std::vector<T>& values) const {
    Buffer<T, Cpu> buffer(std::ssize(values), where_);
    std::copy(values.begin(), values.end(), buffer.begin());
    return buffer;
  }

  const DeblendImages<Cpu>& images_;
  const Runs<Cpu>& runs_;
  const Components<Cpu>& components_;
  bool clean_;
  Cpu where_;
  CorePixels<Cpu> core_pixels_;
  Buffer<std::int32_t, Cpu> places_;
  Buffer<IslandState, Cpu> islands_;
  Buffer<std::uint8_t, Cpu> level_;
  Buffer<std::int32_t, Cpu> parent_, pixels_, children_;
  Buffer<std::int64_t, Cpu> flux_;
  Buffer<std::uint32_t, Cpu> state_;
  Buffer<CoreState, Cpu> cores_;
  Buffer<CoreShape, Cpu> shapes_;
  Buffer<CoreBox, Cpu> boxes_;
  std::vector<std::uint32_t> first_pixel_;
  std::vector<float> island_levels_;
  std::int32_t core_count_ = 0, divided_count_ = 0;
  SharedIslands all_;
};

}  // namespace srcextract::testing
