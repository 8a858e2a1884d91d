#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/plan.hpp"
#include "stages/core/contract.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/photometry/photometry.hpp"

namespace srcextract {

/// Number of float32 images of the extracted image's shape that a step keeps in host and in GPU memory, in addition to
/// that image.
struct KeptImages {
  std::int64_t host = 0, device = 0;
};

/// Number of images of which a thread needs rows at the same time for a step, in addition to the image itself; null if
/// the step needs the whole image in memory.
using RowsAtOnce = std::optional<std::int64_t>;

/// The step cannot go by rows.
inline constexpr RowsAtOnce whole_image = std::nullopt;

/// A part of an extraction that says of itself what plans need to know:
/// - name: its name in times, log and run record; null: it is not timed, and its time counts for the next;
/// - used(plan): whether an extraction has this part;
/// - keeps(plan): the images that it keeps;
/// - rows(plan): whether the extraction can go by rows with it, and the rows that it needs.
template <class Part>
concept PlannedPart = requires(const Plan& plan) {
  { Part::name } -> std::convertible_to<const char*>;
  { Part::used(plan) } -> std::same_as<bool>;
  { Part::keeps(plan) } -> std::same_as<KeptImages>;
  { Part::rows(plan) } -> std::same_as<RowsAtOnce>;
};

/// What many parts say. A part names each of these that holds of it; none holds unsaid.
struct AlwaysUsed {
  static bool used(const Plan&) { return true; }
};
struct KeepsNothing {
  static KeptImages keeps(const Plan&) { return {}; }
};
template <std::int64_t images>
struct ByRows {
  static RowsAtOnce rows(const Plan&) { return images; }
};
struct InOnePiece {
  static RowsAtOnce rows(const Plan&) { return whole_image; }
};

/// What the steps of a detection work on. `Done`: the callbacks explained at detect_sources().
template <class Where_, class Done>
struct DetectionState {
  using Where = Where_;

  DetectionState(const Pixels<Where>& of, const Plan& for_image, Detection<Where>& into, const Where& here, Done& tell,
                 Image<float, Where>* last = nullptr)
      : pixels(of), plan(for_image), found(into), where(here), done(tell), last_read(last) {
    Plan::Known known{!of.variance.pixels.empty(), !of.noise.pixels.empty()};
    if constexpr (std::is_same_v<Where, Cpu>) known.on_demand = is_on_demand(of.image);
    plan.known = known;
  }

  const Config& config() const { return plan.config; }

  const Pixels<Where>& pixels;
  Plan plan;
  Detection<Where>& found;
  const Where& where;
  Done& done;
  Image<float, Where>* last_read;  ///< pixels.image, if steps may reuse its memory; else null
  Value<Background, Where> own_noise =
      {};  ///< sky and noise of the detection image, if thresholds are multiples of that noise
  Value<double, Where> match_noise = {};        ///< noise in the result of the matched filter; empty without it
  const FoundImage<Where>* found_in = nullptr;  ///< dual-image mode: the detection image; null in other modes
};

/// A step of the detection: a planned part with `run(state)`, which leaves its results in `state.found`. The steps
/// stand in one list, DetectionSteps, in the order in which they run.
template <class Step>
concept DetectionStep = PlannedPart<Step> && requires(DetectionState<Cpu, void (*)(const char*)>& state) {
  Step::run(state);
};

template <PlannedPart... Parts>
struct PartList {};

/// The parts of all lists, in order.
template <class... Lists>
struct Joined;
template <class... Parts>
struct Joined<PartList<Parts...>> {
  using type = PartList<Parts...>;
};
template <class... A, class... B, class... Lists>
struct Joined<PartList<A...>, PartList<B...>, Lists...> : Joined<PartList<A..., B...>, Lists...> {};
template <class... Lists>
using JoinedList = typename Joined<Lists...>::type;

/// Calls f.operator()<Part>() for each part of the list.
template <class... Parts, class F>
constexpr void for_each_part_of(PartList<Parts...>, F&& f) {
  (f.template operator()<Parts>(), ...);
}

/// Runs the steps of the list that the plan uses, and reports each by its name.
template <class... Steps, class S>
void run_steps(PartList<Steps...>, S& state) {
  static_assert((DetectionStep<Steps> && ...));
  const auto run = [&]<class Step>() {
    if (!Step::used(state.plan)) return;
    if constexpr (checks_contracts && Step::name != nullptr) latest_step = Step::name;
    Step::run(state);
    if constexpr (Step::name != nullptr) state.done(Step::name);
  };
  (run.template operator()<Steps>(), ...);
}

}  // namespace srcextract
