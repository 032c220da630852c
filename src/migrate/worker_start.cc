#include "migrate/worker_start.h"

#include <algorithm>
#include <cctype>

namespace fluxhook::migrate {
namespace {

/// The parts of a word that are letters and digits: a port's number in `nc -z :::2222`.
std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) parts.back() += c;
    else parts.emplace_back();
  }
  return parts;
}

class WorkerStart {
public:
  WorkerStart(Migration& migration, const MpiJob& job, Node& main)
      : migration_(migration), worker_(job.kept.container(job.kept_container)),
        field_(job.kept.container_field(job.kept_container)), main_(main) {}

  void drop() {
    const bool ssh = waits("command") && waits("args");
    for (const std::string_view key : {"command", "args"}) {
      if (is_blank(worker_.find(key))) continue;
      migration_.note(ssh ? Fate::kDropped : Fate::kDecide, field_of(field_, key),
                      ssh ? "it waits for mpirun: Flux needs no ssh"
                          : "it runs no more: the launcher's program is what pods run");
    }
    find_ports();
    for (const std::string_view key : {"readinessProbe", "livenessProbe", "startupProbe"})
      if (const Node* const probe = worker_.find(key); !is_blank(probe)) drop_probe(key, *probe);
  }

private:
  [[nodiscard]] bool waits(std::string_view key) const {
    const Node* const words = worker_.find(key);
    return words == nullptr || words->items.empty() ||
           std::ranges::any_of(words->items, [](const Node& word) {
             return word.text.contains("sshd") || word.text.contains("sleep") || word.text.starts_with('-');
           });
  }

  /// Where sshd listens: by its option -p, by the usual numbers, and by the names that these have.
  void find_ports() {
    ports_ = {"22", "2222", "ssh"};
    bool option = false;
    for (const std::string_view key : {"command", "args"}) {
      const Node* const words = worker_.find(key);
      for (const Node& word : words == nullptr ? std::vector<Node>() : words->items) {
        if (option) ports_.push_back(word.text);
        else if (word.text.starts_with("-p") && word.text.size() > 2) ports_.push_back(word.text.substr(2));
        option = word.text == "-p";
      }
    }
    const Node* const named_ports = worker_.find("ports");
    for (const Node& port : named_ports == nullptr ? std::vector<Node>() : named_ports->items)
      if (is_port(scalar_text(port.find("containerPort"))) && !port.get("name").empty())
        ports_.emplace_back(port.get("name"));
  }

  [[nodiscard]] bool is_port(std::string_view text) const { return std::ranges::contains(ports_, text); }

  [[nodiscard]] bool asks_for_ssh(const Node& probe) const {
    const Node* const words = at_path(probe, "exec.command");
    const auto names_ssh = [&](const Node& word) {
      return word.text.contains("sshd") ||
             std::ranges::any_of(parts_of(word.text), [&](const std::string& part) { return is_port(part); });
    };
    return is_port(scalar_text(at_path(probe, "tcpSocket.port"))) ||
           (words != nullptr && std::ranges::any_of(words->items, names_ssh));
  }

  void drop_probe(std::string_view key, const Node& probe) {
    if (!asks_for_ssh(probe))
      return migration_.note(Fate::kDecide, field_of(field_, key),
                             "it stays, and may ask for what the worker's own command started, which runs "
                             "no more: the launcher's program is what pods run");
    migration_.note(Fate::kDropped, field_of(field_, key), "it asks for sshd, which Flux does not need");
    erase(main_, key);
  }

  Migration& migration_;
  const Node& worker_;
  std::string field_;
  Node& main_;
  std::vector<std::string> ports_;
};

} // namespace

void drop_worker_start(Migration& migration, const MpiJob& job, Node& main) {
  WorkerStart(migration, job, main).drop();
}

} // namespace fluxhook::migrate
