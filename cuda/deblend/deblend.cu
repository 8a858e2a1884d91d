#include "stages/deblend/deblend.hpp"

#include <limits>
#include <string>
#include <utility>

#include "cuda/deblend/cut_runs.hpp"
#include "cuda/deblend/device_steps.hpp"
#include "cuda/deblend/steps.hpp"
#include "stages/core/error.hpp"
#include "stages/deblend/shared_places.hpp"

namespace srcextract {

namespace {

__global__ void clear_kernel(const __grid_constant__ SharedIslands all, ItemCount islands) {
  const std::int64_t count = islands();
  if (thread_index() == 0) *all.core_count = *all.divided_count = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) all.clear(i);
}

__global__ void plan_kernel(const __grid_constant__ SharedIslands all, ItemCount islands) {
  const std::int64_t count = islands();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) all.plan(i);
}

__global__ void place_kernel(const __grid_constant__ SharedIslands all, ItemCount islands) {
  const std::int64_t count = islands();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) SharedCores(all).place(i);
}

__global__ void count_cores_kernel(const std::int32_t* core_count, ComponentCounts* counts) {
  *counts = {*core_count, *core_count};
}

__global__ void shape_kernel(const __grid_constant__ SharedIslands all, const SourceSums* sums) {
  const SharedShares shares(all, nullptr);
  const std::int64_t count = min(static_cast<std::int64_t>(*all.core_count), all.core_room);
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) shares.shape(i, sums);
}

__global__ void box_kernel(const __grid_constant__ SharedIslands all, CoreBox* boxes) {
  const SharedShares shares(all, boxes);
  const std::int64_t count = shares.box_count();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) shares.fill_box(i);
}

/// Finds the first piece of every source; pieces are runs of consecutive pixels of a row, cut where the source changes.
__global__ void first_piece_kernel(ItemCount pieces, const std::int32_t* source, std::int32_t* first) {
  const std::int64_t count = pieces();
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    if (source[i] >= 0) shared_lower(&first[source[i]], static_cast<std::int32_t>(i));
}

__global__ void mark_first_kernel(ItemCount pieces, const std::int32_t* source, const std::int32_t* first,
                                  std::uint32_t* is_first) {
  const std::int64_t count = pieces();
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    is_first[i] = source[i] >= 0 && first[source[i]] == i ? 1 : 0;
}

/// Replaces the owner of each piece in `label` by a source number. Sources are numbered in the order of their first
/// pieces; before[i] is the number of sources whose first piece precedes piece i.
__global__ void number_kernel(const __grid_constant__ SharedIslands all, ItemCount pieces, std::int32_t* label,
                              const std::int32_t* first, const std::uint32_t* before, const SourceSums* sums,
                              Parentage* parentage, std::int64_t room) {
  const std::int64_t count = pieces();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::int32_t source = label[i];
    if (source < 0) {
      label[i] = 0;
      continue;
    }
    const std::uint32_t number = before[first[source]];
    label[i] = static_cast<std::int32_t>(number) + 1;
    if (first[source] != i || number >= room) continue;
    const std::int64_t core = source - all.island_room;
    parentage[number] = core < 0 ? parentage_of_whole(source + 1)
                                 : parentage_of(all.cores[core].island + 1, sums[core], all.shapes[core], all.shape);
  }
}

/// If the runs together have more pixels than `pixel_room`, drops all runs, and sets `needed` to a number of runs. A
/// Capacity for that many runs has enough room for the pixels, and more room than `piece_room` (Capacity::with_pixels).
/// Else sets `needed` to 0.
__global__ void check_room_kernel(const std::uint32_t* first_pixel, ItemCount runs, std::int64_t pixel_room,
                                  std::int64_t piece_room, std::int64_t* run_total, std::int64_t* needed) {
  const std::int64_t pixels = first_pixel[runs()];
  *run_total = pixels <= pixel_room ? *runs.count : 0;
  *needed = pixels <= pixel_room ? 0 : max(pixels / Capacity::pixels_per_run, piece_room) + 1;
}

/// Fills the unused end of the list of pieces with empty runs of no source. Needed only if the buffers were too small
/// for all pieces of cores or for all pixels: finish_kernel then stores a number of runs that exceeds the valid
/// elements of the list. Cores with holes are cut into more pieces than sources.
__global__ void fill_kernel(ItemCount core_runs, ItemCount pieces, const std::int64_t* needed, Run* runs,
                            std::int32_t* label) {
  if (*core_runs.count <= core_runs.room && *needed == 0) return;
  for (std::int64_t i = pieces() + thread_index(); i < pieces.room; i += thread_total()) {
    runs[i] = {};
    label[i] = 0;
  }
}

/// Stores in `counts` the numbers of sources and of components found, and in `pieces` the number of runs that the
/// buffers must hold.
__global__ void finish_kernel(const __grid_constant__ SharedIslands all, const ComponentCounts* islands,
                              ItemCount core_runs, const std::int64_t* needed, std::int64_t* pieces,
                              ComponentCounts* counts) {
  if (*core_runs.count > core_runs.room) *pieces = max(*pieces, *core_runs.count);
  *pieces = max(*pieces, *needed);
  *counts = {islands->kept - *all.divided_count + *all.core_count, islands->found};
}

__global__ void run_length_kernel(const Run* runs, ItemCount items, std::uint32_t* length) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    length[i] = static_cast<std::uint32_t>(runs[i].end - runs[i].begin);
}

/// Returns, for each run, the number of pixels in all earlier runs.
Buffer<std::uint32_t, Gpu> number_pixels(const Runs<Gpu>& runs, const Gpu& where) {
  const ItemCount items = items_of(runs);
  Buffer<std::uint32_t, Gpu> first(items.room + 1, where);
  run_length_kernel<<<grid_for(items.room, where), block_threads, 0, where.stream>>>(runs.runs.data(), items,
                                                                                     first.data());
  check_launch();
  make_running_sums(first, items, where);
  return first;
}

/// The memory of SharedIslands: 25 bytes per pixel of an island, and further memory per island and per core. An island
/// is a set of connected pixels above the threshold; a core is a peak that becomes a source.
struct IslandMemory {
  IslandMemory(std::int64_t pixel_room, std::int64_t island_room, int thresholds, std::int64_t core_room,
               const Gpu& where)
      : islands(island_room, where),
        island_levels(island_room * thresholds, where),
        level(pixel_room, where),
        parent(pixel_room, where),
        flux(pixel_room, where),
        pixels(pixel_room, where),
        children(pixel_room, where),
        state(pixel_room, where),
        cores(core_room, where),
        shapes(core_room, where),
        boxes((core_room + SharedShares::box_cores - 1) / SharedShares::box_cores, where),
        core_count(where),
        divided_count(where) {}

  Buffer<IslandState, Gpu> islands;
  Buffer<float, Gpu> island_levels;
  Buffer<std::uint8_t, Gpu> level;
  Buffer<std::int32_t, Gpu> parent;
  Buffer<std::int64_t, Gpu> flux;
  Buffer<std::int32_t, Gpu> pixels, children;
  Buffer<std::uint32_t, Gpu> state;
  Buffer<CoreState, Gpu> cores;
  Buffer<CoreShape, Gpu> shapes;
  Buffer<CoreBox, Gpu> boxes;
  Value<std::int32_t, Gpu> core_count, divided_count;
};

/// Numbers of islands, of their pixels, of pieces of runs, and of cores that the buffers hold.
struct Rooms {
  std::int64_t islands;
  std::int64_t pixels;
  std::int64_t pieces;  ///< pieces of runs, which are cut where the source changes
  std::int64_t cores;   ///< largest number of sources that measure_sources() measures in `pieces` runs

  Rooms(const Runs<Gpu>& runs, const Capacity& capacity)
      : islands(Capacity::within(capacity.sources, runs.runs.size())),
        pixels(Capacity::within(capacity.pixels, runs.shape.count())),
        pieces(capacity.runs > 0 ? capacity.runs : runs.shape.count()),
        cores(Capacity::within(capacity.sources, pieces)) {}
};

void find_cores(const SharedIslands& all, const NoiseMap<Gpu>& noise, const ItemCount& islands, const Gpu& where) {
  const unsigned int blocks = grid_for(islands.room, where);
  clear_kernel<<<blocks, block_threads, 0, where.stream>>>(all, islands);
  check_launch();
  {
    const NoiseRows rows(noise, where);
    go_over_runs(SurveyStep{all, rows.pixels()}, where);
  }
  plan_kernel<<<blocks, block_threads, 0, where.stream>>>(all, islands);
  check_launch();
  go_over_runs(PlantStep{all}, where);
  go_over_runs(JoinStep{all}, where);
  go_over_runs(SumStep{all}, where);
  go_over_runs(JudgeStep{all}, where);
  go_over_runs(CountCoresStep{all}, where);
  place_kernel<<<blocks, block_threads, 0, where.stream>>>(all, islands);
  check_launch();
  go_over_runs(NumberStep{all}, where);
  go_over_runs(OwnStep{all}, where);
}

/// Returns the sums over the pixels of each core, in the image in which sources were found.
Buffer<SourceSums, Gpu> measure_cores(const DeblendImages<Gpu>& images, const SharedIslands& all, CutRuns& cut,
                                      const Gpu& where) {
  Components<Gpu> cores{std::move(cut.owner), Value<ComponentCounts, Gpu>(where)};
  count_cores_kernel<<<1, 1, 0, where.stream>>>(all.core_count, cores.counts.data());
  check_launch();
  const auto none = zeroed<MaskCounts>(where);
  Buffer<SourceSums, Gpu> sums = measure_sources(images.found, cut.runs, cores, images.levels, none, where);
  cut.owner = std::move(cores.label);
  return sums;
}

/// Fits Gaussians to all cores, and assigns every pixel of a split island to a core.
void share_out(const SharedIslands& all, const SourceSums* sums, CoreBox* boxes, const Gpu& where) {
  if (all.rules.one_threshold) {
    go_over_runs(CountAboveStep{all}, where);
    go_over_runs(CountAboveHalfStep{all}, where);
  }
  shape_kernel<<<grid_for(all.core_room, where), block_threads, 0, where.stream>>>(all, sums);
  check_launch();
  box_kernel<<<grid_for(all.core_room / SharedShares::box_cores + 1, where), block_threads, 0, where.stream>>>(all,
                                                                                                               boxes);
  check_launch();
  go_over_runs(ShareStep{all, boxes}, where);
}

/// Sets the source number of each core. owners.first and owners.before must hold the first piece of every owner, and
/// for each piece the number of sources that begin before the piece.
CorePixels<Gpu> number_cores(const SharedIslands& all, CutRuns& cores, const Buffer<std::int32_t, Gpu>& places,
                             SharedCoreNumbers owners, const Gpu& where) {
  const DeviceSteps steps(where);
  CorePixels<Gpu> numbered;
  numbered.place = steps.filled<std::int32_t>(all.core_room, 0);
  owners.owner_place = places.data();
  owners.label = cores.owner.data();
  owners.place = numbered.place.data();
  const ItemCount runs = items_of(cores.runs);
  steps.over<SharedCoreNumbers::number_step>({runs.count, runs.room}, owners);
  Value<ComponentCounts, Gpu> counts(where);
  count_cores_kernel<<<1, 1, 0, where.stream>>>(all.core_count, counts.data());
  check_launch();
  const SharedCount all_cores{&counts.data()->kept, all.core_room};
  steps.over<SharedCoreNumbers::set_place_step>(all_cores, owners);
  numbered.runs = std::move(cores.runs);
  numbered.cores = {std::move(cores.owner), std::move(counts)};
  return numbered;
}

/// Numbers the sources. On entry, `label` holds the owner of each piece; on return, its source number. Calls
/// then(owners), where `owners` holds the data that relate owners to source numbers.
template <class Then>
Buffer<Parentage, Gpu> number_sources(const SharedIslands& all, const ItemCount& pieces, std::int32_t* label,
                                      const SourceSums* sums, const Gpu& where, const Then& then) {
  const unsigned int blocks = grid_for(pieces.room, where);
  constexpr int later_than_any = 0x7f;  // the byte 0x7f repeated is an index larger than that of any piece
  auto first = filled<std::int32_t>(all.island_room + all.core_room, later_than_any, where);
  Buffer<std::uint32_t, Gpu> before(pieces.room + 1, where);
  // If the buffers cannot hold all pieces, some sources have no piece. The parentage of these sources stays 0.
  auto parentage = filled<Parentage>(all.core_room, 0, where);
  first_piece_kernel<<<blocks, block_threads, 0, where.stream>>>(pieces, label, first.data());
  check_launch();
  mark_first_kernel<<<blocks, block_threads, 0, where.stream>>>(pieces, label, first.data(), before.data());
  check_launch();
  make_running_sums(before, pieces, where);
  number_kernel<<<blocks, block_threads, 0, where.stream>>>(all, pieces, label, first.data(), before.data(), sums,
                                                            parentage.data(), parentage.size());
  check_launch();
  then(SharedCoreNumbers{all.island_room, all.core_room, first.data(), before.data(), nullptr, all.core_room,
                         pieces.room, nullptr, nullptr});
  return parentage;
}

void check_pixel_count(const Shape& shape) {
  if (shape.count() <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(ErrorKind::device, "a GPU deblends images of less than 2^31 pixels, and this one has " +
                                     std::to_string(shape.count()) +
                                     "; use --backend cpu, or set deblend.method to none");
}

}  // namespace

Deblended<Gpu> deblend_sources(const DeblendImages<Gpu>& images, const Runs<Gpu>& runs,
                               const Components<Gpu>& components, const Settings& config, const Gpu& where) {
  check_pixel_count(runs.shape);
  const Rooms rooms(runs, where.capacity);
  const auto thresholds = static_cast<int>(config.deblend.thresholds);
  IslandMemory memory(rooms.pixels, rooms.islands, thresholds, rooms.cores, where);
  const Buffer<std::uint32_t, Gpu> first_pixel = number_pixels(runs, where);
  Value<std::int64_t, Gpu> run_total(where), needed(where);
  check_room_kernel<<<1, 1, 0, where.stream>>>(first_pixel.data(), items_of(runs), rooms.pixels, rooms.pieces,
                                               run_total.data(), needed.data());
  check_launch();
  const SharedIslands all{
      images.found.pixels.data(),
      images.measured.pixels.data(),
      runs.shape,
      images.levels.data(),
      runs.runs.data(),
      runs.runs.size(),
      runs.row_begin.data(),
      run_total.data(),
      first_pixel.data(),
      components.label.data(),
      {reach_of(config.detection.connectivity), thresholds, branch_rule(config), !images.noise.varies()},
      rooms.islands,
      rooms.cores,
      memory.islands.data(),
      memory.island_levels.data(),
      memory.level.data(),
      memory.parent.data(),
      {memory.flux.data(), memory.pixels.data(), memory.children.data(), memory.state.data()},
      memory.cores.data(),
      memory.shapes.data(),
      memory.core_count.data(),
      memory.divided_count.data()};
  find_cores(all, images.noise, {&components.counts.data()->kept, rooms.islands}, where);
  const bool clean = config.deblend.clean;
  const Buffer<std::int32_t, Gpu> places =
      clean ? find_places<Gpu>(all, DeviceSteps(where)) : Buffer<std::int32_t, Gpu>();
  CutRuns cores = cut_at_owners(CorePieces{all}, rooms.pieces, where);
  const Buffer<SourceSums, Gpu> sums = measure_cores(images, all, cores, where);
  share_out(all, sums.data(), memory.boxes.data(), where);
  CutRuns sources = cut_at_owners(SourcePieces{all}, rooms.pieces, where);
  CorePixels<Gpu> core_pixels;
  const ItemCount core_runs = items_of(cores.runs);
  Buffer<Parentage, Gpu> parentage = number_sources(all, items_of(sources.runs), sources.owner.data(), sums.data(),
                                                    where, [&](const SharedCoreNumbers& owners) {
                                                      if (clean)
                                                        core_pixels = number_cores(all, cores, places, owners, where);
                                                    });

  Value<ComponentCounts, Gpu> counts(where);
  fill_kernel<<<grid_for(rooms.pieces, where), block_threads, 0, where.stream>>>(
      core_runs, items_of(sources.runs), needed.data(), sources.runs.runs.data(), sources.owner.data());
  check_launch();
  finish_kernel<<<1, 1, 0, where.stream>>>(all, components.counts.data(), core_runs, needed.data(),
                                           sources.runs.row_begin.data() + runs.shape.height, counts.data());
  check_launch();
  return {std::move(sources.runs),
          {std::move(sources.owner), std::move(counts)},
          std::move(parentage),
          std::move(core_pixels)};
}

}  // namespace srcextract
