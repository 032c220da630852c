"""The texts in the sources that a user may be told, as patterns: what is put in at run time is a `…`."""
import re
from pathlib import Path

TOP = Path(__file__).parents[2]
# Files whose texts are no messages: output that is asked for, help, the API's and the languages' own words.
NO_MESSAGES = re.compile(
    r"src/(flux/(inject|reasons|rules)|server/(metrics|process|status)|"
    r"cli/(cli|commands|completion|controller_metrics|diff|doctor_report|excerpt|explain|man|replay_report|"
    r"validate_(junit|sarif)))\w*\.(cc|h)")
# Calls whose texts are help or the descriptions of metrics.
HELP = re.compile(r"\b(?:add_\w+|footer|family|histogram|gauge|counter)\s*\($")
TOKEN = re.compile(r'//[^\n]*|R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\]|\\.)\'|[(){}\[\];,]|[A-Za-z_]\w*|\S', re.S)
WORDS = re.compile(r"[A-Za-z]{2,}'?[a-z]*[,:;]? (?:[a-z]|--)[a-z'-]*")


def literals(text):
    """(line, text, the calls around it) of each string literal, neighbours joined."""
    stack, calls, joined = [], [], None
    previous = ""
    for found in TOKEN.finditer(text):
        token = found[0]
        if token.startswith("//"):
            continue
        if found[1] is not None or found[2] is not None:
            part = found[1] if found[1] is not None else found[2].encode().decode("unicode_escape").encode("latin-1").decode()
            if joined is None:
                joined = [text.count("\n", 0, found.start()) + 1, part, list(calls)]
            else:
                joined[1] += part
            continue
        if joined is not None:
            yield tuple(joined)
            joined = None
        if token in "([{":
            calls.append(previous if token == "(" else "")
            stack.append(token)
        elif token in ")]}" and stack:
            stack.pop()
            calls.pop()
        previous = token


def pattern(text):
    """A literal as the page writes it."""
    text = " ".join(text.split()) if "\n" in text or "\r" in text else text
    return re.sub(r"\{[^{}]*\}", "…", text.replace("{{", "\x01").replace("}}", "\x02")).replace("\x01", "{").replace(
        "\x02", "}").strip(" \n:;,.")


def of(file):
    """[(line, pattern)] of a source file."""
    if NO_MESSAGES.match(str(file.relative_to(TOP))):
        return []
    told = []
    for line, text, calls in literals(file.read_text()):
        if WORDS.search(text) and not any(HELP.search(f"{call}(") for call in calls):
            told.append((line, pattern(text)))
    return told


def all_of():
    """{pattern: "file:line" of its first}."""
    found = {}
    for file in sorted((TOP / "src").rglob("*.[ch]*")):
        for line, text in of(file):
            found.setdefault(text, f"{file.relative_to(TOP)}:{line}")
    return found


if __name__ == "__main__":
    for text, where in all_of().items():
        print(f"{where}\t{text}")
