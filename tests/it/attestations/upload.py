"""Uploads files by the Hub's own client, and tags them.

Usage: upload.py REPO TAG|none FILE …
"""

import os, sys

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.utils import HfHubHTTPError

repo, tag, *files = sys.argv[1:]
api = HfApi()
adds = [CommitOperationAdd(os.path.basename(file), file) for file in files]
try:
    api.create_commit(repo, adds, commit_message="files")
    if tag != "none":
        api.create_tag(repo, tag=tag)
    print("done")
except HfHubHTTPError as error:
    print(error.response.status_code, error.server_message or error.response.text)
