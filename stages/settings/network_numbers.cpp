#include "stages/settings/network_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "stages/core/line_words.hpp"

namespace srcextract {

FileNumbers network_numbers(const std::vector<NumberLine>& lines) {
  constexpr double layers[] = {3, network_inputs, network_hidden, 1};
  constexpr std::size_t all = std::size(layers) + network_size;
  if (lines.empty() || lines[0].words != std::vector<std::string_view>{"NNW"})
    return {.problem = "no neural network: it must begin with a line NNW, as SExtractor's default.nnw does",
            .line = lines.empty() ? 1 : lines[0].number};
  std::vector<double> numbers;
  for (const NumberLine& line : lines) {
    if (&line == &lines[0]) continue;
    const auto refuse = [&](const std::string& problem) {
      return FileNumbers{.problem = problem, .line = line.number};
    };
    for (const std::string_view word : line.words) {
      const auto number = finite_number(word);
      if (!number) return refuse("'" + std::string(word.substr(0, 40)) + "' is no finite number");
      numbers.push_back(*number);
      if (numbers.size() <= std::size(layers) && !std::equal(numbers.begin(), numbers.end(), layers))
        return refuse("a network of other layers than 3 10 10 1, which CLASS_STAR needs");
      if (numbers.size() > all)
        return refuse("more numbers than a network 3 10 10 1 has, which are " + std::to_string(network_size));
    }
  }
  if (numbers.size() != all)
    return {.problem = "the file ends before its network of layers 3 10 10 1 does", .line = lines.back().number};
  return {.values = {numbers.begin() + std::ssize(layers), numbers.end()}};
}

}  // namespace srcextract
