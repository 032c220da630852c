#include "kube/entry_fields.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "fluxhook/base/text.h"
#include "fluxhook/files/read.h"
#include "fluxhook/manifest/reader.h"
#include "kube/pem.h"

namespace fluxhook::kube {

namespace {

namespace fs = std::filesystem;
using manifest::Node;

/// `path` as it reads in `folder`.
std::string resolved(const std::string& path, const std::string& file) {
  std::error_code fault;
  const fs::path folder = fs::absolute(file, fault).parent_path();
  return path.empty() || fs::path(path).is_absolute() ? path : (folder / path).lexically_normal().string();
}

/// The args of a plugin.
bool read_args(const Node* args, ExecPlugin& plugin) {
  if (args == nullptr || args->kind == Node::Kind::kNull) return true;
  if (args->kind != Node::Kind::kList) return false;
  for (const Node& arg : args->items) {
    if (arg.kind != Node::Kind::kString) return false;
    plugin.args.push_back(arg.text);
  }
  return true;
}

bool read_env(const Node* env, ExecPlugin& plugin) {
  if (env == nullptr || env->kind == Node::Kind::kNull) return true;
  if (env->kind != Node::Kind::kList) return false;
  for (const Node& variable : env->items) {
    const Node* const value = variable.find("value");
    if (variable.get("name").empty() || (value != nullptr && value->kind != Node::Kind::kString))
      return false;
    plugin.env.emplace_back(variable.get("name"), variable.get("value"));
  }
  return true;
}

} // namespace

bool EntryFields::has(std::string_view key) const {
  const Node* const node = entry_.value.find(key);
  return node != nullptr && node->kind != Node::Kind::kNull &&
         !(node->kind == Node::Kind::kString && node->text.empty());
}

std::string EntryFields::text(std::string_view key) {
  if (!has(key)) return {};
  const Node& node = *entry_.value.find(key);
  if (node.kind != Node::Kind::kString) fault(key, "a string is needed: quote it");
  return node.text;
}

bool EntryFields::flag(std::string_view key) {
  if (!has(key)) return false;
  const Node& node = *entry_.value.find(key);
  if (node.kind != Node::Kind::kBool) fault(key, "true or false is needed");
  return node.text == "true";
}

std::string EntryFields::path(std::string_view key) { return resolved(text(key), entry_.file); }

Pem EntryFields::pem(std::string_view key) {
  const std::string data_key = std::string(key) + "-data";
  if (has(key) && has(data_key)) fault(data_key, "only one of it and " + std::string(key) + " may be there");
  Pem pem;
  if (has(data_key)) {
    pem.source = source(data_key);
    if (auto bytes = decode_base64(text(data_key), pem.source)) pem.text = std::move(*bytes);
    else fault(bytes.error());
  } else if (has(key)) {
    pem.source = path(key);
    if (auto bytes = files::read_small(pem.source)) pem.text = std::move(*bytes);
    else fault({source(key), bytes.error().text()});
  }
  return pem;
}

std::optional<ExecPlugin> EntryFields::exec() {
  using namespace std::string_view_literals;
  if (!has("exec")) return {};
  const Entry entry{entry_.file, *entry_.value.find("exec")};
  EntryFields fields(entry, name_ + ": exec");
  const Node& node = entry.value;
  ExecPlugin plugin;
  plugin.api_version = fields.text("apiVersion");
  plugin.command = fields.text("command");
  if (plugin.command.contains('/')) plugin.command = resolved(plugin.command, entry_.file);
  plugin.provide_cluster_info = fields.flag("provideClusterInfo");
  plugin.install_hint = fields.text("installHint");
  const bool v1 = plugin.api_version == "client.authentication.k8s.io/v1";
  if (!v1 && plugin.api_version != "client.authentication.k8s.io/v1beta1")
    fields.fault("apiVersion", fluxhook::in_quotes(plugin.api_version) +
                                   ": client.authentication.k8s.io/v1 or v1beta1 is needed");
  if (plugin.command.empty()) fields.fault("command", "is missing");
  if (fields.has("interactiveMode")) plugin.interactive_mode = fields.text("interactiveMode");
  else if (v1) fields.fault("interactiveMode", "is missing: Never, IfAvailable or Always");
  if (!std::ranges::contains(std::array{"Never"sv, "IfAvailable"sv, "Always"sv}, plugin.interactive_mode))
    fields.fault("interactiveMode",
                 fluxhook::in_quotes(plugin.interactive_mode) + ": Never, IfAvailable or Always is needed");
  if (!read_args(node.find("args"), plugin)) fields.fault("args", "a list of strings is needed");
  if (!read_env(node.find("env"), plugin))
    fields.fault("env", "a list of name and value, both strings, is needed");
  if (fields.fault_) fault(*fields.fault_);
  return plugin;
}

void EntryFields::fault(std::string_view key, std::string what) {
  const Node* node = entry_.value.find(key);
  if (node == nullptr) node = &entry_.value;
  fault({manifest::place(entry_.file, node->at), name_ + ": " + std::string(key) + ": " + std::move(what)});
}

void EntryFields::fault(Error error) {
  if (!fault_) fault_ = std::move(error);
}

Result<void> EntryFields::check() const {
  if (fault_) return std::unexpected(*fault_);
  return {};
}

std::string EntryFields::source(std::string_view key) const {
  return entry_.file + ": " + name_ + ": " + std::string(key);
}

} // namespace fluxhook::kube
