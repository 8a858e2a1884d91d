#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "tests/fuzz/fuzz_support.hpp"

/// Runs a target over files and folders of files, as libFuzzer would: for compilers that have none. Says how many there
/// were; none is an error.
int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::set<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) files.insert(argv[i]);
    if (!fs::is_directory(argv[i])) continue;
    for (const auto& entry : fs::directory_iterator(argv[i])) files.insert(entry.path());
  }
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) std::cerr << "cannot read " << path << '\n';
    if (!file) return 1;
    std::cerr << "running " << path.string() << std::endl;  // the last one is what a crash is about
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::cerr << files.size() << " files\n";
  return files.empty() ? 1 : 0;
}
