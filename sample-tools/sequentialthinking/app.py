"""The tool `sequentialthinking`. What is kept of a chain is its length and the names of its branches;
the thoughts are in the conversation."""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import store
from wit_world.imports.types import Content, ContentBody_Text, Failure, FailureKind, Reply

BRANCHES_MAX = 1000
BRANCH_LENGTH_MAX = 200


class Thinking(exports.Thinking):
    """The interface `thinking`."""

    def sequentialthinking(
        self,
        thought,
        next_thought_needed,
        thought_number,
        total_thoughts,
        is_revision,
        revises_thought,
        branch_from_thought,
        branch_id,
        needs_more_thoughts,
    ):
        numbers = {
            "thought_number": thought_number,
            "total_thoughts": total_thoughts,
            "revises_thought": revises_thought,
            "branch_from_thought": branch_from_thought,
        }
        for argument, number in numbers.items():
            if number == 0:
                raise failure("INVALID_ARGUMENT", f"`{argument}` is 0", "count from 1", argument)
        if branch_id is not None and len(branch_id) > BRANCH_LENGTH_MAX:
            raise failure("INVALID_ARGUMENT", "the name is too long", "choose a short name", "branch_id")

        begins = thought_number == 1 and not is_revision and not branch_from_thought
        with opened() as bucket:
            kept = None if begins else bucket.get("chain")
            chain = json.loads(kept) if kept else {"length": 0, "branches": []}
            chain["length"] += 1
            if branch_from_thought and branch_id and branch_id not in chain["branches"]:
                chain["branches"].append(branch_id)
            if len(chain["branches"]) > BRANCHES_MAX:
                raise failure(
                    "LIMIT_REACHED", f"a chain has at most {BRANCHES_MAX} branches", "begin a new one", None
                )
            bucket.set("chain", json.dumps(chain).encode())

        value = {
            "thoughtNumber": thought_number,
            "totalThoughts": max(thought_number, total_thoughts),
            "nextThoughtNeeded": next_thought_needed,
            "branches": chain["branches"],
            "thoughtHistoryLength": chain["length"],
        }
        text = json.dumps(value, indent=2, ensure_ascii=False)
        return Reply([Content(ContentBody_Text(text), None)], json.dumps(value, ensure_ascii=False), None)


def opened():
    try:
        return store.open("thinking")
    except Err as error:
        if isinstance(error.value, store.Error_AccessDenied):
            raise failure("PERMISSION_DENIED", "no storage was granted to this tool", None, None) from error
        raise


def failure(kind, message, fix, argument):
    return Err(Failure(FailureKind[kind], message, fix, argument, False))
