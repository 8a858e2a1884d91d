#include "io/wcs/unit_grammar.hpp"

#include <cmath>
#include <utility>

#include "stages/core/ascii.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

constexpr int largest_power = 99;

/// factor^power, from + * / sqrt and portable functions, since libm may round its pow freely. A factor that is zero or
/// infinite, which parse_unit() refuses in the end, stays as it is.
double to_power(double factor, double power) {
  if (!std::isnormal(factor)) return factor;
  if (power < 0) return 1 / to_power(factor, -power);
  double result = 1;
  for (; power >= 1; --power) result *= factor;
  if (power == 0.5) return result * std::sqrt(factor);
  return power > 0 ? result * portable_exp(power * portable_log(factor)) : result;
}

void multiply(UnitValue& product, const UnitValue& by, double power) {
  product.factor *= to_power(by.factor, power);
  for (std::size_t i = 0; i < quantities; ++i) product.powers[i] += power * by.powers[i];
}

/// Parses a unit by recursive descent without backtracking. Each function removes what it parses from `left_`, and
/// returns nothing if the text does not match.
class Parser {
 public:
  explicit Parser(std::string_view text) : left_(text) {}

  std::optional<ParsedUnit> parse() {
    ParsedUnit unit;
    if (left_.starts_with("10")) {
      const std::optional<double> exponent = ten();
      if (!exponent) return std::nullopt;
      unit.value.factor = to_power(10, *exponent);
      unit.ten = "10**" + shortest(*exponent);
      blanks();
      if (left_.starts_with('.') || left_.starts_with('*')) take(1);
      blanks();
    }
    if (!left_.empty()) {
      const std::optional<UnitValue> rest = product(true);
      if (!rest || !left_.empty()) return std::nullopt;
      multiply(unit.value, *rest, 1);
    }
    if (text_.empty() || !std::isnormal(unit.value.factor)) return std::nullopt;
    unit.text = std::move(text_);
    unit.factors = std::move(factors_);
    return unit;
  }

 private:
  /// Raises all factors from index `first` on to a power.
  void raise_from(std::size_t first, double power) {
    for (; first < factors_.size(); ++first) factors_[first].power *= power;
  }

  /// Moves the next `count` characters from left_ to text_.
  void take(std::size_t count) {
    text_ += left_.substr(0, count);
    left_.remove_prefix(count);
  }

  void blanks() {
    while (left_.starts_with(' ')) take(1);
  }

  /// Returns the next character that is no blank, or NUL at the end.
  char next() const {
    const std::size_t at = left_.find_first_not_of(' ');
    return at == left_.npos ? '\0' : left_[at];
  }

  /// Parses the factor at the start and returns its exponent, which must have a sign or an operator: 10**2, 10^(-2),
  /// 10+2.
  std::optional<double> ten() {
    take(2);
    if (left_.empty()) return std::nullopt;
    const char first = left_.front();
    if (first != '*' && first != '^' && first != '+' && first != '-' && first != '(') return std::nullopt;
    return power();
  }

  std::optional<UnitValue> product(bool may_divide_one) {
    UnitValue result;
    double sign = 1;
    if (may_divide_one && left_.starts_with('/')) {
      take(1);
      blanks();
      sign = -1;
    }
    while (true) {
      const std::size_t first = factors_.size();
      const std::optional<UnitValue> one = term();
      if (!one) return std::nullopt;
      multiply(result, *one, sign);
      raise_from(first, sign);
      const char operation = next();
      if (operation == '\0' || operation == ')') {
        blanks();
        return result;
      }
      sign = operation == '/' ? -1 : 1;
      const bool named = operation == '/' || operation == '*' || operation == '.';
      if (!named && !left_.starts_with(' ')) return std::nullopt;
      blanks();
      if (named) take(1);
      blanks();
    }
  }

  /// Parses a name or a parenthesis, and the power that follows.
  std::optional<UnitValue> term() {
    const std::size_t first = factors_.size();
    std::optional<UnitValue> base = left_.starts_with('(') ? in_parentheses() : name();
    if (!base) return std::nullopt;
    const std::size_t at = left_.find_first_not_of(' ');
    const bool operation = at != left_.npos && (left_.substr(at, 2) == "**" || left_[at] == '^');
    const bool direct = !left_.empty() && (is_digit(left_[0]) || left_[0] == '+' || left_[0] == '-' || left_[0] == '(');
    if (!operation && !direct) return base;
    const std::optional<double> exponent = power();
    if (!exponent) return std::nullopt;
    UnitValue raised;
    multiply(raised, *base, *exponent);
    raise_from(first, *exponent);
    return raised;
  }

  std::optional<UnitValue> in_parentheses() {
    take(1);
    blanks();
    std::optional<UnitValue> inside = product(false);
    if (!inside || !left_.starts_with(')')) return std::nullopt;
    take(1);
    return inside;
  }

  std::optional<UnitValue> name() {
    std::size_t length = 0;
    while (length < left_.size() && is_letter(left_[length])) ++length;
    const std::string_view name = left_.substr(0, length);
    if (name == "sqrt" && left_.substr(length).starts_with('(')) {
      take(length);
      const std::size_t first = factors_.size();
      const std::optional<UnitValue> inside = in_parentheses();
      if (!inside) return std::nullopt;
      UnitValue root;
      multiply(root, *inside, 0.5);
      raise_from(first, 0.5);
      return root;
    }
    std::optional<UnitValue> unit = named_unit(name);
    const std::string_view standard = unit ? std::string_view() : standard_name(name);
    if (!standard.empty()) unit = named_unit(standard);
    text_ += standard.empty() ? name : standard;
    factors_.push_back({std::string(standard.empty() ? name : standard)});
    left_.remove_prefix(length);
    return unit;
  }

  /// Parses an exponent, with or without an operator. A fraction or a decimal number must be in parentheses.
  std::optional<double> power() {
    blanks();
    if (left_.starts_with("**")) {
      take(2);
    } else if (left_.starts_with('^')) {
      take(1);
    }
    blanks();
    if (!left_.starts_with('(')) return signed_number(false);
    take(1);
    blanks();
    std::optional<double> value = signed_number(true);
    if (value && left_.starts_with('/')) {
      take(1);
      const std::optional<double> divisor = signed_number(false);
      if (!divisor || *divisor <= 0) return std::nullopt;
      *value /= *divisor;
    }
    blanks();
    if (!value || !left_.starts_with(')')) return std::nullopt;
    take(1);
    return value;
  }

  std::optional<double> signed_number(bool decimal) {
    const double sign = left_.starts_with('-') ? -1 : 1;
    if (left_.starts_with('-') || left_.starts_with('+')) take(1);
    if (left_.empty() || !is_digit(left_[0])) return std::nullopt;
    double value = 0;
    for (; !left_.empty() && is_digit(left_[0]); take(1)) value = 10 * value + (left_[0] - '0');
    if (decimal && left_.starts_with('.')) {
      take(1);
      for (double digit = 0.1; !left_.empty() && is_digit(left_[0]); take(1), digit /= 10)
        value += digit * (left_[0] - '0');
    }
    return value <= largest_power ? std::optional(sign * value) : std::nullopt;
  }

  std::string_view left_;
  std::string text_;  ///< text parsed so far, with FITS names
  std::vector<UnitPower> factors_;
};

}  // namespace

std::optional<ParsedUnit> parse_unit(std::string_view text) {
  if (text.size() > longest_unit) return std::nullopt;
  return Parser(text).parse();
}

}  // namespace srcextract
