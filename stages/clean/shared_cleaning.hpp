#pragma once

#include <optional>
#include <utility>

#include "stages/clean/clean_sources.hpp"
#include "stages/clean/shared_absorbers.hpp"
#include "stages/clean/shared_limits.hpp"
#include "stages/clean/shared_survivors.hpp"

namespace srcextract {

/// Computes clean_sources() in steps that many threads execute together. `machine` executes the steps on host or device
/// (shared_steps.hpp).
template <class Where, class Machine, class Noise>
class SharedCleaning {
 public:
  /// `island_room` is the number of islands that buffers hold.
  SharedCleaning(const DeblendImages<Where>& images, const Uncleaned<Where>& sources, const Settings& config,
                 std::int64_t island_room, const Noise& noise, const Machine& machine)
      : images_(images),
        sources_(sources),
        config_(config),
        source_room_(sources.sums.size()),
        island_room_(sources.deblended() ? island_room : source_room_),
        noise_(noise),
        machine_(machine),
        all_sources_{&machine.pointer(sources.components.counts)->kept, source_room_},
        all_runs_(shared_count_of(sources.runs)),
        limits_(source_room_, machine.where()),
        candidates_(source_room_, machine.where()),
        states_(source_room_, machine.where()),
        last_run_(machine.template filled<std::int32_t>(island_room_, 0xff)),
        inside_(machine.template filled<std::int32_t>(island_room_, 0)),
        ended_(sources.island_runs.runs.size() + 1, machine.where()) {}

  Cleaned<Where> clean(std::int64_t kernel_rows) {
    if (config_.deblend.clean) find_limits();
    return clean_by_limits(kernel_rows);
  }
  /// Cleans with limits that the caller has computed.
  Cleaned<Where> clean(std::int64_t kernel_rows, Buffer<float, Where> limits) {
    limits_ = std::move(limits);
    return clean_by_limits(kernel_rows);
  }

 private:
  static constexpr int nobody = 0xff;  // sets every byte of a 32-bit index, which makes it -1

  template <class T>
  Buffer<T, Where> room_for(std::int64_t size) const {
    return Buffer<T, Where>(size, machine_.where());
  }

  Cleaned<Where> clean_by_limits(std::int64_t kernel_rows) {
    const SharedProfiles<Noise> profiles = make_profiles();
    machine_.template over<typename SharedProfiles<Noise>::find_last_step>(shared_count_of(sources_.island_runs),
                                                                           profiles);
    if (!config_.deblend.clean)
      return keep_survivors(profiles, machine_.template filled<std::int32_t>(source_room_, nobody).data(), kernel_rows);
    fill_profiles(profiles);
    const Buffer<std::int32_t, Where> absorbers =
        find_absorbers(candidates_, all_sources_, sources_.runs.shape, config_.deblend.clean_beta, machine_);
    return keep_survivors(profiles, absorbers.data(), kernel_rows);
  }

  void find_limits() {
    const std::int32_t reach = reach_of(config_.detection.connectivity);
    const std::int64_t min_area = config_.detection.min_area;
    std::optional<OrderMemory<Where>> cores;
    const OrderMemory<Where> islands(sources_.island_runs, sources_.islands, reach, machine_);
    if (sources_.deblended()) cores.emplace(sources_.cores.runs, sources_.cores.cores, reach, machine_);
    const bool by_heap = min_area > most_in_closed_form;
    const StretchMemory<Where> stretches(sources_, island_room_, all_sources_, islands.order(),
                                         cores ? &cores->order() : nullptr,
                                         by_heap ? 0 : static_cast<int>(min_area) + 1, machine_);
    auto heap_begin = room_for<std::uint32_t>(by_heap ? source_room_ + 1 : 0);
    auto heaps = room_for<float>(by_heap ? sources_.runs.shape.count() : 0);
    const SharedLimits<Noise> limits{stretches.stretches(),
                                     sources_.sums.data(),
                                     images_.found.pixels.data(),
                                     machine_.pointer(images_.levels),
                                     noise_,
                                     images_.noise.varies(),
                                     min_area,
                                     heap_begin.data(),
                                     heaps.data(),
                                     limits_.data()};
    if (by_heap) {
      machine_.template over<SharedHeaps::measure_step>(all_sources_,
                                                        SharedHeaps{sources_.sums.data(), min_area, heap_begin.data()});
      machine_.make_running_sums(heap_begin, all_sources_);
    }
    machine_.in_order(all_sources_, limits);
  }

  SharedProfiles<Noise> make_profiles() {
    return {sources_.runs.runs.data(),
            sources_.island_runs.runs.data(),
            sources_.components.label.data(),
            sources_.islands.label.data(),
            source_room_,
            island_room_,
            sources_.deblended() ? sources_.parentage.data() : nullptr,
            sources_.deblended() ? sources_.cores.place.data() : nullptr,
            sources_.sums.data(),
            images_.measured.pixels.data(),
            images_.measured.rows.get(),
            sources_.runs.shape,
            machine_.pointer(images_.levels),
            noise_,
            images_.noise.varies(),
            config_.deblend.clean_beta,
            config_.detection.max_area,
            states_.data(),
            last_run_.data(),
            inside_.data(),
            ended_.data(),
            limits_.data(),
            candidates_.data()};
  }

  /// Computes the candidates. The step find_last must be done.
  void fill_profiles(const SharedProfiles<Noise>& profiles) {
    using Profiles = SharedProfiles<Noise>;
    const SharedCount island_runs = shared_count_of(sources_.island_runs);
    machine_.template over<typename Profiles::clear_step>(all_sources_, profiles);
    machine_.template over<typename Profiles::count_inside_step>(all_sources_, profiles);
    machine_.template over<typename Profiles::count_ended_step>(island_runs, profiles);
    machine_.make_running_sums(ended_, island_runs);
    machine_.template over<typename Profiles::survey_step>(all_runs_, profiles);
    machine_.template over<typename Profiles::count_half_step>(all_runs_, profiles);
    machine_.template over<typename Profiles::fill_step>(all_sources_, profiles);
  }

  Cleaned<Where> keep_survivors(const SharedProfiles<Noise>& profiles, const std::int32_t* absorbers,
                                std::int64_t kernel_rows) {
    const std::int64_t runs = sources_.runs.runs.size();
    constexpr int later_than_any = 0x7f;  // sets every byte of a run's index
    auto first_run = machine_.template filled<std::int32_t>(source_room_, later_than_any);
    auto edge = machine_.template filled<std::uint32_t>(source_room_, 0);
    auto is_first = room_for<std::uint32_t>(runs + 1);
    Cleaned<Where> cleaned{{room_for<std::int32_t>(runs), Value<ComponentCounts, Where>(machine_.where())},
                           room_for<Absorbed>(runs),
                           {room_for<std::int32_t>(runs), Value<ComponentCounts, Where>(machine_.where())},
                           room_for<SourceSums>(source_room_),
                           room_for<Parentage>(source_room_)};
    using Survivors = SharedSurvivors<Noise>;
    const Survivors survivors{profiles,
                              absorbers,
                              kernel_rows,
                              first_run.data(),
                              edge.data(),
                              is_first.data(),
                              cleaned.components.label.data(),
                              cleaned.own.label.data(),
                              cleaned.absorbed.data(),
                              cleaned.own_sums.data(),
                              cleaned.parentage.data()};
    machine_.template over<typename Survivors::find_first_step>(all_runs_, survivors);
    machine_.template over<typename Survivors::mark_first_step>(all_runs_, survivors);
    machine_.make_running_sums(is_first, all_runs_);
    machine_.template over<typename Survivors::find_edge_step>(all_sources_, survivors);
    machine_.template over<typename Survivors::mark_absorbed_step>(all_runs_, survivors);
    machine_.template over<typename Survivors::keep_step>(all_sources_, survivors);
    machine_.template over<SharedSurvivorCount::tell_step>(
        {nullptr, 1},
        SharedSurvivorCount{machine_.pointer(sources_.components.counts), is_first.data(), all_runs_, source_room_,
                            machine_.pointer(cleaned.components.counts), machine_.pointer(cleaned.own.counts)});
    return cleaned;
  }

  const DeblendImages<Where>& images_;
  const Uncleaned<Where>& sources_;
  const Settings& config_;
  std::int64_t source_room_, island_room_;
  Noise noise_;
  const Machine& machine_;
  SharedCount all_sources_, all_runs_;
  Buffer<float, Where> limits_;
  Buffer<CleanCandidate, Where> candidates_;
  Buffer<SourceState, Where> states_;
  Buffer<std::int32_t, Where> last_run_, inside_;
  Buffer<std::uint32_t, Where> ended_;
};

}  // namespace srcextract
