#include "python/core/bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/batch/batch.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "python/core/catalogue.hpp"
#include "python/core/extractor.hpp"
#include "python/core/gil.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/words.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/stop.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

struct BatchResult {
  std::string name;
  std::unique_ptr<Catalogue> catalogue;  ///< null if the image failed
  std::string kind, message;             ///< kind and message of the failure; empty if the image was extracted
  bool last = false;                     ///< whether this is the last image of the file
};

class Batch;

/// The batches whose threads are at work. They end before Python does, or they would use what exit() destroys.
class Running {
 public:
  /// Returns whether the batch may start a thread; false if Python is ending.
  bool begin(Batch* batch) {
    const std::lock_guard lock(mutex_);
    if (!python_ends_) batches_.insert(batch);
    return !python_ends_;
  }

  void end(Batch* batch) {
    const std::lock_guard lock(mutex_);
    batches_.erase(batch);
    changed_.notify_all();
  }

  /// Stops all batches, and waits until their threads are done. A child of fork() has none of the threads.
  void stop_all();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Batch*> batches_;
  bool python_ends_ = false;
  const pid_t process_ = getpid();
};

Running& running() {
  static auto& all = *new Running;  // never destroyed: the last thread may still leave end()
  return all;
}

class Batch {
 public:
  Batch(const Configuration& configuration, const std::vector<std::string>& paths, const std::string& backend,
        const std::vector<int>& devices, int threads)
      : wish_{backend_of(backend), devices, threads > 0 ? threads : available_threads()},
        most_waiting_(std::clamp<std::size_t>(2 * static_cast<std::size_t>(wish_.threads), 4, 64)),
        outcomes_(paths.size()) {
    ImageFiles files;
    for (const std::string& path : paths) {
      ImageFile file = look_at(path, path);
      file.config = configuration.given;
      files.push_back(file);
    }
    files_ = PlannedFiles(std::move(files));
    ended_ = !running().begin(this);
    if (ended_) return;
    try {
      runner_ = std::thread([this] { run(); });
    } catch (...) {
      running().end(this);
      throw;
    }
  }

  ~Batch() { stop(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Waits for the result of the next image, in the order of the files, and returns the result. Returns null after the
  /// last image. Throws the error that ended the run.
  std::unique_ptr<BatchResult> next() {
    for (;;) {
      {
        const WithoutGil others;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::milliseconds(look_for_signals), [&] { return is_done(next_) || ended_; });
        if (std::unique_ptr<BatchResult> result = take_next()) return result;
        if (ended_ && next_ == outcomes_.size()) {
          if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
          return nullptr;
        }
      }
      if (hears_signals()) look_at_signals();
    }
  }

  /// Asks the work to end; images that are being extracted are discarded.
  void ask_to_stop() {
    stop_ = true;
    changed_.notify_all();
  }

  /// Stops the work.
  void stop() {
    ask_to_stop();
    const WithoutGil others;
    if (runner_.joinable()) runner_.join();
  }

 private:
  /// The results of a file's images, by HDU. `told` counts the results so far, `expected` the images of the file.
  struct Outcome {
    std::map<int, BatchResult> images = {};
    int told = 0, expected = 1;
  };

  bool is_done(std::size_t file) const {
    return file < outcomes_.size() && outcomes_[file].told >= outcomes_[file].expected;
  }

  /// The next result, or null if the next result is not ready. The caller holds the mutex.
  std::unique_ptr<BatchResult> take_next() {
    while (is_done(next_) || (ended_ && next_ < outcomes_.size())) {
      std::map<int, BatchResult>& images = outcomes_[next_].images;
      if (!images.empty()) {
        auto result = std::make_unique<BatchResult>(std::move(images.extract(images.begin()).mapped()));
        --waiting_;
        result->last = images.empty();
        if (images.empty()) ++next_;
        changed_.notify_all();
        return result;
      }
      ++next_;
    }
    return nullptr;
  }

  void run() {
    const StopScope asked(&stop_);
    try {
      const Machine machine = machine_of(wish_, workload_of(files_));
      MemoryBudget budget = memory_budget(std::nullopt);
      const KeptFiles nothing;
      const Job job{
          .output_dir = ".",
          .arguments = {},
          .kept = nothing,
          .describe = false,
          .take = [&](const ImageTask& task, const ImageInput& input, ImageResult&& result, const Execution& run) {
            add(task, {task.name, catalogue_of(input, std::move(result), run), {}, {}});
          }};
      RunControl control;
      control.on_failure = [&](const ImageTask& task, const Failure& what) {
        if (!stop_)
          add(task, {task.name, nullptr, kind_name(what.kind), in_words_of_python(message_about(task.name, what))});
      };
      control.should_stop = [&] { return stop_.load(); };
      control.on_file = [&](const ImageFile&) {
        wait_for_room();
        return nullptr;
      };
      process_files(job, files_, machine, budget, Progress(Progress::Show::nothing, 1, 0), control);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    }
    running().end(this);
  }

  void add(const ImageTask& task, BatchResult&& result) {
    const std::lock_guard lock(mutex_);
    Outcome& outcome = outcomes_[task.number];
    outcome.expected = task.images;
    ++outcome.told;
    ++waiting_;
    outcome.images.insert_or_assign(task.image.hdu, std::move(result));
    changed_.notify_all();
  }

  /// Delays opening another file while many results wait for next(). If the result for next() is not ready, the file is
  /// opened anyway after a short delay. The waiting results may all be of later files, while next() waits for an
  /// earlier file that this worker has to extract.
  void wait_for_room() {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] { return stop_ || waiting_ < most_waiting_; };
    while (!has_room() && is_done(next_)) changed_.wait_for(lock, std::chrono::milliseconds(look_for_signals));
    changed_.wait_for(lock, std::chrono::milliseconds(4 * look_for_signals), has_room);
  }

  MachineWish wish_;
  std::size_t most_waiting_;
  PlannedFiles files_;
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Outcome> outcomes_;
  std::size_t next_ = 0, waiting_ = 0;
  bool ended_ = false;
  std::exception_ptr error_;
  std::thread runner_;
};

void Running::stop_all() {
  if (getpid() != process_) return;
  const WithoutGil others;
  std::unique_lock lock(mutex_);
  python_ends_ = true;
  for (Batch* const batch : batches_) batch->ask_to_stop();
  changed_.wait(lock, [&] { return batches_.empty(); });
}

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<BatchResult>(module, "BatchResult")
      .def_ro("name", &BatchResult::name)
      .def_ro("kind", &BatchResult::kind)
      .def_ro("message", &BatchResult::message)
      .def_ro("last", &BatchResult::last)
      .def("take", [](BatchResult& self) { return std::move(self.catalogue); });
  nb::class_<Batch>(module, "Batch")
      .def(nb::init<const Configuration&, const std::vector<std::string>&, const std::string&, const std::vector<int>&,
                    int>(),
           nb::arg("configuration"), nb::arg("paths"), nb::arg("backend"), nb::arg("devices"), nb::arg("threads"))
      .def("next", &Batch::next)
      .def("stop", &Batch::stop);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { running().stop_all(); }));
}

}  // namespace srcextract::python
