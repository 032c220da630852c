#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/flux/rules.h"
#include "fluxhook/manifest/comments.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::cli {

/// The rule of that id (FH012) or name, in any case; nullptr when there is none.
[[nodiscard]] const flux::RuleInfo* find_rule(std::string_view word);

/// The comments `# fluxhook: ignore RULE[,RULE…] REASON` of a document. One is for the line that it ends, or,
/// alone in its line, for the next line that is neither blank nor a comment. A faulty one leaves out nothing.
class Ignores {
public:
  /// A comment that can't be taken, or that nothing came of.
  struct Fault {
    std::uint32_t line = 0;
    std::string what;
  };

  explicit Ignores(const manifest::Document& document);

  /// Whether a finding of `rule` at `line` is to be left out.
  [[nodiscard]] bool take(flux::Rule rule, std::uint32_t line);

  /// Comments without a rule, with a word that is none, or without a reason.
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  /// Rules of comments that left out nothing so far.
  [[nodiscard]] std::vector<Fault> unused() const;

private:
  struct Ignore {
    flux::Rule rule;
    std::uint32_t comment, line;
    bool used = false;
  };
  void add(const manifest::Comment& comment, std::uint32_t line);

  std::vector<Ignore> ignores_;
  std::vector<Fault> faults_;
};

} // namespace fluxhook::cli
