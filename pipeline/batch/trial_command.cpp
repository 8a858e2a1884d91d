#include "pipeline/batch/trial_command.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/temporary_names.hpp"
#include "pipeline/batch/batch.hpp"
#include "pipeline/batch/trial_process.hpp"
#include "pipeline/batch/trial_request.hpp"
#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/outputs.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::json;

/// Makes this process die together with its parent. Ignores SIGTERM, SIGINT and SIGHUP, since the parent decides when
/// this process ends.
void depend_on(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) std::_Exit(1);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

std::vector<std::uint8_t> read_all(int descriptor) {
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 65536> block;
  for (ssize_t count; (count = ::read(descriptor, block.data(), block.size())) != 0;) {
    if (count > 0) bytes.insert(bytes.end(), block.begin(), block.begin() + count);
    if (count < 0 && errno != EINTR) throw Error(ErrorKind::internal, "cannot read what is to be extracted by itself");
  }
  return bytes;
}

void tell(std::string line) {
  line += '\n';
  for (std::string_view left = line; !left.empty();) {
    const ssize_t written = ::write(trial_answers, left.data(), left.size());
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) throw Error(ErrorKind::storage, "nobody hears what became of an image");
  }
}

void extract_all(const TrialRequest& request) {
  Machine machine =
      choose_machine({request.compare ? Backend::compare : Backend::cpu, request.devices, request.threads},
                     workload_of(request.files));
  machine.one_by_one = true;
  MemoryBudget budget = memory_budget(request.memory);
  const KeptFiles kept(request.kept);
  const bool describe = request.verbosity == Verbosity::verbose;
  const Job job{.output_dir = request.directory,
                .arguments = request.arguments,
                .kept = kept,
                .flush = Flush::later,
                .describe = describe,
                .positions = std::make_shared<PositionTables>(budget.bytes())};
  RunControl control;
  control.on_begin = [](const ImageTask& task) { tell(format_record(begin_record(task))); };
  control.on_image = [](const ImageOutcome& outcome) { tell(format_record(outcome.record)); };
  for (std::size_t i = 0; i < request.files.size(); ++i) {
    tell(Json{{"file", i}}.dump());
    process_files(job, std::vector{request.files[i]}, machine, budget, Progress(Progress::Show::nothing, 1, 0),
                  control);
  }
}

}  // namespace

bool is_trial(int argc, const char* const* argv) {
  return argc == 3 && std::string_view(argv[1]) == trial_argument;
}

int run_trial(int, const char* const* argv) {
  depend_on(static_cast<pid_t>(std::strtol(argv[2], nullptr, 10)));
  try {
    const TrialRequest request = parse_request(read_all(STDIN_FILENO));
    configure_log(request.verbosity, request.log_file, false);
    tag_temporaries(request.temporaries);
    extract_all(request);
  } catch (...) {
    const Failure failure = current_failure();
    tell(Json{{"error", static_cast<int>(failure.kind)}, {"message", failure.message}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
  }
  return 0;
}

}  // namespace srcextract
