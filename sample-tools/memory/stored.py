"""The graph in the tool's storage: a key for each entity and relation, so that calls at the same time
do not lose what the other has written."""

import hashlib
import json

from componentize_py_types import Err
from wit_world.imports import atomics, batch, store
from wit_world.imports.types import Failure, FailureKind

READ_AT_ONCE = 500


def entity_of(name, entity_type, observations):
    return {"name": name, "entityType": entity_type, "observations": list(observations)}


def relation_of(start, end, relation_type):
    return {"from": start, "to": end, "relationType": relation_type}


class Graph:
    """The graph while a call is under way: `with Graph() as graph`."""

    def __enter__(self):
        self._bucket = said(store.open, "graph")
        self._bucket.__enter__()
        self._order, self._entities, self._relations = {}, {}, []
        items = sorted(self._items(), key=lambda item: item["order"])
        for item in items:
            self._order[key_of(item["value"])] = item["order"]
            if "name" in item["value"]:
                self._entities[item["value"]["name"]] = item["value"]
            else:
                self._relations.append(item["value"])
        return self

    def __exit__(self, *raised):
        return self._bucket.__exit__(*raised)

    def entities(self):
        """By name, in the order in which they were made."""
        return self._entities

    def relations(self):
        return self._relations

    def add(self, values):
        values = list(values)
        if values:
            last = said(atomics.increment, self._bucket, "order", len(values))
            self._write(values, range(last - len(values), last))

    def change(self, values):
        values = list(values)
        self._write(values, [self._order[key_of(value)] for value in values])

    def delete(self, values):
        said(batch.delete_many, self._bucket, [key_of(value) for value in values])

    def _write(self, values, orders):
        written = [
            (key_of(value), json.dumps({"order": order, "value": value}, ensure_ascii=False).encode())
            for value, order in zip(values, orders)
        ]
        said(batch.set_many, self._bucket, written)

    def _items(self):
        keys, cursor = [], None
        while True:
            found = said(self._bucket.list_keys, cursor)
            keys += (key for key in found.keys if key != "order")
            cursor = found.cursor
            if cursor is None:
                break
        for start in range(0, len(keys), READ_AT_ONCE):
            for pair in said(batch.get_many, self._bucket, keys[start : start + READ_AT_ONCE]):
                if pair is not None:
                    yield json.loads(pair[1])


def key_of(value):
    """The key of an entity is that of its name, of a relation that of all it says. Keys have at most
    1 KiB, names may have more."""
    identity = value["name"] if "name" in value else [value["from"], value["to"], value["relationType"]]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()


def said(act, *arguments):
    """Calls the storage, and has what it refuses reach the agent as a failure."""
    try:
        return act(*arguments)
    except Err as error:
        reason = error.value
        if isinstance(reason, store.Error_AccessDenied):
            kind, message, fix = FailureKind.PERMISSION_DENIED, "no storage was granted to this tool", None
        else:
            what = getattr(reason, "value", "the storage cannot be used")
            kind, message, fix = FailureKind.LIMIT_REACHED, what, "delete what is no longer needed"
        raise Err(Failure(kind, message, fix, None, False)) from error
