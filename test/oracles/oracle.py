"""What the oracles share: asking fluxhook's code, running shells, and values that would like to break out."""
import os
import subprocess
import tempfile

CANARY = b"canary"  # the file that a value which broke out would make

HOSTILE = [
    b"", b"plain", b"it's", b"'", b"''", b"'''", b'"', b'"""', b"\\", b"\\\\", b"\\n", b"\\u0041", b"a\\",
    b"$HOME", b"${HOME}", b"$(touch canary)", b"`touch canary`", b"$((1+1))", b"'; touch canary; '", b"' $(touch canary) '",
    b'"; touch canary; "', b"\ntouch canary\n", b"a\nb", b"a\r\nb", b"\n", b"\r", b"\t", b" ", b"a b", b"a  b ",
    b"]]]", b"]", b"[0-9]", b'"]\n[exec]\nkill-timeout = "0s', b'" }, { host = "evil', b"'\nhosts = []\n'",
    b"@LEAD@", b"@RUN@", b"@", b"@@", b"{{name}}", b"%p", b"%%", b"%h", b"*", b"?", b"~", b"~root", b"!", b"!!",
    b"#", b"#x", b"&", b"|", b";", b"<", b">", b"(", b")", b"{a,b}", b"$'a\\nb'", b"-", b"--", b"-n", b"=", b"A=B",
    b"\x01\x02\x1f\x7f", b"\x1b[31mred", b"\xc3\xa9", b"\xe6\x97\xa5\xe6\x9c\xac", b"\xf0\x9f\x98\x80", b"\xe2\x80\xae",
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\x00b", b"\x00", b"x" * 70000, b"cat <<END\nEND\n", b"END", b"--x='\\''",
]
ALL_BYTES = bytes(range(1, 256))


class Refused(Exception):
    """fluxhook's answer was an error."""


class Probe:
    """fluxhook's own code, as oracle_probe runs it."""

    def __init__(self):
        self.process = subprocess.Popen([os.environ["PROBE"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, kind, *words):
        line = " ".join([kind] + [word.hex() or "-" for word in words])
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        verdict, *texts = self.process.stdout.readline().decode().split()
        texts = [b"" if text == "-" else bytes.fromhex(text) for text in texts]
        if verdict == "error":
            raise Refused(texts[0].decode())
        return texts

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait() == 0


def shells():
    return {"dash": [os.environ["DASH"]], "busybox": [os.environ["BUSYBOX"], "sh"]}


def run_shell(shell, script, text=None, check=True):
    """The standard output of SCRIPT, run in an empty folder that it must leave empty; $TEXT is `text`."""
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as file:
        file.write(script)
        file.flush()
        env = {b"PATH": b"/usr/bin:/bin", b"HOME": b"/home/somebody"}
        if text is not None:
            env[b"TEXT"] = text
        result = subprocess.run(shell + [file.name], cwd=folder, env=env, capture_output=True, check=False)
        assert os.listdir(folder) == [], "the script made a file: %r" % script[:2000]
        if check and (result.returncode != 0 or result.stderr):
            raise AssertionError("%s: %r" % (shell[0], result.stderr[:2000]))
        return result.stdout if result.returncode == 0 else None


def evaluate(shell, words):
    """What the shell makes of the text `words`: a list of arguments."""
    return arguments(run_shell(shell, b"show() { for word; do printf '%s\\0' \"$word\"; done; }\nshow " + words + b"\n"))


def arguments(output):
    assert output == b"" or output.endswith(b"\0")
    return output.split(b"\0")[:-1]
