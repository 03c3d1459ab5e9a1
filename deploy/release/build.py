"""Builds what a release holds for one platform: an archive, a Python wheel and an npm package.

Run it where that platform's programs can be linked: Linux links for all of Linux."""

import argparse
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import npm
import platforms

PROFILE = "dist"
# The wheel installs what lies here as a script; see python/pyproject.toml.
SCRIPTS = platforms.ROOT / "python" / "tool_hub._native.data" / "scripts"
# Prebuilt assembly instead of an assembler that has to be installed.
ENVIRONMENT = {"AWS_LC_SYS_PREBUILT_NASM": "1"}


class Build:
    """The build of one platform into one directory."""

    def __init__(self, platform, to):
        self.platform = platform
        self.to = pathlib.Path(to).resolve()
        self.target = platforms.ROOT / "target"

    def all(self):
        """Builds everything."""
        self.to.mkdir(parents=True, exist_ok=True)
        command = self.command()
        self.archive(command)
        self.wheel(command)
        self.npm(command, self.module())

    def command(self):
        """The command, with the same features of dependencies as the module for Python: what is
        compiled for one serves the other."""
        both = ["--package", "tool-hub-python", "--features", "tool-hub-python/command"]
        return self.cargo("tool-hub-cli", self.platform.command, arguments=[*both, "--bin", "tool"])

    def cargo(self, package, made, directory=None, flags=None, arguments=()):
        """Builds a package and gives the file that it makes."""
        directory = directory or self.target
        verb = "zigbuild" if self.platform.zig else "build"
        run(
            ["cargo", verb, "--locked", "--profile", PROFILE, "--package", package]
            + ["--target", self.platform.zig or self.platform.target]
            + ["--target-dir", str(directory), *arguments],
            {"RUSTFLAGS": flags} if flags else {},
        )
        return directory / self.platform.target / PROFILE / made

    def module(self):
        """The native module for Node, out of the command's dependencies. On musl it shares the C
        library with Node, while the command holds its own, so each has a target directory."""
        if self.platform.is_musl:
            shared = self.target / "shared-libc"
            flags = "-C target-feature=-crt-static"
            return self.cargo("tool-hub-node", self.platform.module, shared, flags)
        both = ["--package", "tool-hub-cli", "--lib"]
        return self.cargo("tool-hub-node", self.platform.module, arguments=both)

    def archive(self, command):
        """The command and its licence. The same bytes give the same archive."""
        name = f"tool-{platforms.version()}-{self.platform.target}.tar.gz"
        plain = gzip.GzipFile(self.to / name, "wb", mtime=0)
        with plain, tarfile.open(fileobj=plain, mode="w") as archive:
            for path, mode in [(command, 0o755), (platforms.ROOT / "LICENSE", 0o644)]:
                entry = archive.gettarinfo(path, path.name)
                entry.mode, entry.mtime = mode, 0
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                with open(path, "rb") as content:
                    archive.addfile(entry, content)

    def wheel(self, command):
        """The Python wheel, with the command as a script."""
        shutil.rmtree(SCRIPTS, ignore_errors=True)
        SCRIPTS.mkdir(parents=True)
        shutil.copy(command, SCRIPTS / self.platform.command)
        zig = ["--zig"] if self.platform.zig else []
        run(
            ["maturin", "build", "--locked", "--profile", PROFILE, "--features", "command", *zig]
            + ["--manifest-path", str(platforms.ROOT / "python" / "Cargo.toml")]
            + ["--target", self.platform.target]
            + ["--compatibility", self.platform.wheel["compatibility"]]
            + ["--compression-level", "9"]
            + ["--out", str(self.to)]
        )

    def npm(self, command, module):
        """The npm package of this platform, packed."""
        place = self.target / "npm" / self.platform.npm["name"]
        shutil.rmtree(place, ignore_errors=True)
        npm.platform_package(self.platform, command, module, place)
        run([shutil.which("npm"), "pack", str(place), "--pack-destination", str(self.to)])


def run(command, environment=None):
    """Runs a program in the clone, and ends with its exit code if it fails."""
    print("+", " ".join(command), flush=True)
    given = {**os.environ, **ENVIRONMENT, **(environment or {})}
    ended = subprocess.run(command, cwd=platforms.ROOT, env=given, check=False)
    if ended.returncode != 0:
        sys.exit(ended.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("--to", default=platforms.ROOT / "target" / "packages")
    given = parser.parse_args()
    Build(platforms.named(given.target), given.to).all()


if __name__ == "__main__":
    main()
