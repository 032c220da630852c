// Bytes of a review to bytes of the answer, beside a plain RapidJSON in-place parse of the same bytes. Both
// copy the review into a warm buffer first, since both parse in place.
#include <benchmark/benchmark.h>
#include <rapidjson/document.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "fluxhook/admission/admission.h"

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::cerr << "decide: cannot read " << path << '\n';
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

// As `kubectl apply` sends it: see bench/review.py.
std::string review_of(std::int64_t kibibytes) {
  return read_file(std::string(FLUXHOOK_BENCH_DATA) + "/review-" + std::to_string(kibibytes) + "k.json");
}

void decide(benchmark::State& state) {
  const std::string original = review_of(state.range(0));
  const fluxhook::flux::Defaults defaults;
  std::string body;
  body.reserve(original.size() + 1);
  for (auto _ : state) {
    body.assign(original);
    auto answer = fluxhook::admission::review(body, fluxhook::admission::Webhook::kMutate, defaults);
    if (!answer || answer->verdict != fluxhook::admission::Verdict::kPatched) {
      state.SkipWithError("the review was not answered with a patch");
      break;
    }
    benchmark::DoNotOptimize(answer);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(original.size()));
}

void parse(benchmark::State& state) {
  const std::string original = review_of(state.range(0));
  std::string body;
  body.reserve(original.size() + 1);
  for (auto _ : state) {
    body.assign(original);
    rapidjson::Document document;
    document.ParseInsitu(body.data());
    benchmark::DoNotOptimize(document);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(original.size()));
}

BENCHMARK(decide)->Arg(2)->Arg(32)->Arg(512)->Arg(3072);
BENCHMARK(parse)->Arg(2)->Arg(32)->Arg(512)->Arg(3072);

} // namespace

BENCHMARK_MAIN();
