#include "cli/ignores.h"

#include <algorithm>
#include <array>
#include <optional>

#include "fluxhook/base/text.h"

namespace fluxhook::cli {
namespace {

constexpr std::string_view kMark = "fluxhook:";
constexpr std::array<std::string_view, 1> kWord{"ignore"};

/// Takes the first word off.
std::string_view next_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = trim(text.substr(word.size()));
  return word;
}

/// What follows `fluxhook: ignore`, also misspelt; none: the comment is no such one.
std::optional<std::string_view> directive(std::string_view comment) {
  if (!comment.starts_with(kMark)) return {};
  comment.remove_prefix(kMark.size());
  if (nearest(next_word(comment), kWord).empty()) return {};
  return comment;
}

} // namespace

const flux::RuleInfo* find_rule(std::string_view word) {
  const auto rule = std::ranges::find_if(flux::rules(), [&](const flux::RuleInfo& row) {
    return equals_ignoring_case(word, row.name) || equals_ignoring_case(word, flux::rule_id(row.rule));
  });
  return rule == flux::rules().end() ? nullptr : &*rule;
}

Ignores::Ignores(const manifest::Document& document) {
  if (document.json || !document.text.contains(kMark)) return;
  const auto comments = manifest::find_comments(document.text, document.line);
  const auto lines = split(document.text, '\n');
  const auto is_blank = [&](std::uint32_t line) {
    const std::size_t index = line - document.line;
    return index < lines.size() && lines[index].find_first_not_of(" \t\r") == std::string_view::npos;
  };
  for (auto comment = comments.begin(); comment != comments.end(); ++comment) {
    std::uint32_t line = comment->line + (comment->alone ? 1 : 0);
    for (auto next = comment + 1; comment->alone; ++line) {
      if (is_blank(line)) continue;
      if (next == comments.end() || !next->alone || next->line != line) break;
      ++next;
    }
    add(*comment, line);
  }
}

void Ignores::add(const manifest::Comment& comment, std::uint32_t line) {
  auto rest = directive(comment.text);
  if (!rest) return;
  constexpr std::string_view kForm = "# fluxhook: ignore RULE REASON";
  const std::string_view rules = next_word(*rest);
  std::vector<Ignore> named;
  for (const std::string_view word : split(rules, ',')) {
    const flux::RuleInfo* const rule = find_rule(word);
    if (rule == nullptr)
      return faults_.push_back(
          {comment.line,
           fluxhook::in_quotes(word) + " is no rule (docs/rules.md lists them): " + std::string(kForm)});
    named.push_back({rule->rule, comment.line, line});
  }
  if (rest->empty()) return faults_.push_back({comment.line, "a reason is missing: " + std::string(kForm)});
  ignores_.insert(ignores_.end(), named.begin(), named.end());
}

bool Ignores::take(flux::Rule rule, std::uint32_t line) {
  bool taken = false;
  for (Ignore& one : ignores_) {
    if (one.rule == rule && one.line == line) taken = one.used = true;
  }
  return taken;
}

std::vector<Ignores::Fault> Ignores::unused() const {
  std::vector<Fault> all;
  for (const Ignore& one : ignores_)
    if (!one.used)
      all.push_back({one.comment, "nothing to ignore: no finding of " + flux::rule_id(one.rule) +
                                      " in line " + std::to_string(one.line)});
  return all;
}

} // namespace fluxhook::cli
