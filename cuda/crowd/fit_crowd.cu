#include "stages/crowd/fit_crowd.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "cuda/crowd/device_equations.hpp"
#include "cuda/crowd/device_finder.hpp"
#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"
#include "stages/crowd/crowd_turns.hpp"
#include "stages/crowd/crowd_unit.hpp"
#include "stages/crowd/fit_parts.hpp"
#include "stages/crowd/outer_wings.hpp"
#include "stages/crowd/saturated_cores.hpp"
#include "stages/crowd/star_rules.hpp"

namespace srcextract {
namespace {

/// Adds the solution z of the equations to the fluxes of stars and the levels of sky nodes.
__global__ void add_steps_kernel(const double* z, std::int64_t count, std::int64_t nodes, CrowdStar* stars,
                                 double* level) {
  for (std::int64_t i = thread_index(); i < count + nodes; i += thread_total()) {
    if (i < count)
      stars[i].flux += z[3 * i];
    else
      level[i - count] += z[2 * count + i];
  }
}

__global__ void move_kernel(StarRules rules, EquationsView of, const double* z, CrowdStar* stars, std::uint8_t* keep) {
  for (std::int64_t i = thread_index(); i < of.stars; i += thread_total())
    keep[i] = rules.move(stars[i], *of.own(i), z[3 * i + 1], z[3 * i + 2]) ? 1 : 0;
}

__global__ void drop_doubles_kernel(StarRules rules, const CrowdStar* stars, std::int64_t count, CellsView cells,
                                    const std::uint8_t* keep, std::uint8_t* single) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    single[i] = keep[i] != 0 && !rules.is_double(stars, keep, cells, static_cast<std::int32_t>(i)) ? 1 : 0;
}

__global__ void negate_kernel(float* values, std::int64_t count) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) values[i] = -values[i];
}

/// The stars and the image of a fit in device memory; the `Work` of CrowdTurns.
class DeviceCrowd {
 public:
  DeviceCrowd(const CrowdImage& image, const CrowdPsf& psf, const CrowdConfig& config, CrowdPlanes kept,
              const Gpu& where)
      : where_(where), kept_(kept), on_host_(psf), psf_(psf, where), field_(image, config.sky_size, where) {
    rules_ = {psf.fwhm(), crowd_separation * psf.fwhm(), image.shape.width, image.shape.height};
  }

  std::int64_t count() const { return stars_.count; }
  double noise() const { return field_.sigma(); }
  double shared_noise() const { return rules_.shared_noise; }
  void measure_shared_noise() { rules_.shared_noise = finder().measure_shared_noise(field_, where_); }
  void set(const std::vector<CrowdStar>& stars) {
    stars_ = {};
    stars_.grow(std::ssize(stars), where_);
    copy_to_device(stars_.data(), stars.data(), stars_.count, where_);
  }
  void add_saturated_cores() {
    set(find_saturated_cores(field_.saturated(), field_.shape(), field_.view().saturation));
  }

  void draw() { field_.draw(psf_, stars_, 0); }
  void render() { field_.render(stars_, true); }
  void soften() { field_.soften(); }
  void measure_noise() { field_.measure_noise(); }
  bool judge_noise() { return field_.judge_noise(); }

  std::int64_t find(const FindRule& rule, std::int32_t turn) {
    const std::int64_t before = stars_.count;
    rules_.shared_noise = finder().find(field_, rule, psf_.fwhm(), turn, stars_, where_);
    drop_wings(before);
    field_.draw(psf_, stars_, before);
    field_.render(stars_, false);
    return stars_.count - before;
  }

  int solve(CrowdFree free, double tolerance, int most) {
    equations_.make(field_, stars_);
    const int rounds = equations_.solve(stars_, free, tolerance, most, where_);
    const std::int64_t nodes = field_.view().sky.count();
    add_steps_kernel<<<grid_for(stars_.count + nodes, where_), block_threads, 0, where_.stream>>>(
        equations_.z(), stars_.count, nodes, stars_.data(), field_.level());
    check_launch();
    if (free == CrowdFree::all) move();
    return rounds;
  }

  std::vector<CrowdStar> find_negatives(const FindRule& rule) {
    field_.render(stars_, false);
    const CrowdPixels& pixels = field_.view();
    negate_kernel<<<grid_for(pixels.count(), where_), block_threads, 0, where_.stream>>>(pixels.residual,
                                                                                         pixels.count());
    check_launch();
    DeviceList<CrowdStar> found;
    finder().find(field_, rule, psf_.fwhm(), 0, found, where_);
    return to_vector(found.data(), found.count, where_);
  }

  CrowdFit finish() {
    field_.render(stars_, false);
    CrowdFit fit;
    fit.rows = measure_crowd(field_, psf_, equations_, stars_);
    fit.noise = field_.sigma();
    fit.fwhm = psf_.fwhm();
    fit.sky = field_.sky_to_host();
    if (kept_ == CrowdPlanes::none) return fit;
    fit.model = field_.to_host(field_.view().model);
    fit.residual = field_.to_host(field_.view().residual);
    fit.weight = field_.to_host(field_.view().weight);
    return fit;
  }

 private:
  const DeviceFinder& finder() {
    if (!finder_) finder_.emplace(psf_, field_.shape(), where_);
    return *finder_;
  }

  /// Removes outer wings (drop_outer_wings) from the newly found stars, which follow the first `known` stars.
  void drop_wings(std::int64_t known) {
    if (stars_.count == known) return;
    std::vector<CrowdStar> before = to_vector(stars_.data(), stars_.count, where_);
    std::vector<CrowdStar> found(before.begin() + known, before.end());
    before.resize(static_cast<std::size_t>(known));
    drop_outer_wings(on_host_, field_.shape(), before, field_.sigma(), found);
    if (known + std::ssize(found) == stars_.count) return;
    stars_.count = known + std::ssize(found);
    copy_to_device(stars_.data() + known, found.data(), std::ssize(found), where_);
  }

  /// Moves stars by the solution of the equations, and removes the stars that StarRules rejects.
  void move() {
    Buffer<std::uint8_t, Gpu> keep(room_for(stars_.count), where_), single(keep.size(), where_);
    const unsigned int blocks = grid_for(stars_.count, where_);
    move_kernel<<<blocks, block_threads, 0, where_.stream>>>(rules_, equations_.view(), equations_.z(), stars_.data(),
                                                             keep.data());
    check_launch();
    const DeviceCells cells(stars_, field_.shape(), where_);
    drop_doubles_kernel<<<blocks, block_threads, 0, where_.stream>>>(rules_, stars_.data(), stars_.count, cells.view(),
                                                                     keep.data(), single.data());
    check_launch();
    keep_flagged(stars_, single, where_);
  }

  Gpu where_;
  CrowdPlanes kept_;
  const CrowdPsf& on_host_;
  DevicePsf psf_;
  DeviceField field_;
  StarRules rules_;
  DeviceList<CrowdStar> stars_;
  DeviceEquations equations_;
  std::optional<DeviceFinder> finder_;
};

CrowdFit fit_whole(const CrowdImage& image, const PsfModel& model, const CrowdConfig& config, CrowdPlanes kept,
                   const Gpu& where, const std::vector<CrowdPlace>* places) {
  const CrowdPsf psf = psf_of(model, image.shape);
  DeviceCrowd work(image, psf, config, kept, where);
  CrowdTurns turns(work, config, image.shape);
  return places != nullptr ? turns.force(*places) : turns.find();
}

/// A copy in device memory of an image on the host.
class Uploaded {
 public:
  Uploaded(const CrowdImage& on_host, const Gpu& where)
      : pixels_(on_host.shape.count(), where),
        variance_(on_host.variance != nullptr ? on_host.shape.count() : 0, where),
        image_(on_host) {
    copy_to_device(pixels_.data(), on_host.pixels, pixels_.size(), where);
    copy_to_device(variance_.data(), on_host.variance, variance_.size(), where);
    image_.pixels = pixels_.data();
    if (on_host.variance != nullptr) image_.variance = variance_.data();
  }
  const CrowdImage& image() const { return image_; }

 private:
  Buffer<float, Gpu> pixels_, variance_;
  CrowdImage image_;
};

/// Returns the pixels of an image in device memory; an empty vector if `there` is null.
std::vector<float> download(const float* there, const Shape& shape, const Gpu& where) {
  return to_vector(there, there != nullptr ? shape.count() : 0, where);
}

}  // namespace

CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Gpu& where,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept) {
  const bool injects = places == nullptr && config.inject > 0;
  if (CrowdUnit(image).is_one() && !has_tiles(image, config) && !injects)
    return fit_whole(image, psf, config, kept, where, places);
  const std::vector<float> pixels = download(image.pixels, image.shape, where),
                           variance = download(image.variance, image.shape, where);
  CrowdImage here = image;
  here.pixels = pixels.data();
  if (image.variance != nullptr) here.variance = variance.data();
  return fit_parts(
      here, psf, config, places, kept,
      [&](const CrowdImage& part, const PsfModel& of_part, const std::vector<CrowdPlace>* in_part, CrowdPlanes planes) {
        const Uploaded there(part, where);
        return fit_whole(there.image(), of_part, config, planes, where, in_part);
      });
}

}  // namespace srcextract
