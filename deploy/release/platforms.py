"""The platforms of a release, as platforms.json lists them, and where things are in a clone."""

import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Platform:
    """A platform: its target in Rust's words, and its names in those of Python and npm."""

    def __init__(self, listed):
        self.target = listed["target"]
        self.runner = listed["runner"]
        # The target in cargo-zigbuild's words, where zig links, with the version of glibc.
        self.zig = listed.get("zig")
        # `compatibility` is maturin's word for the systems on which the wheel has to run, `tag` is
        # how its name ends.
        self.wheel = listed["wheel"]
        self.npm = listed["npm"]
        self.is_windows = "windows" in self.target
        self.is_musl = self.target.endswith("musl")

    @property
    def command(self):
        """The file name of the command."""
        return "tool.exe" if self.is_windows else "tool"

    @property
    def module(self):
        """The file name that cargo gives to the native module for Node."""
        if self.is_windows:
            return "tool_hub_node.dll"
        return "libtool_hub_node.dylib" if "darwin" in self.target else "libtool_hub_node.so"


def listed():
    """All platforms of a release."""
    return [Platform(each) for each in json.loads((HERE / "platforms.json").read_text())]


def named(target):
    """The platform with this target."""
    for platform in listed():
        if platform.target == target:
            return platform
    known = ", ".join(platform.target for platform in listed())
    raise SystemExit(f"expected one of {known}; found {target}")


def version():
    """The version of every package in the workspace."""
    manifest = (ROOT / "Cargo.toml").read_text()
    workspace = manifest.split("[workspace.package]")[1]
    return re.search(r'^version = "([^"]+)"', workspace, re.MULTILINE).group(1)
