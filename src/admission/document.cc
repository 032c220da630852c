#include "fluxhook/admission/document.h"

#include "decode.h"
#include "json.h"

namespace fluxhook::admission {

struct JobSetDocument::Impl {
  std::string bytes;
  rapidjson::Document document;
  k8s::JobSet jobset;
};

JobSetDocument::JobSetDocument(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JobSetDocument::JobSetDocument(JobSetDocument&&) noexcept = default;
JobSetDocument& JobSetDocument::operator=(JobSetDocument&&) noexcept = default;
JobSetDocument::~JobSetDocument() = default;

Result<JobSetDocument> JobSetDocument::parse(std::string json) {
  auto impl = std::make_unique<Impl>();
  impl->bytes = std::move(json);
  if (auto parsed = parse_in_place(impl->bytes, Root::kJobSet, impl->document); !parsed)
    return std::unexpected(parsed.error());
  const auto& object = impl->document;
  const auto is = [&](const char* key, std::string_view value) {
    const auto found = object.FindMember(key);
    return found != object.MemberEnd() && found->value.IsString() && text_of(found->value) == value;
  };
  if (!object.IsObject() || !is("apiVersion", "jobset.x-k8s.io/v1alpha2") || !is("kind", "JobSet"))
    return fail("kind", "must be a JobSet of jobset.x-k8s.io/v1alpha2");
  impl->jobset = decode_jobset(object);
  return JobSetDocument(std::move(impl));
}

const k8s::JobSet& JobSetDocument::jobset() const { return impl_->jobset; }

} // namespace fluxhook::admission
