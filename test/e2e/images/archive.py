"""Images out of files, without a registry: archives as `docker save` writes them, of one layer."""
import hashlib
import io
import json
import os
import platform
import tarfile

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


class Root:
    """A root file system in the making, owned by root."""

    def __init__(self):
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w")
        self.names = set()

    def _entry(self, path, kind, mode):
        self.names.add(path.strip("/"))
        entry = tarfile.TarInfo(path.strip("/"))
        entry.type, entry.mode = kind, mode
        return entry

    def folder(self, path, mode=0o755):
        if path.strip("/") and path.strip("/") not in self.names:
            self.folder(os.path.dirname(path.rstrip("/")))
            self.tar.addfile(self._entry(path, tarfile.DIRTYPE, mode))

    def link(self, path, target):
        self.folder(os.path.dirname(path))
        entry = self._entry(path, tarfile.SYMTYPE, 0o777)
        entry.linkname = target
        self.tar.addfile(entry)

    def file(self, path, source, mode=0o755):
        """The file `source`, as `path`."""
        self.text(path, open(source, "rb").read(), mode)

    def tree(self, top):
        """The folder `top`, at its own path, with all that is in it."""
        self.folder(top)
        for folder, folders, files in os.walk(top):
            for name in sorted(folders + files):
                path = os.path.join(folder, name)
                if os.path.islink(path):
                    self.link(path, os.readlink(path))
                elif os.path.isdir(path):
                    self.folder(path)
                else:
                    self.file(path, path, os.stat(path).st_mode & 0o777)

    def text(self, path, content, mode=0o644):
        self.folder(os.path.dirname(path))
        entry = self._entry(path, tarfile.REGTYPE, mode)
        entry.size = len(content)
        self.tar.addfile(entry, io.BytesIO(content))

    def layer(self):
        self.tar.close()
        return self.buffer.getvalue()


def write(path, name, root, entrypoint=None, user=""):
    """Writes the image `name` of `root` to the archive `path`, whole or not at all."""
    layer = root.layer()
    config = json.dumps({
        "architecture": ARCHITECTURE, "os": "linux",
        "config": {"Entrypoint": entrypoint, "User": user, "WorkingDir": "/",
                   "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }).encode()
    digest = hashlib.sha256(config).hexdigest()
    manifest = json.dumps([{"Config": f"{digest}.json", "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(path + "~", "w") as archive:
        for member, content in ((f"{digest}.json", config), ("layer.tar", layer), ("manifest.json", manifest)):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    os.rename(path + "~", path)
