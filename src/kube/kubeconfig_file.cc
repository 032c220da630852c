#include "kube/kubeconfig_file.h"

#include <filesystem>
#include <sstream>
#include <utility>

#include "fluxhook/base/text.h"
#include "fluxhook/manifest/reader.h"

namespace fluxhook::kube {

namespace {

using manifest::Node;
using std::filesystem::file_type;

Error at(const std::string& file, const Node& node, std::string what) {
  return {manifest::place(file, node.at), std::move(what)};
}

/// The first document, as kubectl; an empty file says nothing.
Result<Node> read_document(const std::string& path) {
  std::istringstream nothing; // a file called "-" is not standard input here
  const std::string file = path == manifest::kStandardInput ? "./-" : path;
  auto reader = manifest::Reader::open(file, nothing);
  if (!reader) return fail(path, "can't be read: " + reader.error().what);
  auto document = reader->next();
  if (!document) return Node{.kind = Node::Kind::kObject};
  if (!*document) return std::unexpected(document->error());
  Node root = std::move((*document)->root);
  if (root.kind != Node::Kind::kObject)
    return std::unexpected(at(path, root, "this is no kubeconfig: it has no fields"));
  const Node* kind = root.find("kind");
  if (kind != nullptr && kind->text != "Config")
    return std::unexpected(
        at(path, *kind, "kind " + fluxhook::in_quotes(kind->text) + ": a kubeconfig has kind Config"));
  return root;
}

/// Takes `clusters`, `users` or `contexts` over. `list` and `field`: how they are called.
Result<void> merge(Node& root, const std::string& file, const char* list, const char* field,
                   Entries& entries) {
  Node* const items = root.find(list);
  if (items == nullptr || items->kind == Node::Kind::kNull) return {};
  if (items->kind != Node::Kind::kList)
    return std::unexpected(at(file, *items, std::string(list) + ": a list is needed"));
  Entries own;
  for (Node& item : items->items) {
    const Node* const name = item.find("name");
    if (name == nullptr || name->kind != Node::Kind::kString)
      return std::unexpected(at(file, item, std::string(list) + ": each entry needs a name, a string"));
    Node* const value = item.find(field);
    if (value != nullptr && value->kind != Node::Kind::kObject && value->kind != Node::Kind::kNull)
      return std::unexpected(at(file, *value, std::string(field) + ": fields are needed"));
    Entry entry{file, value == nullptr ? Node{} : std::move(*value)};
    if (entry.value.at.line == 0) entry.value.at = item.at;
    if (!own.emplace(name->text, std::move(entry)).second)
      return std::unexpected(
          at(file, item,
             std::string(list) + ": there are two with the name " + fluxhook::in_quotes(name->text)));
  }
  entries.merge(own); // what is there stays
  return {};
}

Result<void> merge(const std::string& path, Kubeconfig& config) {
  auto root = read_document(path);
  if (!root) return std::unexpected(root.error());
  if (auto merged = merge(*root, path, "clusters", "cluster", config.clusters); !merged) return merged;
  if (auto merged = merge(*root, path, "users", "user", config.users); !merged) return merged;
  if (auto merged = merge(*root, path, "contexts", "context", config.contexts); !merged) return merged;
  if (config.current_context.empty()) config.current_context = root->get("current-context");
  config.files.push_back(path);
  return {};
}

} // namespace

std::string Kubeconfig::source() const { return joined(files); }

std::string names_of(const Entries& entries) {
  std::string text;
  for (const auto& [name, entry] : entries)
    text += (text.empty() ? "" : ", ") + fluxhook::in_quotes(name);
  return text.empty() ? "none" : text;
}

Result<Kubeconfig> read_kubeconfig(const std::vector<std::string>& paths) {
  Kubeconfig config;
  for (const std::string& path : paths) {
    std::error_code fault; // a path that may not be looked at is told by the reader
    const auto type = path.empty() ? file_type::not_found : std::filesystem::status(path, fault).type();
    if (type == file_type::not_found) continue;
    if (type == file_type::fifo || type == file_type::socket) // it would wait
      return fail(path, "is no regular file");
    if (auto merged = merge(path, config); !merged) return std::unexpected(merged.error());
  }
  return config;
}

} // namespace fluxhook::kube
