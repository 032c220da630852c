/// Module companion: the controller that makes a ConfigMap and a Secret for each injected JobSet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fluxhook/base/result.h"
#include "fluxhook/base/z85.h"
#include "fluxhook/flux/plan.h"

namespace fluxhook::companion {

/// On both companions: the uid of the JobSet that they were made for. It outlives their owner references
/// (`kubectl delete --cascade=orphan`).
inline constexpr std::string_view kUidAnnotation = "flux-framework.org/jobset-uid";
/// On both companions too; the controller follows the ConfigMaps that have it.
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManager = "fluxhook"; ///< that label's value

/// What curve keys are derived from; neither: they are not known. The key is wiped with its owner.
struct CurveSource {
  std::optional<Key> master;
  bool from_uid = false;

  CurveSource() = default;
  CurveSource(const CurveSource&) = default;
  CurveSource& operator=(const CurveSource&) = default;
  ~CurveSource();
};

/// Takes 32 bytes for a master key. Error: another size; `name` says whose.
[[nodiscard]] Result<Key> to_master_key(std::string_view bytes, const std::string& name);

/// Reads a master key from a regular file of 32 bytes. Error: another size, or unreadable.
[[nodiscard]] Result<Key> read_master_key(const std::string& path);

inline constexpr auto kMasterKeyEntry = "key"; ///< of a Secret's data: the master key

/// The bytes of that entry in a Secret's JSON. `json` is wiped; the bytes are for the caller to wipe. Error:
/// "has no data.key", "data.key is no base64".
[[nodiscard]] Result<std::string> take_master_key(std::string& json);

/// Overwrites a text that held a key.
void wipe(std::string& text);

/// A ConfigMap or a Secret that is to be created, immutable.
struct Object {
  enum class Kind : std::uint8_t { kConfigMap, kSecret };
  Kind kind = Kind::kConfigMap;
  std::string name;
  std::string name_space; ///< empty: not known
  std::string jobset;     ///< its owner's name
  std::string uid;        ///< its owner's; empty: not known, and there is no owner reference
  std::map<std::string, std::string> data;

  /// As it is sent to an API server: JSON, the same bytes for the same object.
  [[nodiscard]] std::string json() const;
};

/// An instance, and the JobSet that it is of.
struct Subject {
  std::string_view name;       ///< final, also with generateName
  std::string_view name_space; ///< empty: not known, "default" is assumed
  std::string_view subdomain;  ///< of the JobSet's network; empty: its name
  std::string_view uid;        ///< empty: not known
  const flux::Settings& settings;
  const std::vector<flux::Member>& members;
};

/// What the pods of an injected JobSet mount.
struct Companions {
  Object config_map;
  std::optional<Object> secret; ///< none with the setting curve-secret, or when its keys are not known
  bool users_own = false;       ///< curve-secret names the Secret
  std::string secret_name;      ///< of the Secret that the pods mount, whoever makes it

  Companions() = default;
  Companions(Companions&&) = default;
  Companions& operator=(Companions&&) = default;
  ~Companions(); ///< wipes the Secret's data
};

/// Renders them: a pure function of its arguments. Error: a value that the pods' files can't hold.
[[nodiscard]] Result<Companions> make_companions(const Subject& subject, const CurveSource& curve,
                                                 const std::string& cluster_domain);

} // namespace fluxhook::companion
