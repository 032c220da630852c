#!/usr/bin/env python3
"""Each rule of check.py finds its fault in a small tree made for it, and none in that tree without it."""
import tempfile
import unittest
from pathlib import Path

import check

CMAKE = "\n".join(
    f"fluxhook_module({name} DEPS {' '.join(sorted(deps))} LIBS {libs})"
    for name, deps, libs in (
        (name, check.TABLE[name], {"admission": "RapidJSON", "flux": "PkgConfig::sodium"}.get(name, ""))
        for name in check.TABLE))


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.write("CMakeLists.txt", CMAKE)
        self.header("base", "result.h")
        self.header("flux", "plan.h", '#include "fluxhook/base/result.h"')
        self.write("src/flux/plan.cc", '#include <vector>\n#include <sodium.h>\n#include "fluxhook/flux/plan.h"\n')

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def header(self, module, name, text=""):
        self.write(f"include/fluxhook/{module}/{name}", f"/// Module {module}: does this.\n#pragma once\n{text}\n")

    def assert_fault(self, *words):
        found = check.faults(self.top)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_clean_tree_has_no_fault(self):
        self.assertEqual(check.faults(self.top), [])

    def test_a_lower_module_may_not_use_a_higher_one(self):
        self.write("src/base/z85.cc", '#include "fluxhook/base/result.h"\n#include "fluxhook/flux/plan.h"\n')
        self.assert_fault("src/base/z85.cc:2", "may not use module flux")

    def test_another_modules_private_header_is_out_of_reach(self):
        self.write("src/base/inner.h", "#pragma once\n")
        self.write("src/flux/plan.cc", '#include "base/inner.h"\n')
        self.assert_fault("src/flux/plan.cc:1", "private header of module base")

    def test_a_header_that_is_not_there(self):
        self.write("src/flux/plan.cc", '#include "inner.h"\n')
        self.assert_fault("src/flux/plan.cc:1", "no such header")

    def test_rapidjson_belongs_to_admission(self):
        self.write("src/flux/plan.cc", "#include <rapidjson/document.h>\n")
        self.assert_fault("src/flux/plan.cc:1", "doesn't link RapidJSON")

    def test_rapidjson_can_be_given_to_no_other_module(self):
        self.write("CMakeLists.txt", CMAKE.replace("PkgConfig::sodium", "PkgConfig::sodium RapidJSON"))
        self.assert_fault("CMakeLists.txt", "flux links RapidJSON")

    def test_a_public_header_shows_no_library(self):
        self.header("flux", "plan.h", "#include <sodium.h>")
        self.assert_fault("include/fluxhook/flux/plan.h:3", "shows no library")

    def test_an_unknown_library(self):
        self.write("src/flux/plan.cc", "#include <boost/optional.hpp>\n")
        self.assert_fault("src/flux/plan.cc:1", "boost")

    def test_a_pure_module_does_no_io(self):
        for header in ("fstream", "chrono", "unistd.h", "sys/stat.h", "random"):
            with self.subTest(header):
                self.write("src/flux/plan.cc", f"#include <{header}>\n")
                self.assert_fault("src/flux/plan.cc:1", "pure module")

    def test_deps_that_differ_from_the_table(self):
        self.write("CMakeLists.txt", CMAKE.replace("fluxhook_module(manifest DEPS base", "fluxhook_module(manifest DEPS flux"))
        self.assert_fault("CMakeLists.txt", "manifest DEPS")

    def test_a_module_that_the_table_lacks(self):
        self.write("CMakeLists.txt", CMAKE + "\nfluxhook_module(extra)")
        self.assert_fault("CMakeLists.txt", "extra")

    def test_a_folder_that_is_no_module(self):
        self.write("src/utils/x.cc", "")
        self.assert_fault("src/utils", "no module")

    def test_a_module_without_a_purpose(self):
        self.write("include/fluxhook/base/result.h", "#pragma once\n")
        self.assert_fault("include/fluxhook/base", "purpose")

    def test_a_module_with_two_purposes(self):
        self.header("base", "text.h")
        self.assert_fault("include/fluxhook/base", "not 2")

    def test_a_header_without_pragma_once(self):
        self.write("src/flux/inner.h", "struct A {};\n")
        self.assert_fault("src/flux/inner.h:1", "#pragma once")

    def test_a_file_that_is_too_long(self):
        self.write("test/flux/long_test.cc", "\n" * 301)
        self.assert_fault("test/flux/long_test.cc", "301 lines")


if __name__ == "__main__":
    unittest.main()
