#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace srcextract {

/// The help of a command: what an option needs and excludes stands after its description, not beside its name.
class HelpText : public CLI::Formatter {
 public:
  HelpText() { column_width(28); }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0 && !option->get_type_name().empty()) text = " " + option->get_type_name();
    return text + (option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string& text = option->get_description();
    std::string with;
    for (const CLI::Option* other : option->get_needs()) with += (with.empty() ? "with " : ", ") + other->get_name();
    for (const CLI::Option* other : option->get_excludes())
      with += (with.empty() ? "not with " : ", not with ") + other->get_name();
    return with.empty() ? text : text + "\n(" + with + ")";
  }
};

/// Gives a command this help.
inline void use_help_text(CLI::App& app) {
  app.formatter(std::make_shared<HelpText>());
}

}  // namespace srcextract
