#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/process.hpp"

namespace srcextract {

/// Does the work and returns 0, or logs why it failed, as a message about `name`, and returns the exit code.
int attempt(const std::string& name, const std::function<void()>& work);

/// Results go to stdout, and nothing else does.
void print_result(const std::string& text);

/// Extracts every image of the job's files. As many files are under way at a time as there are `workers`, each of which
/// takes one after the other; with one of them, files come in order. Each image is tried; returns the highest exit
/// code.
int process_files(const Job& job, const std::vector<Execution>& workers, const Progress& progress);

}  // namespace srcextract
