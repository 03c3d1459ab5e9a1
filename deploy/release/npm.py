"""Makes the directories of a release's npm packages: one for each platform, and the main one.

People install the main one. It depends on those of the platforms, and npm takes one that fits."""

import argparse
import json
import pathlib
import shutil

import platforms

SCOPE = "@tool-hub"
# Not a part of the published package: they build it from a clone.
CLONE_ONLY = {"prepare", "prepack", "preinstall", "install", "postinstall"}


def platform_package(platform, command, module, to):
    """Writes the package of a platform into `to`: the command and the native module, where
    node/lib/files.js finds them. Nothing in it runs when it is installed."""
    place = pathlib.Path(to)
    (place / "bin").mkdir(parents=True)
    shutil.copyfile(command, place / "bin" / platform.command)
    (place / "bin" / platform.command).chmod(0o755)
    manifest = {
        "name": f"{SCOPE}/{platform.npm['name']}",
        "version": platforms.version(),
        "description": f"The command and the native module of tool-hub for {platform.target}",
        "license": "Apache-2.0",
        "os": [platform.npm["os"]],
        "cpu": [platform.npm["cpu"]],
        "main": "tool-hub.node",
        "files": [f"bin/{platform.command}", "tool-hub.node"],
    }
    if "libc" in platform.npm:
        manifest["libc"] = [platform.npm["libc"]]
    shutil.copyfile(module, place / "tool-hub.node")
    write(place, manifest)


def main_package(source, to):
    """Writes the package that people install into `to`: what `source` publishes, with the
    platforms' packages in this very version as optional dependencies."""
    source, place = pathlib.Path(source), pathlib.Path(to)
    manifest = json.loads((source / "package.json").read_text())
    version = platforms.version()
    if manifest["version"] != version:
        found = manifest["version"]
        raise SystemExit(f"expected version {version} in {source / 'package.json'}; found {found}")
    place.mkdir(parents=True)
    # What was built in the clone is for one platform only.
    built = {"tool-hub.node", "bin"}
    manifest["files"] = [name for name in manifest["files"] if name not in built]
    for pattern in manifest["files"]:
        for found in source.glob(pattern):
            copy = shutil.copytree if found.is_dir() else shutil.copyfile
            copy(found, place / found.name)
    # `npx tool-hub` starts the command too.
    manifest["bin"]["tool-hub"] = manifest["bin"]["tool"]
    names = [f"{SCOPE}/{platform.npm['name']}" for platform in platforms.listed()]
    manifest["optionalDependencies"] = dict.fromkeys(names, version)
    scripts = manifest.get("scripts", {})
    manifest["scripts"] = {name: it for name, it in scripts.items() if name not in CLONE_ONLY}
    write(place, manifest)


def write(place, manifest):
    shutil.copyfile(platforms.ROOT / "LICENSE", place / "LICENSE")
    (place / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("platform")
    one.add_argument("target")
    one.add_argument("--command", required=True)
    one.add_argument("--module", required=True)
    whole = kinds.add_parser("main")
    whole.add_argument("--source", default=platforms.ROOT / "node")
    for parser_of_kind in (one, whole):
        parser_of_kind.add_argument("--to", required=True)
    given = parser.parse_args()
    if given.kind == "main":
        main_package(given.source, given.to)
    else:
        platform_package(platforms.named(given.target), given.command, given.module, given.to)


if __name__ == "__main__":
    main()
