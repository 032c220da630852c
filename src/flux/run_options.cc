#include "run_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fluxhook/base/text.h"

namespace fluxhook::flux {
namespace {

using namespace std::string_view_literals;

enum class Takes : std::uint8_t {
  kNothing,
  kValue,
  kNumber,
  kEndsThere,   ///< prints something instead of running the job
  kPerResource, ///< of the family that excludes -n, which fluxhook gives
};

struct Option {
  std::string_view name;
  char letter; ///< 0: none
  Takes takes;
};

/// flux-core 0.88, doc/man1/flux-run.rst.
constexpr std::array kOptions{Option{"--add-file", 0, Takes::kValue},
                              Option{"--begin-time", 0, Takes::kValue},
                              Option{"--cores", 0, Takes::kPerResource},
                              Option{"--cores-per-task", 'c', Takes::kNumber},
                              Option{"--cwd", 0, Takes::kValue},
                              Option{"--debug-emulate", 0, Takes::kNothing},
                              Option{"--dependency", 0, Takes::kValue},
                              Option{"--dry-run", 0, Takes::kEndsThere},
                              Option{"--env", 0, Takes::kValue},
                              Option{"--env-file", 0, Takes::kValue},
                              Option{"--env-remove", 0, Takes::kValue},
                              Option{"--error", 0, Takes::kValue},
                              Option{"--exclusive", 'x', Takes::kNothing},
                              Option{"--flags", 0, Takes::kValue},
                              Option{"--gpus-per-node", 0, Takes::kPerResource},
                              Option{"--gpus-per-task", 'g', Takes::kNumber},
                              Option{"--help", 'h', Takes::kEndsThere},
                              Option{"--input", 0, Takes::kValue},
                              Option{"--job-name", 0, Takes::kValue},
                              Option{"--label-io", 'l', Takes::kNothing},
                              Option{"--nodes", 'N', Takes::kNumber},
                              Option{"--ntasks", 'n', Takes::kNumber},
                              Option{"--output", 0, Takes::kValue},
                              Option{"--queue", 'q', Takes::kValue},
                              Option{"--quiet", 0, Takes::kNothing},
                              Option{"--requires", 0, Takes::kValue},
                              Option{"--rlimit", 0, Takes::kValue},
                              Option{"--setattr", 0, Takes::kValue},
                              Option{"--setopt", 'o', Takes::kValue},
                              Option{"--signal", 0, Takes::kValue},
                              Option{"--taskmap", 0, Takes::kValue},
                              Option{"--tasks-per-core", 0, Takes::kPerResource},
                              Option{"--tasks-per-node", 0, Takes::kPerResource},
                              Option{"--time-limit", 't', Takes::kValue},
                              Option{"--unbuffered", 'u', Takes::kNothing},
                              Option{"--urgency", 0, Takes::kValue},
                              Option{"--verbose", 'v', Takes::kNothing},
                              Option{"--wait-event", 0, Takes::kValue}};

/// By its name, or by a beginning that only one has, as python's argparse takes it.
const Option* find_long(std::string_view name) {
  if (const auto exact = std::ranges::find(kOptions, name, &Option::name); exact != kOptions.end())
    return &*exact;
  const auto fits = [&](const Option& option) { return option.name.starts_with(name); };
  const auto first = std::ranges::find_if(kOptions, fits);
  return std::ranges::count_if(kOptions, fits) == 1 ? &*first : nullptr;
}

const Option* find_letter(char letter) {
  const auto option = std::ranges::find(kOptions, letter, &Option::letter);
  return option == kOptions.end() ? nullptr : &*option;
}

/// Goes over the words as flux run does, with python's argparse.
class Reader {
public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  std::string check() {
    while (fault_.empty() && at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word.size() < 2 || word.front() != '-') note(word, "is no option: flux run would run it");
      else if (word.starts_with("--")) read_long(word);
      else read_letters(word);
    }
    return fault_;
  }

private:
  void note(std::string_view word, std::string_view what) {
    fault_ = in_quotes(shortened(word, 64)) + " " + std::string(what);
  }

  void read_long(std::string_view word) {
    const auto equals = word.find('=');
    const auto name = word.substr(0, equals);
    const Option* option = find_long(name);
    const bool has_value = equals != std::string_view::npos;
    if (option == nullptr) {
      if (!has_value) skip_value();
    } else if (has_value && (option->takes == Takes::kNothing || option->takes == Takes::kEndsThere)) {
      note(name, "takes no value");
    } else {
      read_option(*option, name, has_value, has_value ? word.substr(equals + 1) : std::string_view());
    }
  }

  /// -v, -vv, -n4, -n=4, -ln 4: letters without a value, and at last one with it.
  void read_letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size() && fault_.empty(); ++i) {
      const Option* option = find_letter(word[i]);
      auto rest = word.substr(i + 1);
      if (option == nullptr) {
        if (rest.empty()) skip_value();
        return;
      }
      const bool has_value = !rest.empty();
      if (i == 1 && rest.starts_with('=')) rest.remove_prefix(1);
      read_option(*option, std::string{'-', word[i]}, has_value, rest);
      if (option->takes != Takes::kNothing) return;
    }
  }

  void read_option(const Option& option, std::string_view name, bool has_value, std::string_view value) {
    switch (option.takes) {
    case Takes::kNothing: return;
    case Takes::kEndsThere: return note(name, "does not run the job");
    case Takes::kPerResource: return note(name, "can't be used with the -n that fluxhook gives flux run");
    case Takes::kValue:
    case Takes::kNumber: break;
    }
    if (!has_value) {
      if (at_ == words_.size() || looks_like_option(words_[at_])) return note(name, "needs a value");
      value = words_[at_++];
    }
    // What python's int() takes, and no sign: there is nothing less than none.
    if (option.takes == Takes::kNumber && value.find_first_not_of("0123456789_+ ") != std::string_view::npos)
      note(name, "needs a number");
  }

  /// An option that is not known may have a value.
  void skip_value() {
    if (at_ < words_.size() && !looks_like_option(words_[at_])) ++at_;
  }

  /// argparse takes numbers below zero, and words with blanks that begin with no option, for values.
  static bool looks_like_option(std::string_view word) {
    if (!word.starts_with('-')) return false;
    if (word.contains(' ')) return begins_with_option(word);
    const auto number = word.substr(1);
    return number.find_first_not_of("0123456789.") != std::string_view::npos || number.ends_with('.') ||
           std::ranges::count(number, '.') > 1;
  }

  static bool begins_with_option(std::string_view word) {
    if (!word.starts_with("--")) return find_letter(word[1]) != nullptr;
    return word.contains('=') && find_long(word.substr(0, word.find('='))) != nullptr;
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::string fault_;
};

} // namespace

std::string check_run_options(const std::vector<std::string>& words) { return Reader(words).check(); }

} // namespace fluxhook::flux
