"""The command lines and the YAML in the pages."""
import re
import shlex
from pathlib import Path

TOP = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.M | re.S)
OPERATORS = re.compile(r"[|&;<>()]+")
PROGRAMS = {"fluxhook", "helm", "kubectl"}


def markdown():
    """The pages for users and engineers; what tools write is held by its own test."""
    named = [TOP / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md", "charts/fluxhook/README.md")]
    return named + sorted(page for page in (TOP / "docs").rglob("*.md") if page.name != "flags.md")


def fences(text, language):
    """(line, content) of the fences of a language."""
    for found in FENCE.finditer(text):
        if found[2] == language:
            yield text.count("\n", 0, found.start()) + 2, re.sub(rf"^{found[1]}", "", found[3], flags=re.M)


def blocks(text):
    """(line, content) of what stands indented as code, and of the fences for a shell."""
    for language in ("sh", "bash", "console"):
        yield from fences(text, language)
    plain = FENCE.sub(lambda found: re.sub(r"[^\n]+", "", found[0]), text)
    for found in re.finditer(r"(?:^\n|\A)((?:(?: {4}).*\n)+)", plain, re.M):
        yield plain.count("\n", 0, found.start(1)) + 1, re.sub(r"^ +", "", found[1], flags=re.M)


def lines(text):
    """(line, text) of each command line: in blocks and in the scripts of a pipeline's YAML."""
    for at, block in blocks(text):
        block = block.replace("\\\n", " ")
        for number, line in enumerate(block.splitlines()):
            yield at + number, line
    for at, block in fences(text, "yaml"):
        for found in re.finditer(r"^\s*-? *((?:fluxhook|helm|kubectl) .*)$", block, re.M):
            yield at + block.count("\n", 0, found.start()), found[1]


def in_sentences(text):
    """(line, text) of each command that stands as code in a sentence."""
    for found in re.finditer(r"(?<!`)`((?:fluxhook|helm|kubectl|scripts/\w+) [^`]+)`(?!`)", text):
        yield text.count("\n", 0, found.start()) + 1, " ".join(found[1].split())


def split(line):
    """The simple commands of a line, each as its words."""
    lexer = shlex.shlex(line.replace("…", " "), posix=True, punctuation_chars="|&;<>()")
    lexer.commenters, lexer.whitespace_split = "#", True
    words, skip = [], False
    for word in lexer:
        if OPERATORS.fullmatch(word):
            skip = "<" in word or ">" in word  # the file of a redirection
            if not skip:
                yield words
                words = []
        elif skip:
            skip = False
        else:
            words.append(word)
    yield words


def commands():
    """(page, line, words) of each command of a program that is checked."""
    for page in markdown():
        text = page.read_text()
        found = [*lines(text), *(in_sentences(text) if page.name != "messages.md" else [])]
        for number, line in found:
            try:
                parts = list(split(line))
            except ValueError:  # no shell's line: a table, a picture, a log
                continue
            for words in parts:
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words = words[1:]
                name = re.sub(r"^build/\w+/(?=fluxhook$)", "", words[0]) if words else ""
                if name in PROGRAMS or re.match(r"scripts/\w", name):
                    yield str(page.relative_to(TOP)), number, [name, *words[1:]]
