#include <algorithm>

#include "fluxhook/base/text.h"
#include "migrate/minicluster.h"
#include "migrate/replicas.h"

namespace fluxhook::migrate {
namespace {

constexpr std::string_view kDefaultImage = "ghcr.io/rse-ops/accounting:app-latest";

/// One container, member by member.
class Converter {
public:
  Converter(Migration& migration, const Node& source, const std::string& field, Node& pod)
      : migration_(migration), source_(source), field_(field), pod_(pod) {}

  Node convert() {
    put(container_, "name", text_node(is_blank(source_.find("name")) ? "node" : source_.get("name")));
    image();
    copy("workingDir", "workingDir");
    environment();
    ports();
    copy("resources", "resources");
    security();
    lifecycle();
    for (const std::string_view key : {"volumes", "existingVolumes"})
      if (const Node* const volumes = source_.find(key))
        convert_volumes(migration_, *volumes, field_of(field_, key), pod_, container_);
    return std::move(container_);
  }

private:
  [[nodiscard]] std::string at(std::string_view key) const { return field_of(field_, key); }

  /// Whether there is a member that says something; one that doesn't is noted.
  const Node* said(std::string_view key) {
    const Node* const value = source_.find(key);
    if (value != nullptr && is_blank(value)) migration_.note(Fate::kDropped, at(key), "it is off or empty");
    return is_blank(value) ? nullptr : value;
  }

  void carried(std::string_view key, std::string_view to) {
    if (source_.find(key) != nullptr)
      migration_.note(Fate::kCarried, at(key), std::string(to) + " of the container");
  }

  void copy(std::string_view key, std::string_view to) {
    const Node* const value = said(key);
    if (value == nullptr) return;
    put(container_, to, *value);
    carried(key, to);
  }

  void image() {
    if (is_blank(source_.find("image"))) {
      put(container_, "image", text_node(kDefaultImage));
      migration_.note(Fate::kDecide, field_,
                      "it has no image: the operator's default, " + std::string(kDefaultImage) +
                          ", is not meant for this");
    }
    copy("image", "image");
    copy("imagePullPolicy", "imagePullPolicy");
    if (said("pullAlways") != nullptr) {
      put(container_, "imagePullPolicy", text_node("Always"));
      carried("pullAlways", "imagePullPolicy");
    }
    if (const Node* const secret = said("imagePullSecret")) {
      list_at(pod_, "imagePullSecrets").items.push_back(object_node({{"name", *secret}}));
      migration_.note(Fate::kCarried, at("imagePullSecret"), "imagePullSecrets of the pod");
    }
  }

  void environment() {
    if (const Node* const variables = said("environment")) {
      for (const Member& variable : variables->members)
        put_env(container_, variable.key, scalar_text(&variable.value));
      carried("environment", "env");
    }
    const Node* const secrets = said("secrets");
    if (secrets == nullptr) return;
    for (const Member& secret : secrets->members) {
      const Node reference =
          object_node({{"secretKeyRef", object_node({{"name", text_node(secret.value.get("name"))},
                                                     {"key", text_node(secret.value.get("key"))}})}});
      put_env(container_, object_node({{"name", text_node(secret.key)}, {"valueFrom", reference}}));
    }
    carried("secrets", "env");
  }

  void ports() {
    const Node* const numbers = said("ports");
    if (numbers == nullptr) return;
    Node& ports = list_at(container_, "ports");
    for (const Node& number : numbers->items)
      ports.items.push_back(object_node({{"containerPort", number}}));
    carried("ports", "ports");
  }

  /// v1alpha1 has a list addCapabilities instead of capabilities.
  void security() {
    copy("securityContext", "securityContext");
    Node* const context = container_.find("securityContext");
    const Node* const added = context == nullptr ? nullptr : context->find("addCapabilities");
    if (added == nullptr) return;
    const Node capabilities = object_node({{"add", *added}});
    erase(*context, "addCapabilities");
    put(*context, "capabilities", capabilities);
  }

  void lifecycle() {
    const Node* const cycle = source_.find("lifeCycle");
    if (cycle == nullptr) return;
    for (const auto& [key, to] :
         {std::pair("postStartExec", "postStart"), std::pair("preStopExec", "preStop")}) {
      const Node* const text = cycle->find(key);
      if (text == nullptr) continue;
      const std::string field = field_of(at("lifeCycle"), key);
      if (is_blank(text)) {
        migration_.note(Fate::kDropped, field, "it is off or empty");
        continue;
      }
      put_path(container_, "lifecycle." + std::string(to) + ".exec.command",
               words_node({"/bin/sh", "-c", std::string(scalar_text(text))}));
      migration_.note(Fate::kCarried, field, "lifecycle." + std::string(to) + " of the container");
    }
  }

  Migration& migration_;
  const Node& source_;
  const std::string& field_;
  Node& pod_;
  Node container_ = object_node({});
};

constexpr std::string_view kShared = "/dev/shm"; ///< where the operator mounts every emptyDir

/// One entry of a container's map of volumes.
class Volume {
public:
  Volume(Migration& migration, const Member& entry, std::string field)
      : migration_(migration), name_(entry.key), source_(entry.value), field_(std::move(field)) {}

  Node volume() {
    Node volume = object_node({{"name", text_node(name_)}});
    // In the operator's order: the first that is said counts.
    if (has("csiDriver")) {
      Node& csi = put(volume, "csi", object_node({{"driver", *take("csiDriver")}}));
      if (const Node* const attributes = take("csiDriverAttributes"))
        put(csi, "volumeAttributes", *attributes);
    } else if (has("secretName")) {
      put(volume, "secret", object_node({{"secretName", *take("secretName")}}));
    } else if (has("emptyDir")) {
      take_empty_dir();
      put(volume, "emptyDir", empty_dir());
    } else if (has("hostPath")) {
      put(volume, "hostPath", object_node({{"path", *take("hostPath")}, {"type", text_node("Directory")}}));
    } else if (has("configMapName")) {
      put(volume, "configMap", config_map());
    } else {
      put(volume, "persistentVolumeClaim", object_node({{"claimName", text_node(claim())}}));
    }
    return volume;
  }

  Node mount() {
    const bool memory = volume_is_empty_dir_;
    Node mount = object_node({{"name", text_node(name_)}});
    if (memory) put(mount, "mountPath", text_node(kShared));
    else if (const Node* const path = take("path")) put(mount, "mountPath", *path);
    else migration_.note(Fate::kDecide, field_, "it has no path: say where it is to be mounted");
    if (!memory && has("readOnly")) put(mount, "readOnly", *take("readOnly"));
    return mount;
  }

  void note_rest() {
    for (const Member& member : source_.members)
      if (!std::ranges::contains(taken_, member.key))
        migration_.note(Fate::kDropped, field_of(field_, member.key), why_dropped(member));
  }

private:
  [[nodiscard]] bool has(std::string_view key) const { return !is_blank(source_.find(key)); }

  [[nodiscard]] std::string why_dropped(const Member& member) const {
    if (is_blank(&member.value)) return "it is off or empty";
    if (volume_is_empty_dir_ && member.key == "emptyDirMedium")
      return R"(the operator knows "memory" only: with )" + in_quotes(scalar_text(&member.value)) +
             " the volume, at " + std::string(kShared) + ", is no memory";
    if (volume_is_empty_dir_ && member.key == "path")
      return "the operator mounts every emptyDir at " + std::string(kShared);
    return "it says nothing for a volume of this kind";
  }

  const Node* take(std::string_view key) {
    if (!has(key)) return nullptr;
    taken_.push_back(key);
    migration_.note(Fate::kCarried, field_of(field_, key), "the volume " + name_);
    return source_.find(key);
  }

  void take_empty_dir() {
    const Node& value = *source_.find("emptyDir");
    taken_.push_back("emptyDir");
    const std::string text = "the volume " + name_ + ", at " + std::string(kShared);
    if (is_true(&value)) migration_.note(Fate::kCarried, field_of(field_, "emptyDir"), text);
    else
      migration_.note(Fate::kDecide, field_of(field_, "emptyDir"),
                      "must be true or false, is " + in_quotes(scalar_text(&value)) +
                          "; taken as true: " + text);
  }

  Node empty_dir() {
    volume_is_empty_dir_ = true;
    Node empty = object_node({});
    if (source_.get("emptyDirMedium") == "memory") { // the operator knows no other
      take("emptyDirMedium");
      put(empty, "medium", text_node("Memory"));
    }
    if (const Node* const limit = take("emptyDirSizeLimit")) put(empty, "sizeLimit", *limit);
    return empty;
  }

  Node config_map() {
    Node map = object_node({{"name", *take("configMapName")}});
    const Node* const items = take("items");
    if (items == nullptr) return map;
    Node& list = list_at(map, "items");
    for (const Member& item : items->members)
      list.items.push_back(object_node({{"key", text_node(item.key)}, {"path", item.value}}));
    return map;
  }

  /// v1alpha1's volumes name no claim: the operator made one.
  std::string claim() {
    if (const Node* const name = take("claimName")) return std::string(scalar_text(name));
    migration_.note(Fate::kDecide, field_,
                    "the claim " + name_ + "-claim, which v1alpha1's operator made, has to be there");
    return name_ + "-claim";
  }

  Migration& migration_;
  const std::string& name_;
  const Node& source_;
  std::string field_;
  std::vector<std::string_view> taken_;
  bool volume_is_empty_dir_ = false;
};

} // namespace

Node convert_container(Migration& migration, const Node& source, const std::string& field, Node& pod) {
  return Converter(migration, source, field, pod).convert();
}

void convert_volumes(Migration& migration, const Node& source, const std::string& field, Node& pod,
                     Node& container) {
  for (const Member& entry : source.members) {
    Volume converted(migration, entry, field_of(field, entry.key));
    Node volume = converted.volume();
    Node& volumes = list_at(pod, "volumes");
    if (named(&volumes, entry.key) == nullptr) volumes.items.push_back(std::move(volume));
    list_at(container, "volumeMounts").items.push_back(converted.mount());
    converted.note_rest();
  }
}

} // namespace fluxhook::migrate
