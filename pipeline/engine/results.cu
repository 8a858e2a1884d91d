#include "pipeline/engine/results.hpp"

#include <algorithm>
#include <new>

#include "pipeline/engine/summary_parts.hpp"

namespace srcextract {

namespace {

constexpr auto row_bytes = static_cast<std::int64_t>(sizeof(SourceSums));

/// Writes across the bus, since page-locked memory has the same address on both sides. Five copies would take longer.
__global__ void summarize_kernel(SummaryParts parts, ImageSummary* summary) {
  parts.write(summary);
}

Runs<Cpu> to_host(const Runs<Gpu>& runs, std::int64_t count, const Gpu& where) {
  return {runs.shape, to_host(runs.runs, count, where), to_host(runs.row_begin, where)};
}

SkyMesh<Cpu> to_host(const SkyMesh<Gpu>& mesh, const Gpu& where) {
  if (mesh.level.empty()) return {};
  return {mesh.grid, to_host(mesh.level, where), to_host(mesh.rms, where), to_host(mesh.level_bend, where),
          to_host(mesh.rms_bend, where)};
}

}  // namespace

Detection<Cpu> to_host(const ImageSummary& summary, const Detection<Gpu>& found, bool every_run, const Gpu& where) {
  Detection<Cpu> here;
  here.background = summary.background;
  here.whole = summary.whole;
  here.mesh = to_host(found.mesh, where);
  here.levels = summary.levels;
  here.components.counts = summary.counts;
  if (every_run) {
    here.runs = to_host(found.runs, summary.runs, where);
    here.components.label = to_host(found.components.label, summary.runs, where);
  }
  return here;
}

Detection<Cpu> sky_to_host(const Detection<Gpu>& found, const Gpu& where) {
  Detection<Cpu> here;
  here.background = fetch(found.background, where);
  here.mesh = to_host(found.mesh, where);
  here.whole = found.mesh.level.empty() ? here.background : fetch(found.whole, where);
  here.levels = fetch(found.levels, where);
  return here;
}

void leave_no_room(const ImageSummary& summary, Detection<Gpu>& found, const Gpu& where) {
  const auto cut = [&](auto& buffer, std::int64_t count) {
    if (count < buffer.size()) buffer = first_of(buffer, count, where);
  };
  for (auto* labels : {&found.components.label, &found.cleaned.own.label}) cut(*labels, summary.runs);
  for (auto* sums : {&found.sums, &found.cleaned.own_sums}) cut(*sums, summary.counts.kept);
  cut(found.runs.runs, summary.runs);
  cut(found.cleaned.eaten, summary.runs);
  cut(found.parentage, summary.counts.kept);
}

Detection<Cpu> all_to_host(const ImageSummary& summary, const Detection<Gpu>& found, const Gpu& where) {
  Detection<Cpu> here = to_host(summary, found, true, where);
  here.above = to_host(found.above, where);
  here.filled = {to_host(found.filled.image, where), to_host(found.filled.variance, where)};
  here.image = to_host(found.image, where);
  here.match = to_host(found.match, where);
  here.variance = to_host(found.variance, where);
  if (!found.thresholded.row_begin.empty()) here.thresholded = to_host(found.thresholded, summary.thresholded, where);
  if (!found.seeds.row_begin.empty()) here.seeds = to_host(found.seeds, summary.seeds, where);
  if (!found.analysed.row_begin.empty()) here.analysed = to_host(found.analysed, summary.analysed, where);
  if (!found.island_runs.row_begin.empty()) {
    here.island_runs = to_host(found.island_runs, summary.island_runs, where);
    here.islands.label = to_host(found.islands.label, summary.island_runs, where);
    here.islands.counts = summary.islands;
  }
  here.parentage = rows_to_host(found.parentage, summary, where);
  if (!found.cleaned.eaten.empty()) {
    here.cleaned.eaten = to_host(found.cleaned.eaten, summary.runs, where);
    here.cleaned.own.label = to_host(found.cleaned.own.label, summary.runs, where);
    here.cleaned.own.counts = summary.counts;
    here.cleaned.own_sums = rows_to_host(found.cleaned.own_sums, summary, where);
  }
  here.sums = rows_to_host(found.sums, summary, where);
  here.fluxes = rows_to_host(found.fluxes, summary, where);
  here.variances = rows_to_host(found.variances, summary, where);
  here.least_variance = rows_to_host(found.least_variance, summary, where);
  here.areas = rows_to_host(found.areas, summary, where);
  here.photometry = rows_to_host(found.photometry, summary, where);
  return here;
}

HostResults::HostResults() : summary_(sizeof(Summary)) {
  new (summary_.data()) Summary{};
}

const HostResults::Summary& HostResults::receive(const Pixels<Gpu>& pixels, const Detection<Gpu>& found,
                                                 const Gpu& where) {
  make_room();
  Summary& s = summary();
  summarize_kernel<<<1, 1, 0, where.stream>>>(SummaryParts(pixels, found), &s);
  check_launch();
  rows_here_ = std::min(rows_written_, room_);
  queue_copy_to_host(rows_.data(), reinterpret_cast<const std::byte*>(found.sums.data()), rows_here_ * row_bytes,
                     where);
  check(cudaStreamSynchronize(where.stream));
  rows_written_ = std::max(rows_written_, std::min(s.counts.kept, found.sums.size()));
  return s;
}

std::span<const SourceSums> HostResults::sums(const Detection<Gpu>& found, const Gpu& where) {
  const std::int64_t count = summary().counts.kept;
  if (count > room_) {
    // Page-locking memory for this many rows takes longer than an unlocked copy; it pays off for later images.
    wanted_room_ = count + count / 2;
    unforeseen_ = to_host(found.sums, count, where);
    return unforeseen_;
  }
  if (count > rows_here_) {
    copy_to_host(rows_.data() + rows_here_ * row_bytes,
                 reinterpret_cast<const std::byte*>(found.sums.data() + rows_here_), (count - rows_here_) * row_bytes,
                 where);
    rows_here_ = count;
  }
  return {reinterpret_cast<const SourceSums*>(rows_.data()), static_cast<std::size_t>(count)};
}

/// Page-locks memory for as many rows as an earlier image needed.
void HostResults::make_room() {
  unforeseen_ = {};
  if (wanted_room_ <= room_) return;
  room_ = 0;
  rows_ = PinnedBuffer(wanted_room_ * row_bytes);
  room_ = wanted_room_;
}

}  // namespace srcextract
