#include "pipeline/engine/extractor.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/ingest/ingest.hpp"
#include "pipeline/chain/add_aperture_noise.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "pipeline/chain/measure_elsewhere.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "pipeline/chain/parts.hpp"
#include "pipeline/chain/plan.hpp"
#include "pipeline/chain/plan_memory.hpp"
#include "pipeline/chain/run_stages.hpp"
#include "pipeline/engine/detector.hpp"
#include "pipeline/engine/results.hpp"
#include "pipeline/engine/stage_events.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Lets only one thread at a time extract its first image on a device. A first image allocates memory, page-locks host
/// memory and makes a CUDA graph, during which the driver blocks all other calls. With 16 threads at once, each would
/// wait a quarter of a second for the others (measured).
std::mutex& first_image(int device) {
  static std::array<std::mutex, 64> mutexes;
  return mutexes[static_cast<std::size_t>(device) % mutexes.size()];
}

std::atomic<bool> left_to_the_system = false;

}  // namespace

class CudaExtractor::Found {
 public:
  explicit Found(FoundElsewhere<Gpu>&& sources) : sources_(std::move(sources)) {}

  const FoundElsewhere<Gpu>& sources() const { return sources_; }

 private:
  FoundElsewhere<Gpu> sources_;
};

namespace {

/// Whether the exposure is one plane whose pixels are used without a change: not combined, masked, weighted or
/// subtracted.
bool is_plain(const Exposure& exposure, const Config& config) {
  return config.combine.method == CombineMethod::none && !exposure.reference && !exposure.mask && !exposure.weights &&
         !exposure.level;
}

}  // namespace

/// Device and host memory that is kept from image to image.
class CudaExtractor::Session {
 public:
  Session(int device, const Cpu& host) : host_(host), stream_(device, host.threads) {}

  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer,
                     const FoundElsewhere<Gpu>* sources = nullptr, const ForcedPositions* positions = nullptr);

  /// If the next image is plain (is_plain) and its shape is new to this extractor, returns a lock on the device for a
  /// first image. If another thread has the lock, waits for that thread, then prepares by extracting an image of zeros,
  /// and returns no lock.
  std::unique_lock<std::mutex> turn_of_first_image(const Exposure& exposure, const Config& config);
  std::shared_ptr<const Found> find(const DetectionImage& image, const Observer& observer);
  void allow_host_memory(std::int64_t bytes) noexcept;

 private:
  class Engine;

  const Gpu& where() const { return stream_.where(); }
  Pixels<Gpu>& pixels() { return detector_.pixels(); }
  void make_room(const Plan& plan);
  std::vector<HandedNumbers> hand_over(const Config& config);

  /// Numbers of a file that a measurement reads, such as a PSF, and their copy in device memory.
  struct Handed {
    Resources::Numbers numbers;
    Buffer<double, Gpu> there;
  };

  Cpu host_;
  Stream stream_;
  std::map<std::string, Handed, std::less<>> handed_;  ///< the key is the configuration key that names the file
  Ingester ingester_{stream_.where()};
  HostResults results_;
  StageEvents events_{stream_.where()};
  Detector detector_{stream_};
};

/// The GPU's Engine for one image, with the members that run_stages() needs.
class CudaExtractor::Session::Engine {
 public:
  using Where = Gpu;

  Engine(Session& session, Pixels<Gpu>& pixels, const Config& config, const Observer& observer)
      : session_(session),
        pixels_(pixels),
        config_(config),
        plan_(config),
        observer_(observer),
        events_(session.events_) {
    pixels.numbers = session.hand_over(config);
    events_.begin();
  }

  const Gpu& where() const { return session_.where(); }
  Pixels<Gpu>& pixels() { return pixels_; }
  Pixels<Gpu> room_for(const Shape& shape) const { return {shape, where()}; }
  void read(const PixelSource& source, Pixels<Gpu>& pixels) { session_.ingester_.ingest(source, pixels); }

  template <class Result>
  void done(const char* stage, const Result& result) {
    events_.done(stage);
    record(stage, result);
  }

  /// Appends a result that is in host memory to the record, if there is a record.
  template <class Result>
  void record(const char* stage, const Result& result) {
    if (observer_.record != nullptr) record_stage(stage, result, *observer_.record);
  }
  /// Copies a result from device memory and appends the copy to the record, if there is a record.
  void record(const char* stage, const Image<float, Gpu>& image) {
    if (observer_.record != nullptr) record_stage(stage, to_host(image, where()), *observer_.record);
  }
  void record(const char* stage, const Pixels<Gpu>& pixels) {
    if (observer_.record != nullptr) record_stage(stage, to_host(pixels, where()), *observer_.record);
  }

  Extraction extract() {
    const ImageSummary& summary = detect();
    const Detection<Gpu>& there = session_.detector_.graph().found();
    if (observer_.on_stage) {
      events_.report_times(observer_.on_stage);
      session_.detector_.graph().report_times(events_.last(), observer_.on_stage);
    }
    if (observer_.record != nullptr) record_detection(all_to_host(summary, there, where()), *observer_.record);
    return catalogue_of(summary, there, nullptr);
  }

  /// Finds sources in this engine's pixels. Returns sources and pixels for measurement in other images.
  FoundElsewhere<Gpu> keep_found() {
    Steps steps{session_.detector_.capacity()};
    const ImageSummary summary = take(steps, [&](const Gpu& with_room, const auto& done) {
      return detect_for_others<Gpu>(pixels_, config_, with_room, done);
    });
    FoundSky sky{to_host(summary, steps.found, false, where()), summary.masked, &config_};
    const auto bring_rows = [&](auto part, const auto& from, auto& to) {
      if constexpr (part.elsewhere == Elsewhere::on_host && part.kind == PartKind::rows)
        to = rows_to_host(from, summary.sources(), where());
    };
    for_each_part(bring_rows, steps.found, sky.found);
    check_detection_image(sky, pixels_.image.shape);
    leave_no_room(summary, steps.found, where());
    return srcextract::keep_found(std::move(pixels_), std::move(steps.found), std::move(sky));
  }

  /// Measures the given sources in this engine's pixels.
  Extraction extract_found(const FoundElsewhere<Gpu>& sources) {
    const Capacity usual = session_.detector_.capacity();
    Steps steps{
        {std::max(usual.runs, sources.found.runs.runs.size()), std::max(usual.sources, sources.found.sums.size())}};
    const ImageSummary summary = take(steps, [&](const Gpu& with_room, const auto& done) {
      return measure_elsewhere<Gpu>(sources, pixels_, config_, with_room, done);
    });
    return catalogue_of(summary, steps.found, &sources.sky);
  }

  /// Measures the light at the given positions in this engine's pixels.
  ///
  /// If the configuration asks for the fit of all stars, fits the stars at these positions. If `positions` is null,
  /// finds the stars first and fits all of them.
  Extraction extract_at(const ForcedPositions* positions) {
    const auto done = [&](const char* stage) { events_.done(stage); };
    const Detection<Gpu> there = prepare_positions<Gpu>(pixels_, config_, where(), done);
    const bool of_crowd = FitCrowd::used(plan_);
    Image<float, Cpu> image, noise;
    if (!of_crowd || plan_.shows_pixels() || plan_.measures_aperture_noise()) {
      image = to_host(measured_image(pixels_, there), where());
      noise = to_host(measured_noise(pixels_, there), where());
    }
    Detection<Cpu> found = sky_to_host(there, where());
    synchronize(where());
    if (observer_.on_stage) events_.report_times(observer_.on_stage);
    StageClock clock(observer_);
    if (of_crowd)
      measure_crowd(positions, measured_image(pixels_, there), measured_noise(pixels_, there), config_, found, where(),
                    observer_);
    else
      measure_positions(*positions, image, noise, config_, found, session_.host_);
    clock.done(of_crowd ? FitCrowd::name : MeasurePhotometry::name);
    if (observer_.record != nullptr) {
      found.above = to_host(there.above, where());
      found.filled = {to_host(there.filled.image, where()), to_host(there.filled.variance, where())};
      record_detection(found, *observer_.record);
      found.filled = {};
    }
    add_aperture_noise(image, noise, config_, found, aperture_noise_, session_.host_, clock);
    found.above = {};
    if (plan_.shows_pixels()) found.above = std::move(image);
    const std::span<const SourceSums> sums(found.sums.begin(), found.sums.end());
    Extraction extraction = make_catalog(std::move(found), sums, fetch(pixels_.masked, where()), pixels_.image.shape,
                                         config_, session_.host_, clock);
    if (plan_.shows_variance()) extraction.check.variance = to_host(measured_variance(pixels_, there), where());
    return extraction;
  }

 private:
  /// Detection steps that run without a CUDA graph: the capacity of their result buffers, and the results.
  struct Steps {
    Capacity room;
    Detection<Gpu> found = {};
  };

  /// Runs `take_steps` and reports its stages. As long as the image has more runs or sources than the buffers hold,
  /// runs `take_steps` again with larger buffers.
  template <class Take>
  ImageSummary take(Steps& steps, const Take& take_steps) {
    const auto done = [&](const char* stage) { events_.done(stage); };
    Gpu with_room = where();
    for (;;) {
      with_room.capacity = steps.room;
      steps.found = {};  // frees the earlier buffers before new ones are allocated
      steps.found = take_steps(with_room, done);
      session_.results_.forget_rows();
      const ImageSummary summary = session_.results_.receive(pixels_, steps.found, where());
      session_.results_.forget_rows();
      const Capacity needed = summary.needed();
      check_run_count(needed.runs);
      if (needed.runs > steps.room.runs || needed.sources > steps.room.sources) {
        steps.room = grown_capacity(steps.room, needed.runs, needed.sources);
        continue;
      }
      if (observer_.on_stage) events_.report_times(observer_.on_stage);
      if (observer_.record != nullptr) record_detection(all_to_host(summary, steps.found, where()), *observer_.record);
      return summary;
    }
  }

  /// Makes the catalogue from the results in device memory. `summary` and the sums are those that HostResults last
  /// received.
  Extraction catalogue_of(const ImageSummary& summary, const Detection<Gpu>& there, const FoundSky* found_in) {
    const bool between_sources = plan_.measures_aperture_noise();
    Detection<Cpu> found = to_host(summary, there, plan_.keeps_segmentation() || between_sources, where());
    const std::span<const SourceSums> sums = session_.results_.sums(there, where());
    found.found_in = found_in;
    rows_to_host(there, summary.sources(), found, where());
    if (plan_.shows_foreground()) runs_to_host(summary, there, found, where());
    if (plan_.shows_pixels()) {
      found.above = to_host(measured_image(pixels(), there), where());
      found.image = to_host(there.image, where());
    }
    StageClock clock(observer_);
    if (between_sources) {
      const Image<float, Gpu>& noise = measured_noise(pixels(), there);
      add_aperture_noise(to_host(measured_image(pixels(), there), where()),
                         noise.pixels.empty() ? Image<float, Cpu>() : to_host(noise, where()), config_, found,
                         aperture_noise_, session_.host_, clock);
    }
    Extraction extraction =
        make_catalog(std::move(found), sums, summary.masked, pixels().image.shape, config_, session_.host_, clock);
    if (plan_.shows_variance()) extraction.check.variance = to_host(measured_variance(pixels(), there), where());
    events_.begin();
    return extraction;
  }

  /// Runs the steps of the CUDA graph, again with larger buffers if needed.
  const ImageSummary& detect() {
    const ImageSummary* summary = nullptr;
    session_.detector_.detect(config_, [&](const DetectionGraph& graph, bool first) {
      if (first) session_.results_.forget_rows();
      summary = &session_.results_.receive(pixels(), graph.found(), where());
      check_run_count(summary->needed().runs);
      return summary->needed();
    });
    return *summary;
  }

  Session& session_;
  Pixels<Gpu>& pixels_;
  const Config& config_;
  Plan plan_;
  const Observer& observer_;
  StageEvents& events_;
  std::optional<ApertureNoise> aperture_noise_;
};

void CudaExtractor::Session::make_room(const Plan& plan) {
  detector_.prepare(plan.shape, plan.config, device_memory_beside(plan));
  pixels().noise = {};
  pixels().variance = {};
  pixels().kept = {};
  pixels().star = {};
  where().workspace->repeat();
}

/// Copies the numbers of files that measurements read, such as a PSF, to device memory, unless the device has the same
/// numbers already. Returns the addresses of the copies.
std::vector<HandedNumbers> CudaExtractor::Session::hand_over(const Config& config) {
  std::vector<HandedNumbers> all;
  const ColumnChoice choice(config.output.columns);
  for_each_family([&]<class One>() {
    if constexpr (requires { One::numbers_key; }) {
      const auto file = config.resources.files.find(One::numbers_key);
      if (file == config.resources.files.end() || !is_measured<One>(choice, config)) return;
      const Resources::Numbers& numbers = file->second.front();
      const auto [at, is_new] = handed_.try_emplace(One::numbers_key);
      Handed& handed = at->second;
      if (is_new || (handed.numbers != numbers && *handed.numbers != *numbers)) {
        Buffer<double, Cpu> here(std::ssize(*numbers), host_);
        std::ranges::copy(*numbers, here.begin());
        handed = {numbers, to_device(here, where())};
      }
      all.push_back({at->first, handed.there.data()});
    }
  });
  return all;
}

std::unique_lock<std::mutex> CudaExtractor::Session::turn_of_first_image(const Exposure& exposure,
                                                                         const Config& config) {
  if (!is_plain(exposure, config) || detector_.has(exposure.shape()) || stream_.host_share().most > 0) return {};
  std::unique_lock turn(first_image(where().device), std::try_to_lock);
  if (turn) return turn;
  turn.lock();
  const PixelFormat format = exposure.planes.front().format;
  const auto read_zeros = [bytes = format.bytes()](std::int64_t, std::int64_t count, std::byte* out) {
    std::fill_n(out, count * bytes, std::byte{});
  };
  try {
    (void)extract(PixelSource{exposure.shape(), format, read_zeros}, config, {});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::device)
      throw;  // an image of zeros may fail for lack of sky noise, so only errors of the device count
  }
  return {};
}

Extraction CudaExtractor::Session::extract(const Exposure& exposure, const Config& config, const Observer& observer,
                                           const FoundElsewhere<Gpu>* sources, const ForcedPositions* positions) {
  const StreamEnd end(
      where());  // waits at the end, since the host memory of a queued copy must stay valid, even if this call throws
  Plan plan = plan_of(exposure, config);
  if (sources != nullptr) plan.found_in = sources->sky.config;
  make_room(plan);
  Engine engine(*this, pixels(), config, observer);
  return run_stages(exposure, config, engine, sources, positions);
}

void CudaExtractor::Session::allow_host_memory(std::int64_t bytes) noexcept {
  HostShare& host = stream_.host_share();
  host.most = bytes;
  if (bytes > 0 || host.taken == 0) return;
  handed_.clear();
  detector_.forget();
  stream_.give_back_kept_memory();
}

std::shared_ptr<const CudaExtractor::Found> CudaExtractor::Session::find(const DetectionImage& image,
                                                                         const Observer& observer) {
  const StreamEnd end(where());
  Plan plan = plan_of(image.exposure, image.config);
  plan.found_in = &image.config;
  make_room(plan);
  Pixels<Gpu> pixels(plan.shape, where());
  Engine engine(*this, pixels, image.config, observer);
  return std::make_shared<const Found>(find_elsewhere(image, engine));
}

CudaExtractor::CudaExtractor(int device, const Cpu& host) : device_(device), host_(host) {}

void CudaExtractor::leave_all_to_the_system() {
  left_to_the_system = true;
}

CudaExtractor::~CudaExtractor() {
  if (!session_) return;
  if (left_to_the_system) {
    (void)session_.release();  // not destroyed, so that nothing is freed
    return;
  }
  cudaSetDevice(device_);
  session_.reset();
  cudaGetLastError();  // clears the error that a lost device left
}

CudaExtractor::Session& CudaExtractor::session() {
  use_device(device_);
  if (!session_) {
    session_ = std::make_unique<Session>(device_, host_);
    session_->allow_host_memory(host_memory_);
  }
  return *session_;
}

void CudaExtractor::allow_host_memory(std::int64_t bytes) noexcept {
  host_memory_ = bytes;
  if (!session_) return;
  cudaSetDevice(device_);
  session_->allow_host_memory(bytes);
}

Extraction CudaExtractor::extract(const Exposure& exposure, const Config& config, const Observer& observer,
                                  const Found* sources, const ForcedPositions* positions) {
  Session& own = session();
  std::unique_lock<std::mutex> turn;
  if (sources == nullptr && positions == nullptr) turn = own.turn_of_first_image(exposure, config);
  return own.extract(exposure, config, observer, sources == nullptr ? nullptr : &sources->sources(), positions);
}

std::shared_ptr<const CudaExtractor::Found> CudaExtractor::find(const DetectionImage& image, const Observer& observer) {
  return session().find(image, observer);
}

}  // namespace srcextract
