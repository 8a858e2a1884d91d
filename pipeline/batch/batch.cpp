#include "pipeline/batch/batch.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/bands/extract_bands.hpp"
#include "pipeline/batch/dispatcher.hpp"
#include "pipeline/batch/places.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/image/file_memory.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/log.hpp"
#include "stages/core/keep_buffers.hpp"
#include "stages/core/stop.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {
namespace {

/// How many images like this one are extracted together.
std::int64_t images_together(const ImageTask& task, const Execution& execution) {
  return task.file->beside ? 1 : images_together(task.image.shape, task.file->config->config, execution);
}

/// Host memory that an image takes: what the stages need, if they run on the host, and what is loaded to be
/// decompressed. Nothing where that was counted when the file was opened, or is little: who has some already, or shares
/// a launch, must not wait for more.
std::int64_t memory_needed(const ImageTask& task, const Job& job, const Execution& execution) {
  const ImageFile& file = *task.file;
  const bool counted = task.memory && !task.for_images;
  if (counted || images_together(task, execution) > 1) return 0;
  const bool on_host = !execution.device || execution.compare || file.has_positions();
  // What every stage has made on either back end is kept until it is compared.
  const std::int64_t records = execution.compare ? 4 : 1;
  return task.image.loaded_bytes + loaded_bytes(task.maps) + gzipped_sizes(files_beside(job, file)) +
         (on_host ? records * host_memory(plan_of(task.image.shape, job, file)) : 0);
}

std::int64_t pixels_of(std::span<const ImageTask> tasks) {
  std::int64_t pixels = 0;
  for (const ImageTask& task : tasks) pixels += task.image.shape.count();
  return pixels;
}

/// Makes the next start take up an image whose file went away since the run began, when it is back as it was. Images of
/// one file have one size and time in the journal.
void note_gone(ImageRecord& record) {
  if (record.images > 1)
    record.kind = transient_kind;
  else
    record.bytes = record.modified = 0;
}

/// Those who work on the images of one run.
class Crew {
 public:
  Crew(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
       const RunControl& control)
      : job_(job),
        machine_(machine),
        budget_(budget),
        control_(control),
        executions_(share_out(machine, files)),
        places_(machine, files, executions_),
        dispatcher_(job, files, budget, control, [this] { return futile_ || control_.should_stop(); }) {}

  /// How many may work at the same time.
  std::size_t workers() const { return executions_.size(); }

  /// Takes images until there are no more. `in_place` of one who has an image on the CPU: unless there is one for a
  /// GPU.
  void work(std::size_t index, Progress progress, bool in_place = false) {
    Places::Worker worker(executions_[index]);
    try {
      for (;;) {
        Places::Turn turn = places_.take(worker, dispatcher_.waiting());
        if (std::exchange(in_place, false) && places_.withdraw(turn)) return;
        const std::vector<ImageTask> tasks =
            dispatcher_.next_together([&](const ImageTask& task) { return images_together(task, turn.execution); });
        if (tasks.empty()) {
          places_.end(worker, std::move(turn), 0, 0);
          return;
        }
        busy_ += static_cast<int>(tasks.size());
        Places::begin(turn);
        if (tasks.front().file->has_bands())
          process_bands(tasks.front(), turn.execution, progress);
        else
          process(tasks, turn.execution, progress);
        busy_ -= static_cast<int>(tasks.size());
        if (places_.end(worker, std::move(turn), std::ssize(tasks), pixels_of(tasks))) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!futile_) error_ = std::current_exception();
      futile_ = true;
    }
  }

  /// As GPUs come up, others go on in the place of workers who have an image on the CPU still: these end with it.
  void replace_workers(const Progress& progress) {
    std::vector<std::jthread> others;
    while (places_.wait_for_vacancy()) {
      try {
        others.emplace_back([this, progress, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          work(0, progress, true);
        });
      } catch (const std::exception&) {
        // No more threads are to be had: who has the image goes on, or if he has gone already this one in his place.
        if (!places_.keep()) work(0, progress);
        return;
      }
    }
  }
  void end_replacing() { places_.end_waiting(); }

  /// Throws the error for which the run was given up.
  RunResult result() {
    if (error_) std::rethrow_exception(error_);
    return {worst_, dispatcher_.waiting() == 0};
  }

 private:
  /// Opens the images, extracts them, and sees to what became of each.
  void process(std::span<const ImageTask> tasks, Execution& execution, Progress& progress) {
    std::int64_t needed = 0;
    for (const ImageTask& task : tasks) needed += memory_needed(task, job_, execution);
    MemoryBudget::Share share;
    std::vector<std::unique_ptr<OpenImage>> images(tasks.size());
    std::vector<std::optional<Failure>> failures(tasks.size());
    std::vector<const ImageInput*> inputs;
    std::vector<std::shared_ptr<void>> watches;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      progress.begin_image(tasks[i].name);
      control_.on_begin(tasks[i]);
      failures[i] = failure_of([&] {
        if (i == 0) share = take(tasks[0], needed);
        watches.push_back(control_.watch(tasks[i].name));
        images[i] = std::make_unique<OpenImage>(tasks[i], job_);
      });
      if (images[i]) inputs.push_back(&images[i]->input());
    }
    if (!inputs.empty()) places_.show(inputs.front()->first(), tasks.front().file->config);
    std::vector<ImageAttempt> attempts = extract(inputs, needed, execution, progress);
    auto attempted = attempts.begin();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      ImageOutcome outcome;
      if (images[i]) {
        failures[i] = attempted->failure;
        if (!failures[i])
          failures[i] = failure_of([&] { outcome = finish(*images[i], attempted->result, execution, progress); });
        else if (failures[i]->no_sky && job_.take_without_sky)
          failures[i] = failure_of([&] {
            job_.take_without_sky(tasks[i], images[i]->input(), *attempted->failure, execution.cpu);
            outcome = {begin_record(tasks[i]), tasks[i].name, {}, {}};
          });
        ++attempted;
      }
      conclude(tasks[i], std::move(outcome), failures[i], progress);
    }
  }

  /// All bands of a file for one catalogue; where a device is lost, all of it again on another or on the CPU.
  void process_bands(const ImageTask& task, Execution& execution, Progress& progress) {
    control_.on_begin(task);
    for (;;) {
      Execution now = execution;
      if (!execution.device) now.cpu.threads = threads_for(0);
      ImageOutcome outcome;
      const std::optional<Failure> failure = failure_of([&] {
        outcome = extract_bands(job_, *task.file, now, budget_, progress, [&] { return control_.watch(task.name); });
      });
      const bool on_device = failure && failure->kind == ErrorKind::device && execution.device;
      if (!on_device || !is_lost(*execution.device)) return conclude(task, std::move(outcome), failure, progress);
      places_.replace(execution, Error(failure->kind, failure->message));
    }
  }

  MemoryBudget::Share take(const ImageTask& task, std::int64_t needed) {
    if (!task.for_images) return budget_.take(needed);
    budget_.check(needed + task.held);
    return task.for_images->take(needed);
  }

  /// Where a device is lost, all of it again on another or on the CPU.
  std::vector<ImageAttempt> extract(const std::vector<const ImageInput*>& inputs, std::int64_t needed,
                                    Execution& execution, Progress& progress) {
    for (;;) {
      Execution now = execution;
      if (!execution.device) now.cpu.threads = threads_for(needed);
      try {
        return extract_together(inputs, now, progress);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::device) throw;
        places_.replace(execution, error);
      }
    }
  }

  ImageOutcome finish(OpenImage& image, ImageResult& result, const Execution& execution, const Progress& progress) {
    ImageOutcome outcome = image.finish(std::move(result), execution);
    require_agreement(outcome.name, outcome.comparison, progress);
    return outcome;
  }

  /// Throws what makes every further image futile.
  void conclude(const ImageTask& task, ImageOutcome outcome, std::optional<Failure> failure, Progress& progress) {
    if (task.joined) {
      const auto of_file = failure_of([&] { task.joined->end(task.image.hdu, !failure); });
      if (!failure) failure = of_file;
    }
    if (failure && failure->kind == ErrorKind::storage) throw Error(failure->kind, failure->message);
    if (failure) {
      outcome = {begin_record(task), task.name, {}, {}};
      outcome.record.kind = failure->passing ? transient_kind : kind_name(failure->kind);
      outcome.record.reason = failure->message;
      if (failure->kind == ErrorKind::input && !why_unseen(task.file->path).empty()) note_gone(outcome.record);
      if (control_.on_failure(task, *failure)) log_failure(task.name, *failure);
      raise_worst(exit_code(failure->kind));
    }
    control_.on_image(outcome);
    progress.end_image(task.file->bytes, task.images, failure.has_value());
  }

  /// An image has the share of the threads that it has of the memory, at least, and of the images that are left.
  int threads_for(std::int64_t needed) {
    const std::int64_t threads = machine_.cpu.threads;
    const auto left = static_cast<std::int64_t>(dispatcher_.waiting()) + busy_;
    const std::int64_t by_images = threads / std::clamp<std::int64_t>(left, 1, threads);
    const std::int64_t by_memory =
        threads * std::min(needed, budget_.bytes()) / std::max<std::int64_t>(1, budget_.bytes());
    return static_cast<int>(std::max<std::int64_t>({1, by_images, by_memory}));
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
  Places places_;
  std::atomic<bool> futile_ = false;
  std::atomic<int> busy_ = 0, worst_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
  Dispatcher dispatcher_;
};

}  // namespace

RunResult process_files(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
                        const Progress& progress, const RunControl& control) {
  if (files.empty()) return {};
  const KeepBuffers from_image_to_image;
  Crew crew(job, files, machine, budget, control);
  {
    std::optional<std::jthread> replacing;
    const std::shared_ptr<void> no_more(nullptr, [&](void*) { crew.end_replacing(); });
    std::vector<std::jthread> others;
    try {
      if (machine.devices_join)
        replacing.emplace([&, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          crew.replace_workers(progress);
        });
      for (std::size_t worker = 1; worker < crew.workers(); ++worker)
        others.emplace_back([&, worker, stop = stop_of_thread] {
          const StopScope of_caller(stop);
          crew.work(worker, progress);
        });
    } catch (const std::system_error&) {
      // No more threads are to be had: those that there are do the work.
    }
    crew.work(0, progress);
  }
  return crew.result();
}

}  // namespace srcextract
