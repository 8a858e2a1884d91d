#include "pipeline/batch/batch.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/bands/extract_bands.hpp"
#include "pipeline/batch/dispatcher.hpp"
#include "pipeline/batch/gpus.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/image/file_memory.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/held_messages.hpp"
#include "pipeline/log/log.hpp"
#include "pipeline/options/run_options.hpp"
#include "stages/core/keep_buffers.hpp"
#include "stages/core/stop.hpp"
#include "survey/inputs/choose_references.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {
namespace {

/// Whether at least some stages of the image run on the CPU. With given positions, some stages always do.
bool is_on_host(const ImageTask& task, const Execution& execution) {
  return !execution.device || execution.compare || task.file->has_positions();
}

/// Changes the record of an image whose file disappeared during the run, so that the next run extracts the image again.
/// For a file with one image, size and time are set to 0, so that the file counts as changed.
///
/// In a file with several images, the images share one size and time. There the failure is marked as transient instead.
void note_gone(ImageRecord& record) {
  if (record.images > 1)
    record.kind = transient_kind;
  else
    record.bytes = record.modified = 0;
}

/// The worker threads of one run, and what they share.
class Crew {
 public:
  Crew(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
       const RunControl& control)
      : job_(job),
        machine_(machine),
        budget_(budget),
        control_(control),
        executions_(share_out(machine, files)),
        gpus_(machine, executions_.size(), room_for_any(files)),
        dispatcher_(job, files, budget, control, machine.compare,
                    [this] { return futile_ || control_.should_stop(); }) {}

  std::size_t workers() const { return executions_.size(); }

  /// The device or CPU threads with which a worker begins.
  Execution execution(std::size_t worker) const { return executions_[worker]; }

  /// Extracts images until none is left. A worker that begins on the CPU also stops as soon as workers on GPUs have
  /// started.
  void work(Execution execution, Progress progress) {
    const bool began_on_cpu = !execution.device;
    try {
      while (const std::optional<ImageTask> task = dispatcher_.next()) {
        ++busy_;
        process(*task, execution, progress);
        --busy_;
        if (began_on_cpu && gpus_do_the_rest_) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!futile_) error_ = std::current_exception();
      futile_ = true;
    }
  }

  /// Starts worker threads on each GPU that becomes ready, until no further GPU is expected. Returns when these
  /// workers are done.
  void move_to_gpus(const Progress& progress) {
    std::vector<std::jthread> on_gpus;
    while (std::optional<Execution> execution = gpus_.wait()) {
      try {
        on_gpus.emplace_back([this, progress, execution, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          work(*execution, progress);
        });
      } catch (const std::system_error&) {
        return;  // the system allows no more threads
      }
      gpus_do_the_rest_ = true;
    }
  }
  void end_moving() { gpus_.end_waiting(); }

  /// The outcome of the run. Rethrows the error that ended the run early, if there is one.
  RunResult result() {
    if (error_) std::rethrow_exception(error_);
    const bool complete = dispatcher_.waiting() == 0;
    RunResult result = totals_;
    result.code = worst_;
    result.complete = complete;
    result.inputs_away = dispatcher_.gave_up() || (complete && dispatcher_.any_lost());
    return result;
  }

 private:
  /// Extracts an image, or all bands of a file with bands, and records the outcome. If the GPU is lost, extracts the
  /// image again from the start on another GPU or on the CPU. If the file disappeared with its neighbours, records
  /// nothing, and the dispatcher takes the image back.
  void process(const ImageTask& task, Execution& execution, Progress& progress) {
    const MessagesAbout image(task.file->path);
    if (!task.file->has_bands()) progress.begin_image(task.name);
    control_.on_begin(task);
    for (;;) {
      ImageOutcome outcome;
      std::optional<Failure> failure;
      try {
        outcome = run_or_fall_back(execution, task.name, [&](const Execution& on) {
          return task.file->has_bands() ? extract_bands(job_, *task.file, with_threads(on, 0), budget_, progress,
                                                        [&] { return control_.watch(task.name); })
                                        : extract(task, on, progress);
        });
      } catch (...) {
        failure = current_failure();
      }
      if (failure && failure->kind == ErrorKind::input && dispatcher_.put_back(task)) return;
      const bool on_device = failure && failure->kind == ErrorKind::device && execution.device;
      if (!on_device || !is_lost(*execution.device)) return conclude(task, std::move(outcome), failure, progress);
      gpus_.replace(execution, Error(failure->kind, failure->message));
    }
  }

  ImageOutcome extract(const ImageTask& task, const Execution& execution, Progress& progress) {
    const Plan plan = plan_of(task.image, task.maps, *task.file, execution.compare);
    const HostMemory memory = host_memory_within(plan, budget_.bytes() - task.held);
    const std::int64_t of_host = is_on_host(task, execution) ? memory.bytes : plan.beside;
    const std::int64_t room = task.for_images ? task.for_images->bytes() : budget_.bytes() - task.held;
    MemoryBudget::Share share;
    const AllowedMemory of_device = allow_host_memory(plan, task.name, room - of_host, execution);
    const std::int64_t needed = of_host + of_device.bytes;
    share = take(task, needed);
    const std::shared_ptr<void> watch = control_.watch(task.name);
    OpenImage image(task, job_);
    Execution here = with_threads(execution, needed);
    go_by_rows(plan, memory, task.name, here);
    if (job_.only_psf) return image.finish_psf(here, progress);
    ImageResult result;
    try {
      within_memory(memory, host_memory_within(plan, memory.bytes - 1), task.name, here,
                    [&] { result = extract_image(image.input(), here, progress); });
    } catch (const NoSky&) {
      if (!job_.take_without_sky) throw;
      job_.take_without_sky(task, image.input(), current_failure(), execution.cpu);
      return {begin_record(task), task.name, {}, {}};
    }
    ImageOutcome outcome = image.finish(std::move(result), here);
    require_agreement(outcome.name, outcome.comparison, progress);
    return outcome;
  }

  MemoryBudget::Share take(const ImageTask& task, std::int64_t needed) {
    if (!task.for_images) return budget_.take(needed);
    budget_.check(needed + task.held);
    return task.for_images->take(needed);
  }

  /// Records and reports the outcome or the failure of an image. A storage error is thrown instead, since no further
  /// image could be written either.
  void conclude(const ImageTask& task, ImageOutcome outcome, std::optional<Failure> failure, Progress& progress) {
    if (task.joined) {
      try {
        task.joined->end(task.image.hdu, !failure);
      } catch (...) {
        if (!failure) failure = current_failure();
      }
    }
    if (failure && failure->kind == ErrorKind::storage) throw Error(failure->kind, failure->message);
    if (failure && failure->kind == ErrorKind::input && control_.is_left_out(task.file->path)) {
      spdlog::info("{}: left out, as a table of srcextract merge and no image", task.name);
      outcome = {begin_record(task), task.name, {}, {}};
      outcome.record.done = true;
      outcome.record.images = 0;
      failure.reset();
    }
    if (failure) {
      outcome = {begin_record(task), task.name, {}, {}};
      outcome.record.kind = failure->passing ? transient_kind : kind_name(failure->kind);
      outcome.record.reason = failure->message;
      if (failure->kind == ErrorKind::input && !why_unseen(task.file->path).empty()) note_gone(outcome.record);
      control_.on_failure(task, *failure);
      raise_worst(exit_code(failure->kind));
    }
    {
      const std::lock_guard lock(mutex_);
      ++totals_.images;
      totals_.done += outcome.record.done ? 1 : 0;
      totals_.sources += outcome.record.sources;
    }
    control_.on_image(outcome);
    progress.end_image(task.file->bytes, task.images, failure.has_value());
  }

  /// Returns `execution` with a number of CPU threads for an image that needs `needed` bytes. An execution on a GPU is
  /// returned as it is.
  ///
  /// Two fractions of all threads are computed: `needed` relative to the memory budget, and one image relative to the
  /// images left. The larger number is used.
  Execution with_threads(Execution execution, std::int64_t needed) {
    if (execution.device) return execution;
    const std::int64_t threads = machine_.cpu.threads;
    const auto left = static_cast<std::int64_t>(dispatcher_.waiting()) + busy_;
    const std::int64_t by_images = threads / std::clamp<std::int64_t>(left, 1, threads);
    const std::int64_t by_memory =
        threads * std::min(needed, budget_.bytes()) / std::max<std::int64_t>(1, budget_.bytes());
    execution.cpu.threads = static_cast<int>(std::max<std::int64_t>({1, by_images, by_memory}));
    return execution;
  }

  void raise_worst(int code) {
    int worst = worst_;
    while (code > worst && !worst_.compare_exchange_weak(worst, code)) continue;
  }

  const Job& job_;
  const Machine& machine_;
  MemoryBudget& budget_;
  const RunControl& control_;
  const std::vector<Execution> executions_;
  Gpus gpus_;
  std::atomic<bool> futile_ = false, gpus_do_the_rest_ = false;
  std::atomic<int> busy_ = 0, worst_ = 0;
  std::mutex mutex_;
  RunResult totals_;  // under mutex_, as error_ is
  std::exception_ptr error_;
  Dispatcher dispatcher_;
};

}  // namespace

ImageFiles with_references(ImageFiles files, const std::optional<std::int64_t>& memory, KeptFiles& kept) {
  std::vector<std::string> notes;
  const MemoryBudget budget = memory_budget(memory);
  const std::int64_t most = budget.strict() ? budget.bytes() : std::numeric_limits<std::int64_t>::max();
  ImageFiles chosen = choose_references(std::move(files), notes, most);
  for (const std::string& note : notes) log_warning(note);
  const FilesBeside* last = nullptr;
  for (const ImageFile& file : chosen)
    if (file.has_reference() && file.beside.get() != std::exchange(last, file.beside.get()))
      kept.add(file.beside->reference);
  return chosen;
}

RunResult process_files(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
                        const Progress& progress, const RunControl& control) {
  if (files.empty()) return {};
  const KeepBuffers from_image_to_image;
  Crew crew(job, files, machine, budget, control);
  {
    std::optional<std::jthread> moving;
    const std::shared_ptr<void> no_more(nullptr, [&](void*) { crew.end_moving(); });
    std::vector<std::jthread> others;
    try {
      if (machine.devices_join)
        moving.emplace([&, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          crew.move_to_gpus(progress);
        });
      for (std::size_t worker = 1; worker < crew.workers(); ++worker)
        others.emplace_back([&, worker, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          crew.work(crew.execution(worker), progress);
        });
    } catch (const std::system_error&) {
      // The system allows no more threads. The workers that were started extract all images.
    }
    crew.work(crew.execution(0), progress);
  }
  return crew.result();
}

}  // namespace srcextract
