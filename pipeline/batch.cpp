#include "pipeline/batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

#include "io/fits_image.hpp"
#include "pipeline/log.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// `message` with the name of what it is about before it, unless it names that, or the file that has it, itself.
std::string about(const std::string& name, const std::string& message) {
  const bool said = message.starts_with(name) || message.find(" of " + name) != std::string::npos ||
                    name.ends_with(" of " + message.substr(0, message.find(": ")));
  return said ? message : name + ": " + message;
}

void require_agreement(const std::string& name, const std::vector<StageComparison>& comparison,
                       const Progress& progress) {
  if (comparison.empty()) return;
  progress.clear();
  print_result(format_comparison(name, comparison));
  if (!all_equal(comparison))
    throw Error(ErrorKind::mismatch, "CPU and CUDA disagree; please report it with the table and the image");
}

/// Extracts every image of one file. Each is tried; returns the highest exit code.
int process_file(const std::string& path, const Job& job, const Execution& execution, Progress& progress) {
  progress.begin_file(path);
  int worst = 0;
  const int opened = attempt(path, [&] {
    const std::vector<SelectedImage> images = select_images(path, job.config.input.hdu);
    const bool several = images.size() > 1;
    for (const SelectedImage& image : images) {
      const std::string name = several ? image.name : path;
      progress.begin_image(name);
      const int code = attempt(name, [&] {
        require_agreement(name, process_image(image.open(), path, name, several, job, execution, progress), progress);
      });
      worst = std::max(worst, code);
    }
  });
  return std::max(worst, opened);
}

}  // namespace

int attempt(const std::string& name, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const Error& error) {
    log_error(about(name, error.what()));
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    log_error(about(name, "not enough memory"));
  } catch (const std::exception& error) {
    log_error(about(name, std::string("internal error, please report it: ") + error.what()));
  }
  return exit_code(ErrorKind::internal);
}

void print_result(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
    throw Error(ErrorKind::output, "cannot write to standard output");
}

int process_files(const Job& job, const std::vector<Execution>& workers, const Progress& progress) {
  const std::vector<std::string>& files = job.command.images;
  if (files.size() > 1) keep_small_buffers();
  std::atomic<std::size_t> next = 0;
  std::vector<int> worst(workers.size(), 0);
  const auto work = [&](std::size_t worker) {
    Progress own = progress;
    for (std::size_t file; (file = next++) < files.size();)
      worst[worker] = std::max(worst[worker], process_file(files[file], job, workers[worker], own));
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t worker = 1; worker < workers.size(); ++worker) others.emplace_back(work, worker);
    work(0);
  }
  return *std::max_element(worst.begin(), worst.end());
}

}  // namespace srcextract
