#!/usr/bin/env python3
"""Holds the sources to the module table of docs/architecture.md: check.py [TOP]

Prints one line for each fault, and exits with 1 if there are any. A module may include its own headers and
those of every module that it reaches in TABLE; libraries only where CMakeLists.txt gives them to it, and
never in a public header.
"""
import re
import sys
from pathlib import Path

# module: the modules that it may use. CMakeLists.txt must say the same in DEPS.
TABLE = {
    "base": set(),
    "k8s": {"base"},
    "flux": {"k8s", "base"},
    "admission": {"flux", "k8s", "base"},
    "files": {"base"},
    "manifest": {"base"},
    "migrate": {"manifest", "flux", "base"},
    "kube": {"manifest", "files", "base"},
    "certs": {"kube", "base"},
    "companion": {"kube", "admission", "flux"},
    "server": {"certs", "admission"},
    "cli": {"server", "companion", "certs", "kube", "migrate", "manifest", "files", "admission", "flux", "k8s", "base"},
}
# Modules that compute and nothing else: no I/O, clock, chance, thread or system call.
PURE = {"base", "k8s", "flux", "admission", "migrate"}
IMPURE = re.compile(
    r"(fstream|iostream|filesystem|chrono|ctime|random|thread|future|mutex|csignal|[a-z0-9_/]+\.h)$")
# How an include shows the library (a target in CMakeLists.txt) that it is of.
LIBRARIES = {
    "rapidjson/": "RapidJSON",
    "nlohmann/": "nlohmann_json::nlohmann_json",
    "sodium": "PkgConfig::sodium",
    "modp_b64.h": "PkgConfig::modpbase64",
    "yaml.h": "PkgConfig::libyaml",
    "httplib.h": "PkgConfig::httplib",
    "openssl/": "OpenSSL::SSL",
    "prometheus/": "prometheus-cpp::core",
    "spdlog/": "spdlog::spdlog",
    "CLI/": "CLI11::CLI11",
}
# Libraries with one home, whatever CMakeLists.txt says.
HOMES = {"RapidJSON": {"admission"}, "PkgConfig::httplib": {"server", "kube", "cli"}}
STANDARD = re.compile(r"([a-z0-9_]+|(sys|netinet|arpa|linux)/[a-z0-9_]+\.h|[a-z0-9_]+\.h)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
MODULE = re.compile(r"^fluxhook_module\((\w+)([^)]*)\)", re.M)
MOST_LINES = 300
CODE = {".cc", ".h", ".py", ".sh", ".cmake", ""}


def reach(module):
    """The module and all that it may use, directly or through others."""
    found, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += TABLE[name]
    return found


def cmake_modules(top):
    """{module: {"DEPS": {...}, "LIBS": {...}, "TEST_LIBS": {...}}} as CMakeLists.txt declares them."""
    modules = {}
    for name, words in MODULE.findall((top / "CMakeLists.txt").read_text()):
        lists = {"DEPS": set(), "LIBS": set(), "TEST_LIBS": set()}
        current = None
        for word in words.split():
            if word in lists:
                current = lists[word]
            else:
                current.add(word)
        modules[name] = lists
    return modules


def table_faults(declared):
    if declared.keys() != TABLE.keys():
        yield f"CMakeLists.txt: modules {sorted(declared)}, but the table has {sorted(TABLE)}"
    for name in declared.keys() & TABLE.keys():
        if declared[name]["DEPS"] != TABLE[name]:
            yield (f"CMakeLists.txt: {name} DEPS {sorted(declared[name]['DEPS'])}, "
                   f"but the table allows {sorted(TABLE[name])}")
        for library, homes in HOMES.items():
            if library in declared[name]["LIBS"] and name not in homes:
                yield f"CMakeLists.txt: {name} links {library}, which belongs to {sorted(homes)}"


def include_fault(module, path, public, quoted, target, libraries):
    """Why `path`, of `module`, may not include `target`; None when it may."""
    if quoted and "/" not in target:
        return None if (path.parent / target).exists() else "no such header beside it"
    parts = target.split("/")
    if parts[0] == "fluxhook" or (quoted and parts[0] in TABLE):
        other = parts[1] if parts[0] == "fluxhook" else parts[0]
        if other not in reach(module):
            return f"module {module} may not use module {other}"
        if parts[0] != "fluxhook" and (public or other != module):
            return f"a private header of module {other}"
        return None
    library = next((name for prefix, name in LIBRARIES.items() if target.startswith(prefix)), None)
    if library is None:
        if not STANDARD.match(target):
            return "a library that test/structure/check.py doesn't know"
        return "no I/O, clock or thread in a pure module" if module in PURE and IMPURE.match(target) else None
    if public:
        return "a public header shows no library"
    if library not in libraries:
        return f"module {module} doesn't link {library} (LIBS in CMakeLists.txt)"
    return None


def module_files(top, module):
    """(path, whether it is public) of a module's sources."""
    for folder, public in ((top / "include/fluxhook" / module, True), (top / "src" / module, False)):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path, public


def module_faults(top, module, libraries):
    purposes, headers = [], 0
    for path, public in module_files(top, module):
        name, lines = path.relative_to(top), path.read_text().splitlines()
        headers += public
        if public and lines and lines[0].startswith(f"/// Module {module}: "):
            purposes.append(str(name))
        if path.suffix == ".h" and "#pragma once" not in lines:
            yield f"{name}:1: no #pragma once"
        for number, line in enumerate(lines, 1):
            if found := INCLUDE.match(line):
                fault = include_fault(module, path, public, found[1] == '"', found[2], libraries)
                if fault:
                    yield f"{name}:{number}: {found[2]}: {fault}"
    if headers and len(purposes) != 1:
        yield (f"include/fluxhook/{module}: one header must begin with '/// Module {module}: ' and the module's "
               f"purpose in a sentence, not {len(purposes)}")


def stray_faults(top):
    for folder in (top / "src", top / "include/fluxhook"):
        for path in sorted(folder.iterdir()) if folder.exists() else ():
            if path.is_dir() and path.name not in TABLE:
                yield f"{path.relative_to(top)}: a folder that is no module"


def length_faults(top):
    for folder in ("src", "include", "test", "bench", "scripts", "templates", "cmake"):
        for path in sorted((top / folder).rglob("*")):
            if path.is_file() and path.suffix in CODE and "golden" not in path.parts:
                lines = len(path.read_text(errors="replace").splitlines())
                if lines > MOST_LINES:
                    yield f"{path.relative_to(top)}: {lines} lines, {MOST_LINES} at most: split it"


def faults(top):
    declared = cmake_modules(top)
    found = list(table_faults(declared)) + list(stray_faults(top))
    for module in TABLE:
        found += module_faults(top, module, declared.get(module, {}).get("LIBS", set()))
    return found + list(length_faults(top))


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    lines = faults(root)
    print("\n".join(lines) or f"{len(TABLE)} modules keep to the table")
    sys.exit(1 if lines else 0)
