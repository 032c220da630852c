#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/manifest/node.h"

namespace fluxhook::manifest {

inline constexpr std::string_view kStandardInput = "-"; ///< as a path

/// Levels of nesting that a document may have.
inline constexpr std::size_t kMaxDepth = 500;
/// Values that the aliases of one document may stand for.
inline constexpr std::size_t kMaxAliased = 100'000;

/// Values that one document may have.
inline constexpr std::size_t kMaxValues = 2'000'000;

/// Bytes that a file, or standard input, may have.
inline constexpr std::size_t kMaxFile = 64U << 20U;

/// What there is to read at a path.
struct FoundFiles {
  std::vector<std::string> files; ///< sorted, those of each folder
  std::vector<Error> faults;      ///< the path, or folders below it, that can't be read; `where` names each
  std::vector<std::string> passed_over; ///< pipes, sockets and devices in folders: opening one could wait
};

/// The files of a path: a file is taken as it is, a folder stands for its .yaml, .yml and .json files, also
/// in folders below it, without hidden ones; "-" is taken as it is. What there is not stands for what it
/// matches as a glob. A folder that can't be read hides no other.
[[nodiscard]] FoundFiles find_files(const std::string& path);

/// "FILE:LINE:COLUMN", or "FILE" when the position is not known; standard input is `<stdin>`.
[[nodiscard]] std::string place(std::string_view file, Position at);

/// A document, and its text. The `lead` and `text` of all documents of a file, and its Reader::rest(), are
/// the file again, byte for byte; only a CR that is no part of a CR LF is a LF.
struct Document {
  Node root;
  std::string text; ///< YAML: from its `---`, if any, to the next one, comments included; JSON: what is JSON
  std::string lead; ///< what stands between the document before and this one: comments, or nothing
  std::uint32_t line = 1; ///< of the text's first line in the file
  bool json = false;
};

/// A line of the document's text, by its number in the file; "" when it has no such line.
[[nodiscard]] std::string_view line_of(const Document& document, std::uint32_t line);

/// Reads a file document by document, holding one at a time: YAML documents between `---`, or JSON
/// texts one after another; of no more than kMaxFile bytes in all. YAML is read by the rules of kubectl
/// (sigs.k8s.io/yaml): yes and on are booleans, 0777 is octal. Stricter than kubectl: a key twice, and a
/// merge key that would overwrite a key above it, are errors.
class Reader {
public:
  /// Opens a file; "-" is `standard_input`, which has to outlive the reader. Error: it can't be opened.
  [[nodiscard]] static Result<Reader> open(const std::string& path, std::istream& standard_input);

  /// The next document that holds anything; none at the end. Error: what can't be read, with its place
  /// (`where` is FILE:LINE:COLUMN); reading goes on behind the next `---`.
  [[nodiscard]] std::optional<Result<Document>> next();

  /// A line, by its number in the file, of what next() could not read; "" when it has no such line.
  [[nodiscard]] std::string_view failed_line(std::uint32_t line) const;

  /// At the end: what stands behind the last document.
  [[nodiscard]] const std::string& rest() const;

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The one value in a JSON text. Error: as Reader::next, named after `file`.
[[nodiscard]] Result<Node> parse_json(std::string_view text, std::string_view file);

} // namespace fluxhook::manifest
