#include "cli/diff.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "cli/terminal.h"

namespace fluxhook::cli {
namespace {

using Lines = std::vector<std::string_view>;

/// With their ends, so that a last line without one differs from one with it.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

/// A line of the edit script: ' ' kept, '-' removed, '+' added.
struct Edit {
  char what = ' ';
  std::string_view line;
};

/// The shortest edit script between two runs of lines (E. Myers, "An O(ND) Difference Algorithm and Its
/// Variations", 1986), or, past kMost edits, a shortest one as far as they get.
class Myers {
public:
  Myers(std::span<const std::string_view> before, std::span<const std::string_view> after)
      : a_(before), b_(after), n_(std::ssize(before)), m_(std::ssize(after)) {}

  void run(std::vector<Edit>& script) {
    furthest_.assign(static_cast<std::size_t>(2 * kMost + 3), kNowhere);
    std::ptrdiff_t d = 0;
    while (!round(d) && d < kMost)
      ++d;
    const std::size_t start = script.size();
    walk_back(d, script);
    std::reverse(script.begin() + static_cast<std::ptrdiff_t>(start), script.end());
  }

  /// How far the script gets in both.
  [[nodiscard]] std::size_t before_used() const { return at(end_x_); }
  [[nodiscard]] std::size_t after_used() const { return at(end_y_); }

private:
  static constexpr std::ptrdiff_t kMost = 2000;

  static std::size_t at(std::ptrdiff_t index) { return static_cast<std::size_t>(index); }
  /// Furthest x on diagonal k = x - y.
  [[nodiscard]] std::ptrdiff_t& furthest(std::ptrdiff_t k) { return furthest_[at(k + kMost + 1)]; }

  /// The last step to diagonal k.
  struct Step {
    std::ptrdiff_t x = kNowhere; ///< after it
    bool added = false;          ///< a line of the new text, else one of the old text is removed
  };

  /// The better one of the two, from the furthest points of the diagonals beside k.
  [[nodiscard]] Step best_step(std::ptrdiff_t k, std::ptrdiff_t left, std::ptrdiff_t right) const {
    Step step;
    if (left >= 0 && left < n_) step.x = left + 1;
    if (right >= step.x && right >= 0 && right - k <= m_) step = {right, true};
    return step;
  }

  /// All paths of d edits; whether one is at the end. Leaves the furthest one in end_x_, end_y_.
  bool round(std::ptrdiff_t d) {
    rounds_.emplace_back(&furthest(-d - 1), &furthest(d + 1) + 1); // what this round reads
    end_x_ = end_y_ = 0;
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t& x = furthest(k);
      x = d == 0 ? 0 : best_step(k, furthest(k - 1), furthest(k + 1)).x;
      if (x < 0) continue;
      while (x < n_ && x - k < m_ && a_[at(x)] == b_[at(x - k)])
        ++x;
      if (x + x - k <= end_x_ + end_y_) continue;
      end_x_ = x;
      end_y_ = x - k;
    }
    return end_x_ == n_ && end_y_ == m_;
  }

  /// Appends the path to (end_x_, end_y_) of d edits, its end first.
  void walk_back(std::ptrdiff_t d, std::vector<Edit>& script) {
    std::ptrdiff_t x = end_x_;
    std::ptrdiff_t y = end_y_;
    for (; d > 0; --d) {
      const auto& before = rounds_[at(d)]; // starts with diagonal -d-1
      const std::ptrdiff_t k = x - y;
      const Step step = best_step(k, before[at(k + d)], before[at(k + d + 2)]);
      for (; x > step.x; --y)
        script.push_back({' ', a_[at(--x)]});
      script.push_back(step.added ? Edit{'+', b_[at(--y)]} : Edit{'-', a_[at(--x)]});
    }
    for (; x > 0; --y)
      script.push_back({' ', a_[at(--x)]});
  }

  static constexpr std::ptrdiff_t kNowhere = -1;

  std::span<const std::string_view> a_, b_;
  std::ptrdiff_t n_, m_;
  std::ptrdiff_t end_x_ = 0, end_y_ = 0;
  std::vector<std::ptrdiff_t> furthest_;
  std::vector<std::vector<std::ptrdiff_t>> rounds_;
};

std::vector<Edit> edit_script(std::span<const std::string_view> before,
                              std::span<const std::string_view> after) {
  std::vector<Edit> script;
  while (!before.empty() || !after.empty()) {
    Myers myers(before, after);
    myers.run(script);
    before = before.subspan(myers.before_used());
    after = after.subspan(myers.after_used());
  }
  return script;
}

/// "4,3": where a hunk is in one of the texts. An empty one is behind the line that it follows.
std::string range(std::size_t skipped, std::size_t count) {
  const std::string first = std::to_string(count == 0 ? skipped : skipped + 1);
  return count == 1 ? first : first + "," + std::to_string(count);
}

/// Writes the hunks of a script.
class HunkWriter {
public:
  HunkWriter(std::span<const Edit> script, bool color) : script_(script), color_(color) {}

  std::string write() {
    std::size_t from = 0;
    while (true) {
      const auto next =
          std::find_if(script_.begin() + static_cast<std::ptrdiff_t>(from), script_.end(), changed);
      if (next == script_.end()) return std::move(out_);
      const auto change = static_cast<std::size_t>(next - script_.begin());
      from = hunk(std::max(from, change - std::min(change, kContext)), change);
    }
  }

private:
  static constexpr std::size_t kContext = 3;
  static bool changed(const Edit& edit) { return edit.what != ' '; }

  /// Writes the hunk that starts at `start` and holds the change at `change`; returns its end.
  std::size_t hunk(std::size_t start, std::size_t change) {
    std::size_t last = change;
    for (std::size_t i = change; i < script_.size() && i <= last + 2 * kContext + 1; ++i)
      if (changed(script_[i])) last = i;
    const std::size_t end = std::min(last + 1 + kContext, script_.size());
    const auto count = [&](std::size_t first, std::size_t behind, char other) {
      const auto part = script_.subspan(first, behind - first);
      return part.size() - static_cast<std::size_t>(std::ranges::count(part, other, &Edit::what));
    };
    out_ += colored("@@ -" + range(count(0, start, '+'), count(start, end, '+')) + " +" +
                        range(count(0, start, '-'), count(start, end, '-')) + " @@",
                    Color::kCyan, color_) +
            "\n";
    for (const Edit& edit : script_.subspan(start, end - start)) {
      const bool ended = edit.line.ends_with('\n');
      const std::string line =
          edit.what + std::string(edit.line.substr(0, edit.line.size() - (ended ? 1 : 0)));
      const Color tint = edit.what == '+' ? Color::kGreen : Color::kRed;
      out_ += colored(line, tint, color_ && edit.what != ' ') +
              (ended ? "\n" : "\n\\ No newline at end of file\n");
    }
    return end;
  }

  std::span<const Edit> script_;
  bool color_;
  std::string out_;
};

} // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name, bool color) {
  if (before == after) return {};
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::string head = colored("--- " + std::string(before_name), Color::kBold, color) + "\n" +
                           colored("+++ " + std::string(after_name), Color::kBold, color) + "\n";
  return head + HunkWriter(edit_script(old_lines, new_lines), color).write();
}

} // namespace fluxhook::cli
