#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/chain/detect_sources.hpp"
#include "python/core/stages/stages.hpp"
#include "python/core/view_of.hpp"
#include "stages/core/error.hpp"
#include "stages/detect/label_image.hpp"

/// Functions that convert results held by Python objects to the form that the steps of an extraction require.
namespace srcextract::python {

/// Copies a host value to the memory of the back end, host or device.
template <class T>
Value<T, Cpu> value_at(const T& value, const Cpu&) {
  return value;
}
template <class T>
Value<T, Gpu> value_at(const T& value, const Gpu& where);

/// Reduces the memory of runs to the runs in use, since the stage that made the runs may have allocated more.
inline void leave_no_room(Runs<Cpu>&, const Cpu&) {}
void leave_no_room(Runs<Gpu>& runs, const Gpu& where);

/// Divides the sources of labels that the caller made without label() into connected parts, as label() would.
inline Components<Cpu> islands_of(const Runs<Cpu>& runs, const Components<Cpu>& components,
                                  const DetectionConfig& config, const Cpu& where) {
  return in_one_piece(runs, components.label, config.connectivity, where);
}
Components<Gpu> islands_of(const Runs<Gpu>& runs, const Components<Gpu>& components, const DetectionConfig& config,
                           const Gpu& where);

template <class Where>
SkyMesh<Where> copy_of_mesh(const SkyMesh<Where>& mesh, const Where& where) {
  return mesh_of_copies<Where>(mesh, [&](const Buffer<float, Where>& of) { return copy_of(of, where); });
}

/// A sky, and whether the sky was already subtracted from the image. If so, the level of the sky in that image is 0.
template <class Where>
struct SkyOf {
  const HeldSky<Where>& sky;
  bool subtracted;

  bool of_mesh() const { return !sky.mesh.level.empty(); }
  /// Statistics of the sky in the image that later stages use.
  const Value<Background, Where>& background() const { return subtracted || of_mesh() ? sky.above : sky.whole; }
};

template <class Where>
void require_shape(const HeldImage<Where>& image, const HeldSky<Where>& sky) {
  if (image.pixels.image.shape == sky.shape) return;
  throw Error(ErrorKind::input, "the image and its background are of different shapes");
}

/// Makes a detection with the sky of the image as BackgroundSteps leave it; for a mesh that is not yet subtracted,
/// also with the image minus the mesh. `found_in` is the image in which sources are found; null: `image` itself. The
/// images must outlive the result.
template <class Where>
Detection<Where> detection_of(const HeldImage<Where>& image, const SkyOf<Where>& sky, const HeldImage<Where>* found_in,
                              const Where& where) {
  const bool subtracts = sky.of_mesh() && !sky.subtracted;
  require_shape(image, sky.sky);
  Detection<Where> found;
  found.background = copy_of(sky.background(), where);
  found.whole = copy_of(sky.sky.whole, where);
  found.mesh = copy_of_mesh(sky.sky.mesh, where);
  if (subtracts) found.above = subtract_mesh(image.pixels, found.mesh, where);
  if (found_in == nullptr) return found;
  require_shape(*found_in, sky.sky);
  const Image<float, Where>& other = found_in->pixels.image;
  found.image =
      subtracts ? subtract_mesh(found_in->pixels, found.mesh, where) : view_of(other.pixels.data(), other.shape, where);
  return found;
}

/// Like the function above, but also adds the sources of `labels`. The runs of `labels` must outlive the result.
template <class Where>
Detection<Where> detection_of(const HeldImage<Where>& image, const HeldLabels<Where>& labels, const SkyOf<Where>& sky,
                              const HeldImage<Where>* found_in, const Where& where) {
  const Shape &of_labels = labels.runs->shape, &of_image = image.pixels.image.shape;
  if (!(of_labels == of_image))
    throw Error(ErrorKind::input, "the labels are of " + std::to_string(of_labels.height) + " rows of " +
                                      std::to_string(of_labels.width) + " pixels, and the image of " +
                                      std::to_string(of_image.height) + " of " + std::to_string(of_image.width));
  Detection<Where> found = detection_of(image, sky, found_in, where);
  found.runs = view_of(*labels.runs, where);
  found.components = copy_of(labels.components, where);
  found.parentage = copy_of(labels.parentage, where);
  if (labels.cleaned) found.cleaned = copy_of(*labels.cleaned, where);
  return found;
}

/// Moves the detected pixels, which the steps left in `found`, into an object for Python.
template <class Where>
HeldForeground<Where> held_pixels(Detection<Where>&& found, const Place<Where>& place) {
  leave_no_room(found.runs, place.where);
  HeldForeground<Where> held{place, std::make_shared<const Runs<Where>>(std::move(found.runs))};
  if (!found.seeds.row_begin.empty()) held.seeds = std::move(found.seeds);
  held.levels = fetch(found.levels, place.where);
  return held;
}

/// Moves the labels, which the steps left in `found`, into an object for Python. `runs`
/// are the runs before deblending, which the result shares if nothing was deblended.
template <class Where>
HeldLabels<Where> held_labels(Detection<Where>&& found, const std::shared_ptr<const Runs<Where>>& runs,
                              const std::optional<Levels>& levels, const Place<Where>& place) {
  const bool deblended = !found.island_runs.row_begin.empty();
  const ComponentCounts counts = fetch(found.components.counts, place.where);
  HeldLabels<Where> held{place, deblended ? std::make_shared<const Runs<Where>>(std::move(found.runs)) : runs,
                         std::move(found.components), counts.kept, counts.found};
  held.levels = levels;
  held.parentage = std::move(found.parentage);
  if (is_cleaned(found)) held.cleaned = std::move(found.cleaned);
  return held;
}

/// Makes an object for Python of the labels that the caller made without label().
template <class Where>
HeldLabels<Where> held_labels_of(LabelledRuns<Where>&& labelled, const Place<Where>& place) {
  const std::int64_t count = std::ssize(labelled.labels);
  HeldLabels<Where> held{place, std::make_shared<const Runs<Where>>(std::move(labelled.runs)),
                         std::move(labelled.components), count, count};
  if (count > 0 && labelled.labels.back() != count) held.numbers = std::move(labelled.labels);
  return held;
}

/// Replaces the labels 1, 2, 3 ... by the numbers in the caller's map of labels. Does nothing if `numbers` is empty.
inline void renumber(const std::vector<std::int32_t>& numbers, Buffer<std::int32_t, Cpu>& label) {
  if (numbers.empty()) return;
  for (std::int32_t& one : label)
    if (one > 0) one = numbers[static_cast<std::size_t>(one - 1)];
}

}  // namespace srcextract::python
