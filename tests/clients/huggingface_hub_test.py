"""Tests a registry with Python's huggingface_hub: a repository from its creation to its deletion.

usage: huggingface_hub_test.py ENDPOINT TOKEN
Needs `pip install huggingface_hub` and nothing else. Prints one line a step; exits with 1 at the
first thing that is not as it should be.
"""

import hashlib
import os
import random
import sys
import tempfile
import urllib.request
from pathlib import Path

ENDPOINT, TOKEN = sys.argv[1].rstrip("/"), sys.argv[2]
HOME = tempfile.TemporaryDirectory()
os.environ.update(
    HF_ENDPOINT=ENDPOINT,
    HF_HOME=HOME.name,
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_HUB_DISABLE_PROGRESS_BARS="1",
    HF_HUB_DISABLE_IMPLICIT_TOKEN="1",
)

import huggingface_hub
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import (
    EntryNotFoundError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

api = HfApi(endpoint=ENDPOINT, token=TOKEN)
nobody = HfApi(endpoint=ENDPOINT, token=False)
run = f"{random.getrandbits(32):08x}"


def step(text):
    print(f"ok {text}", flush=True)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def refused(expected, action, status=None):
    try:
        action()
    except expected as error:
        if status is not None:
            assert error.response.status_code == status, error.response.status_code
        assert getattr(error, "request_id", None), "no request id on the error"
        return error
    raise AssertionError(f"not refused with {expected}")


def download(repo, path, **options):
    local = api.hf_hub_download(repo, path, cache_dir=tempfile.mkdtemp(dir=HOME.name), **options)
    return Path(local).read_bytes()


who = api.whoami()
name = who["name"]
assert who["type"] == "user" and who["auth"]["accessToken"]["role"] == "write", who
refused(HfHubHTTPError, lambda: HfApi(endpoint=ENDPOINT, token="hf_wrong").whoami(), 401)
step(f"whoami: {name} (huggingface_hub {huggingface_hub.__version__})")

repo = f"{name}/py-life-{run}"
url = api.create_repo(f"py-life-{run}")
assert url.repo_id == repo and url.repo_type == "model", url
assert api.create_repo(repo, exist_ok=True).repo_id == repo
refused(HfHubHTTPError, lambda: api.create_repo(repo), 409)
refused(HfHubHTTPError, lambda: api.create_repo(f"somebody-else/{run}"), 403)
assert api.repo_exists(repo) and not api.repo_exists(repo + "-not")
assert api.list_repo_files(repo) == [".gitattributes"]
assert [c.title for c in api.list_repo_commits(repo)] == ["initial commit"]
step("create")

small = b"schema = 1\nname = 'py-life'\n"
commit = api.upload_file(path_or_fileobj=small, path_in_repo="top.toml", repo_id=repo, commit_message="add the notes")
assert len(commit.oid) == 40 and commit.commit_url.endswith(commit.oid), commit
assert download(repo, "top.toml") == small
card = f"---\nlicense: apache-2.0\ntags:\n- tool-hub\n- life-{run}\n---\n# Life {run}\n\nMeasures the wombats of {run}.\n"
api.upload_file(path_or_fileobj=card.encode(), path_in_repo="README.md", repo_id=repo)
assert download(repo, "README.md") == card.encode()
step("upload_file")

large = random.Random(7).randbytes(100_000_000)
large_path = Path(HOME.name) / "large.bin"
large_path.write_bytes(large)
api.upload_file(path_or_fileobj=large_path, path_in_repo="data/large.bin", repo_id=repo)
assert sha256(download(repo, "data/large.bin")) == sha256(large)
step("upload and download of 100 MB with equal sha256")

folder = Path(HOME.name) / "folder"
for relative, content in {"a.txt": b"a", "sub/b.txt": b"b" * 1000, "sub/deep/c d ü.txt": b"c", "empty.txt": b""}.items():
    (folder / relative).parent.mkdir(parents=True, exist_ok=True)
    (folder / relative).write_bytes(content)
api.upload_folder(repo_id=repo, folder_path=folder, path_in_repo="folder", commit_message="a folder")
files = api.list_repo_files(repo)
assert set(files) == {
    ".gitattributes", "README.md", "data/large.bin", "folder/a.txt", "folder/empty.txt", "folder/sub/b.txt",
    "folder/sub/deep/c d ü.txt", "top.toml",
}, files
assert download(repo, "folder/sub/deep/c d ü.txt") == b"c"
assert download(repo, "folder/empty.txt") == b""
step("upload_folder")

before = api.repo_info(repo).sha
api.upload_file(path_or_fileobj=small, path_in_repo="top.toml", repo_id=repo)
assert api.repo_info(repo).sha == before, "an unchanged file made a commit"
step("unchanged files make no commit")

tree = {entry.path: entry for entry in api.list_repo_tree(repo, recursive=True, expand=True)}
assert {"folder", "folder/sub", "folder/sub/deep", "data"} <= set(tree), list(tree)
blob_id = hashlib.sha1(b"blob %d\0" % len(small) + small).hexdigest()
assert tree["top.toml"].blob_id == blob_id and tree["top.toml"].size == len(small)
assert tree["top.toml"].last_commit.title == "add the notes", tree["top.toml"]
assert tree["folder/sub"].last_commit.title == "a folder"
assert [entry.path for entry in api.list_repo_tree(repo, "folder/sub")] == ["folder/sub/b.txt", "folder/sub/deep"]
refused(EntryNotFoundError, lambda: list(api.list_repo_tree(repo, "not-there")))
infos = {info.path: info for info in api.get_paths_info(repo, ["top.toml", "folder", "missing", "folder/a.txt"], expand=True)}
assert set(infos) == {"top.toml", "folder", "folder/a.txt"}, infos
assert infos["folder/a.txt"].size == 1 and infos["folder/a.txt"].last_commit.title == "a folder"
step("tree, paths-info, last commits, git ids")

info = api.repo_info(repo, files_metadata=True)
assert info.sha == before and not info.private and info.id == repo
assert {"tool-hub", f"life-{run}", "license:apache-2.0"} <= set(info.tags), info.tags
assert info.card_data.license == "apache-2.0"
sizes = {sibling.rfilename: sibling.size for sibling in info.siblings}
assert sizes["data/large.bin"] == len(large), sizes
assert api.model_info(repo, expand=["sha", "likes"]).sha == before
assert api.file_exists(repo, "top.toml") and not api.file_exists(repo, "nothing")
metadata = huggingface_hub.get_hf_file_metadata(
    huggingface_hub.hf_hub_url(repo, "top.toml", endpoint=ENDPOINT), token=TOKEN
)
assert metadata.commit_hash == before and metadata.size == len(small) and metadata.etag == blob_id, metadata
refused(EntryNotFoundError, lambda: download(repo, "nothing"))
refused(RevisionNotFoundError, lambda: api.repo_info(repo, revision="nothing"))
refused(RepositoryNotFoundError, lambda: api.repo_info(repo + "-not"))
refused(RepositoryNotFoundError, lambda: nobody.repo_info(repo + "-not"), 401)
step("info, metadata, errors")

history = list(api.list_repo_commits(repo))
assert len(history) == 5 and history[-1].title == "initial commit" and history[0].commit_id == before, history
assert history[0].authors == [name]
api.create_tag(repo, tag="v0.1.0", revision=history[3].commit_id, tag_message="the first")
refused(HfHubHTTPError, lambda: api.create_tag(repo, tag="v0.1.0"), 409)
api.create_tag(repo, tag="v0.1.0", exist_ok=True)
refused(RevisionNotFoundError, lambda: api.create_tag(repo, tag="v9", revision="nothing"))
api.create_branch(repo, branch="feature/one", revision="v0.1.0")
refused(HfHubHTTPError, lambda: api.create_branch(repo, branch="feature/one"), 409)
api.upload_file(path_or_fileobj=b"branch", path_in_repo="branch.txt", repo_id=repo, revision="feature/one")
assert download(repo, "branch.txt", revision="feature/one") == b"branch"
assert not api.file_exists(repo, "branch.txt")
assert api.list_repo_files(repo, revision="v0.1.0") == [".gitattributes", "top.toml"]
assert api.list_repo_files(repo, revision=history[3].commit_id[:7]) == [".gitattributes", "top.toml"]
refs = api.list_repo_refs(repo, include_pull_requests=True)
assert {b.name for b in refs.branches} == {"main", "feature/one"} and [t.name for t in refs.tags] == ["v0.1.0"], refs
assert refs.tags[0].target_commit == history[3].commit_id
api.delete_branch(repo, branch="feature/one")
refused(HfHubHTTPError, lambda: api.delete_branch(repo, branch="main"), 403)
refused(RevisionNotFoundError, lambda: api.delete_branch(repo, branch="feature/one"))
api.delete_tag(repo, tag="v0.1.0")
refused(RevisionNotFoundError, lambda: api.delete_tag(repo, tag="v0.1.0"))
step("history, tags, branches")

operations = [
    CommitOperationAdd("folder/a.txt", b"changed"),
    CommitOperationDelete("folder/sub/"),
    CommitOperationDelete("folder/empty.txt"),
]
api.create_commit(repo, operations=operations, commit_message="several\n\nwith a description", parent_commit=before)
assert set(api.list_repo_files(repo)) == {".gitattributes", "README.md", "data/large.bin", "folder/a.txt", "top.toml"}
assert api.list_repo_commits(repo)[0].title == "several"
add = [CommitOperationAdd("late.txt", b"late")]
refused(HfHubHTTPError, lambda: api.create_commit(repo, operations=add, commit_message="late", parent_commit=before), 412)
delete = [CommitOperationDelete("not-there.txt")]
refused(EntryNotFoundError, lambda: api.create_commit(repo, operations=delete, commit_message="missing"))
assert not api.file_exists(repo, "late.txt")
step("several operations, parent commit")

operations = [CommitOperationAdd("proposed.txt", b"proposed")]
proposal = api.create_commit(repo, operations=operations, commit_message="a proposal", create_pr=True)
assert proposal.pr_num == 1 and proposal.pr_revision == "refs/pr/1", proposal
assert download(repo, "proposed.txt", revision="refs/pr/1") == b"proposed"
assert not api.file_exists(repo, "proposed.txt")
api.upload_file(path_or_fileobj=b"more", path_in_repo="more.txt", repo_id=repo, revision="refs/pr/1")
titles = [c.title for c in api.list_repo_commits(repo, revision="refs/pr/1")]
assert titles[:2] == ["Upload more.txt with huggingface_hub", "a proposal"] and len(titles) == 8, titles
refs = api.list_repo_refs(repo, include_pull_requests=True)
assert [pull.ref for pull in refs.pull_requests] == ["refs/pr/1"], refs
step("pull request")

api.create_branch(repo, branch="squashed")
api.super_squash_history(repo, branch="squashed", commit_message="all of it")
assert [c.title for c in api.list_repo_commits(repo, revision="squashed")] == ["all of it"]
assert api.list_repo_files(repo, revision="squashed") == api.list_repo_files(repo)
api.delete_branch(repo, branch="squashed")
step("super-squash")

snapshot = Path(api.snapshot_download(repo, cache_dir=Path(HOME.name) / "cache"))
assert sha256((snapshot / "data/large.bin").read_bytes()) == sha256(large)
assert (snapshot / "folder/a.txt").read_bytes() == b"changed"
local = Path(HOME.name) / "local"
api.snapshot_download(repo, local_dir=local, allow_patterns=["*.toml"])
assert (local / "top.toml").read_bytes() == small and not (local / "data").exists()
old = api.hf_hub_download(repo, "folder/a.txt", revision=before, cache_dir=Path(HOME.name) / "cache")
assert Path(old).read_bytes() == b"a"
request = urllib.request.Request(f"{ENDPOINT}/{repo}/resolve/main/data/large.bin", headers={"Range": "bytes=1000-1999"})
with urllib.request.urlopen(request) as response:
    assert response.status == 206 and response.read() == large[1000:2000]
step("snapshot, local directory, old revision, range")

found = [m.id for m in api.list_models(filter="tool-hub", search=f"wombats {run}")]
assert found == [repo], found
assert [m.id for m in api.list_models(filter=[f"life-{run}"], author=name, full=True)] == [repo]
assert repo in [m.id for m in api.list_models(search=f"py-life-{run}", limit=5, sort="created_at")]
assert list(api.list_models(filter=["tool-hub", "no-such-tag"])) == []
step("search")

moved = f"{name}/py-moved-{run}"
api.move_repo(from_id=repo, to_id=moved)
assert download(repo, "top.toml") == small and download(moved, "top.toml") == small
assert api.repo_info(repo).id == moved
assert api.repo_info(moved.upper()).id == moved
api.create_repo(f"{name}/py-other-{run}")
refused(HfHubHTTPError, lambda: api.move_repo(from_id=moved, to_id=f"{name}/py-other-{run}"), 409)
api.delete_repo(f"{name}/py-other-{run}")
step("move")

assert nobody.repo_info(moved).id == moved
api.update_repo_settings(moved, visibility="private")
refused(RepositoryNotFoundError, lambda: nobody.repo_info(moved), 401)
refused(RepositoryNotFoundError, lambda: nobody.hf_hub_download(moved, "top.toml", cache_dir=Path(HOME.name) / "other"))
assert api.repo_info(moved).private and download(moved, "top.toml") == small
assert [m.id for m in nobody.list_models(search=run)] == []
assert [m.id for m in api.list_models(search=run)] == [moved]
api.auth_check(moved)
secret = api.create_repo(f"{name}/py-secret-{run}", private=True).repo_id
refused(RepositoryNotFoundError, lambda: nobody.repo_info(secret), 401)
data = api.create_repo(f"{name}/py-data-{run}", repo_type="dataset").repo_id
api.upload_file(path_or_fileobj=b"1,2\n", path_in_repo="t.csv", repo_id=data, repo_type="dataset")
assert download(data, "t.csv", repo_type="dataset") == b"1,2\n"
step("private repositories, data sets")

for gone, kind in [(moved, "model"), (secret, "model"), (data, "dataset")]:
    api.delete_repo(gone, repo_type=kind)
    assert not api.repo_exists(gone, repo_type=kind)
refused(RepositoryNotFoundError, lambda: api.delete_repo(moved))
api.delete_repo(moved, missing_ok=True)
step("delete")
print("all of it works")
