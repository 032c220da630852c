#include "fluxhook/base/z85.h"

#include <catch2/catch_test_macros.hpp>

#include <string_view>

using fluxhook::Key;
using fluxhook::z85_decode;
using fluxhook::z85_encode;

namespace {

struct Pair {
  std::string_view hex, text;
};

// The four keys of libzmq's manual, zmq_curve(7), and the two ends of the range.
constexpr Pair kPairs[] = {
    {"bb88471d65e2659b30c55a5321cebb5aab2b70a398645c26dca2b2fcb43fc518",
     "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"},
    {"7bb864b489afa3671fbe69101f94b38972f24816dfb01b51656b3fec8dfd0888",
     "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"},
    {"54fcba24e93249969316fb617c872bb0c1d1ff14800427c594cbfacf1bc2d652",
     "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"},
    {"8e0bdd697628b91d8f245587ee95c5b04d48963f79259877b49cd9063aead3b7",
     "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"},
    {"0000000000000000000000000000000000000000000000000000000000000000",
     "0000000000000000000000000000000000000000"},
    {"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
     "%nSc0%nSc0%nSc0%nSc0%nSc0%nSc0%nSc0%nSc0"},
};

Key from_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<std::uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  Key key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return key;
}

} // namespace

TEST_CASE("Z85 reads and writes the keys of libzmq's manual", "[base]") {
  for (const auto& [hex, text] : kPairs) {
    CAPTURE(hex);
    CHECK(z85_encode(from_hex(hex)) == text);
    CHECK(z85_decode(text) == from_hex(hex));
  }
}

TEST_CASE("Z85 takes no text that no key has", "[base]") {
  constexpr std::string_view kBad[] = {
      "",
      "000000000000000000000000000000000000000",   // 39
      "00000000000000000000000000000000000000000", // 41
      "0000000000000000000000000000000000000000 ",
      "000000000000000000000000000000000000000~",
      "000000000000000000000000000000000000000\"",
      "00000000000000000000000000000000000000\xc3\xa9",
      "%nSc1%nSc0%nSc0%nSc0%nSc0%nSc0%nSc0%nSc0", // a group of 2^32
      "####################%nSc0%nSc0%nSc0%nSc0",
  };
  for (std::string_view text : kBad) {
    CAPTURE(text);
    CHECK_FALSE(z85_decode(text));
  }
}
