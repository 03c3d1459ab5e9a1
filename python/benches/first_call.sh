#!/usr/bin/env bash
# Measures the time from `pip install` of a wheel in an empty Debian to the first call of a tool.
#
# usage: first_call.sh WHEEL PACKAGE FUNCTION ARGUMENTS    (as root, with debootstrap)
# PACKAGE is the directory of a built tool; ARGUMENTS are a JSON object.
set -euo pipefail

wheel=$1 package=$2 function=$3 arguments=$4
root=$(mktemp -d)
trap 'umount "$root/proc" || true; rm -rf "$root"' EXIT

debootstrap --variant=minbase --include=python3-venv bookworm "$root" >"$root.log"
mount -t proc proc "$root/proc"
cp "$wheel" "$root/root"
cp -r "$package" "$root/package"
cat >"$root/root/first_call.py" <<'PYTHON'
import json
import sys

import tool_hub

inspection = tool_hub.load("/package")
tool = inspection.approve(inspection.digest)[sys.argv[1]]
print(tool(**json.loads(sys.argv[2])))
PYTHON

inside() { chroot "$root" env -i HOME=/root PATH=/usr/bin:/bin "$@"; }
inside python3 -m venv /root/venv
time (
    inside /root/venv/bin/pip install --quiet --no-index "/root/$(basename "$wheel")"
    inside /root/venv/bin/python /root/first_call.py "$function" "$arguments"
)
