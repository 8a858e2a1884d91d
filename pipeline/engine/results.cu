#include "pipeline/engine/results.hpp"

#include <algorithm>
#include <new>

namespace srcextract {

namespace {

constexpr auto row_bytes = static_cast<std::int64_t>(sizeof(SourceSums));

/// Addresses of the parts of a summary in device memory.
struct SummaryParts {
  const Background *background, *whole;
  const Levels* levels;
  const MaskCounts* masked;
  const std::int64_t* run_counts[run_parts];
  const ComponentCounts* component_counts[component_parts];
};

SummaryParts parts_of_summary(const Pixels<Gpu>& pixels, const Detection<Gpu>& found) {
  const Value<Background, Gpu>& whole = found.mesh.level.empty() ? found.background : found.whole;
  SummaryParts parts{found.background.data(), whole.data(), found.levels.data(), pixels.masked.data(), {}, {}};
  int runs = 0, components = 0;
  const auto add = [&](auto part, const auto& one) {
    if constexpr (part.kind == PartKind::runs) {
      const Runs<Gpu>& there = is_there(one) ? one : found.runs;
      parts.run_counts[runs++] = there.row_begin.data() + there.shape.height;
    } else if constexpr (part.kind == PartKind::components) {
      parts.component_counts[components++] = (is_there(one) ? one : found.components).counts.data();
    }
  };
  for_each_part(add, found);
  return parts;
}

/// Copies the parts of a summary to page-locked host memory, which kernels can write. One kernel is faster than a copy
/// for each part.
__global__ void summarize_kernel(SummaryParts parts, ImageSummary* summary) {
  summary->background = *parts.background;
  summary->whole = *parts.whole;
  summary->levels = *parts.levels;
  summary->masked = *parts.masked;
  for (int i = 0; i < run_parts; ++i) summary->run_counts[i] = *parts.run_counts[i];
  for (int i = 0; i < component_parts; ++i) summary->component_counts[i] = *parts.component_counts[i];
}

Runs<Cpu> to_host(const Runs<Gpu>& runs, std::int64_t count, const Gpu& where) {
  return {runs.shape, to_host(runs.runs, count, where), to_host(runs.row_begin, where)};
}

Interpolated<Cpu> to_host(const Interpolated<Gpu>& filled, const Gpu& where) {
  return {to_host(filled.image, where), to_host(filled.variance, where)};
}

SkyMesh<Cpu> to_host(const SkyMesh<Gpu>& mesh, const Gpu& where) {
  if (mesh.level.empty()) return {};
  return mesh_of_copies<Cpu>(mesh, [&](const Buffer<float, Gpu>& of) { return to_host(of, where); });
}

}  // namespace

Detection<Cpu> to_host(const ImageSummary& summary, const Detection<Gpu>& found, bool every_run, const Gpu& where) {
  Detection<Cpu> here;
  here.background = summary.background;
  here.whole = summary.whole;
  here.mesh = to_host(found.mesh, where);
  here.filtered = to_host(found.filtered, where);
  here.levels = summary.levels;
  here.components.counts = summary.counts();
  if (every_run) {
    here.runs = to_host(found.runs, summary.runs(), where);
    here.components.label = to_host(found.components.label, summary.runs(), where);
  }
  return here;
}

Detection<Cpu> sky_to_host(const Detection<Gpu>& found, const Gpu& where) {
  Detection<Cpu> here;
  here.background = fetch(found.background, where);
  here.mesh = to_host(found.mesh, where);
  here.filtered = to_host(found.filtered, where);
  here.whole = found.mesh.level.empty() ? here.background : fetch(found.whole, where);
  here.levels = fetch(found.levels, where);
  return here;
}

void leave_no_room(const ImageSummary& summary, Detection<Gpu>& found, const Gpu& where) {
  const auto cut = [&](auto& buffer, std::int64_t count) {
    if (count < buffer.size()) buffer = first_of(buffer, count, where);
  };
  const auto cut_part = [&](auto part, auto& one) {
    if constexpr (part.elsewhere == Elsewhere::copied) {
      if constexpr (part.kind == PartKind::runs) cut(one.runs, summary.runs());
      if constexpr (part.kind == PartKind::components) cut(one.label, summary.runs());
      if constexpr (part.kind == PartKind::rows) cut(one, summary.sources());
      if constexpr (part.kind == PartKind::cleaned) {
        cut(one.absorbed, summary.runs());
        cut(one.own.label, summary.runs());
        cut(one.own_sums, summary.sources());
      }
    }
  };
  for_each_part(cut_part, found);
}

void runs_to_host(const ImageSummary& summary, const Detection<Gpu>& found, Detection<Cpu>& here, const Gpu& where) {
  const std::int64_t* count = summary.run_counts;
  const auto bring = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.kind == PartKind::runs) {
      if (is_there(from)) to = to_host(from, *count, where);
      ++count;
    }
  };
  for_each_part(bring, found, here);
}

Detection<Cpu> all_to_host(const ImageSummary& summary, const Detection<Gpu>& found, const Gpu& where) {
  Detection<Cpu> here = to_host(summary, found, false, where);
  runs_to_host(summary, found, here, where);
  int runs = 0, components = 0;
  const auto bring = [&](auto part, const auto& from, auto& to) {
    if constexpr (part.kind == PartKind::runs) {
      ++runs;
    } else if constexpr (part.kind == PartKind::components) {
      if (is_there(from))  // the runs to which these labels belong are the part before
        to = {to_host(from.label, summary.run_counts[runs - 1], where), summary.component_counts[components]};
      ++components;
    } else if constexpr (part.kind == PartKind::cleaned) {
      if (!is_there(from)) return;
      to.absorbed = to_host(from.absorbed, summary.runs(), where);
      to.own = {to_host(from.own.label, summary.runs(), where), summary.counts()};
      to.own_sums = to_host(from.own_sums, summary.sources(), where);
    } else if constexpr (part.kind == PartKind::rows || part.kind == PartKind::families) {
      to = rows_to_host(from, summary.sources(), where);
    } else if constexpr (part.kind == PartKind::image) {
      to = to_host(from, where);
    }
  };
  for_each_part(bring, found, here);
  return here;
}

HostResults::HostResults() : summary_(sizeof(Summary)) {
  new (summary_.data()) Summary{};
}

const HostResults::Summary& HostResults::receive(const Pixels<Gpu>& pixels, const Detection<Gpu>& found,
                                                 const Gpu& where) {
  make_room();
  Summary& s = summary();
  summarize_kernel<<<1, 1, 0, where.stream>>>(parts_of_summary(pixels, found), &s);
  check_launch();
  rows_here_ = std::min(rows_written_, room_);
  queue_copy_to_host(rows_.data(), reinterpret_cast<const std::byte*>(found.sums.data()), rows_here_ * row_bytes,
                     where);
  check(cudaStreamSynchronize(where.stream));
  rows_written_ = std::max(rows_written_, std::min(s.sources(), found.sums.size()));
  return s;
}

std::span<const SourceSums> HostResults::sums(const Detection<Gpu>& found, const Gpu& where) {
  const std::int64_t count = summary().sources();
  if (count > room_) {
    // Page-locking memory for this many rows takes longer than a copy to normal memory. So page-locked memory is
    // enlarged only for the next image.
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

/// Enlarges the page-locked memory if an earlier image had more sources than fit, to 1.5 times the number of that
/// image's sources. Frees `unforeseen_`.
void HostResults::make_room() {
  unforeseen_ = {};
  if (wanted_room_ <= room_) return;
  room_ = 0;
  rows_ = PinnedBuffer(wanted_room_ * row_bytes);
  room_ = wanted_room_;
}

}  // namespace srcextract
