#include "io/image/network_file.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "io/files/text_lines.hpp"
#include "io/files/words.hpp"

namespace srcextract {
namespace {

constexpr std::size_t inputs = 10, hidden = 10;
constexpr double layers[] = {3, inputs, hidden, 1};

/// Biases and scales of the inputs; weights and bias of each node; bias and scale of the output.
constexpr std::size_t network_size = 2 * inputs + hidden * (inputs + 1) + (hidden + 1) + 2;

/// All numbers of the file, the layers first.
std::vector<double> read_numbers(TextLines& lines) {
  std::vector<double> numbers;
  bool begun = false;
  while (lines.next()) {
    const std::vector<std::string_view> words = words_of(lines.line());
    if (words.empty() || words.front().starts_with('#')) continue;
    if (!begun) {
      if (words.size() != 1 || words.front() != "NNW") break;
      begun = true;
      continue;
    }
    for (const std::string_view word : words) {
      const auto number = finite_number(word);
      if (!number) throw lines.error("'" + std::string(word.substr(0, 40)) + "' is no finite number");
      numbers.push_back(*number);
      if (numbers.size() <= std::size(layers) && !std::equal(numbers.begin(), numbers.end(), layers))
        throw lines.error("a network of other layers than 3 10 10 1, which CLASS_STAR is told by");
      if (numbers.size() > std::size(layers) + network_size)
        throw lines.error("more numbers than a network 3 10 10 1 has, which are " + std::to_string(network_size));
    }
  }
  if (!begun) throw lines.error("no neural network: it must begin with a line NNW, as SExtractor's default.nnw does");
  return numbers;
}

}  // namespace

std::vector<double> read_network_file(const std::string& path) {
  try {
    TextLines lines(path);
    std::vector<double> numbers = read_numbers(lines);
    if (numbers.size() != std::size(layers) + network_size)
      throw lines.error("the file ends before its network of layers 3 10 10 1 does");
    numbers.erase(numbers.begin(), numbers.begin() + std::ssize(layers));
    return numbers;
  } catch (const Error& error) {
    // A bad network file is a configuration error: nothing can be extracted with this configuration.
    throw Error(error.kind() == ErrorKind::input ? ErrorKind::config : error.kind(), error.what());
  }
}

}  // namespace srcextract
