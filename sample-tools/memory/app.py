"""The tool `memory`: the functions of `wit/world.wit` over the graph of `stored.py`."""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports.types import Content, ContentBody_Text, Failure, FailureKind, Reply

import stored
from stored import entity_of, relation_of


class Graph(exports.Graph):
    """The interface `graph`. Answers have the names that other memories of this kind have."""

    def create_entities(self, entities):
        with stored.Graph() as graph:
            known, new = graph.entities(), {}
            for entity in entities:
                if entity.name not in known and entity.name not in new:
                    new[entity.name] = entity_of(entity.name, entity.entity_type, entity.observations)
            graph.add(new.values())
        return answer(list(new.values()), "entities")

    def create_relations(self, relations):
        with stored.Graph() as graph:
            known, new = graph.relations(), []
            for relation in map(plain, relations):
                if relation not in known and relation not in new:
                    new.append(relation)
            graph.add(new)
        return answer(new, "relations")

    def add_observations(self, observations):
        with stored.Graph() as graph:
            known, results = graph.entities(), []
            for index, addition in enumerate(observations):
                entity = known.get(addition.entity_name)
                if entity is None:
                    raise unknown(addition.entity_name, known, f"observations[{index}].entity_name")
                new = []
                for content in addition.contents:
                    if content not in entity["observations"]:
                        entity["observations"].append(content)
                        new.append(content)
                results.append({"entityName": addition.entity_name, "addedObservations": new})
            graph.change(known[addition.entity_name] for addition in observations)
        return answer(results, "results")

    def delete_entities(self, entity_names):
        with stored.Graph() as graph:
            gone = set(entity_names)
            entities = [entity for name, entity in graph.entities().items() if name in gone]
            graph.delete(entities + [each for each in graph.relations() if gone & {each["from"], each["to"]}])
        return done("Entities deleted successfully")

    def delete_observations(self, deletions):
        with stored.Graph() as graph:
            known, changed = graph.entities(), {}
            for deletion in deletions:
                entity = known.get(deletion.entity_name)
                if entity is not None:
                    kept = [each for each in entity["observations"] if each not in deletion.observations]
                    entity["observations"] = kept
                    changed[deletion.entity_name] = entity
            graph.change(changed.values())
        return done("Observations deleted successfully")

    def delete_relations(self, relations):
        with stored.Graph() as graph:
            graph.delete(map(plain, relations))
        return done("Relations deleted successfully")

    def read_graph(self):
        with stored.Graph() as graph:
            return part(graph, lambda entity: True)

    def search_nodes(self, query):
        wanted = query.lower()
        with stored.Graph() as graph:
            return part(graph, lambda entity: any(wanted in text.lower() for text in texts(entity)))

    def open_nodes(self, names):
        wanted = set(names)
        with stored.Graph() as graph:
            return part(graph, lambda entity: entity["name"] in wanted)


def part(graph, is_wanted):
    """The entities that are wanted, and the relations at either end of which one of them is."""
    entities = [entity for entity in graph.entities().values() if is_wanted(entity)]
    names = {entity["name"] for entity in entities}
    relations = [each for each in graph.relations() if names & {each["from"], each["to"]}]
    value = {"entities": entities, "relations": relations}
    return reply(json.dumps(value, indent=2, ensure_ascii=False), value)


def texts(entity):
    return [entity["name"], entity["entityType"], *entity["observations"]]


def plain(relation):
    return relation_of(relation.from_, relation.to, relation.relation_type)


def answer(value, name):
    return reply(json.dumps(value, indent=2, ensure_ascii=False), {name: value})


def done(sentence):
    return reply(sentence, {"success": True, "message": sentence})


def reply(text, value):
    return Reply([Content(ContentBody_Text(text), None)], json.dumps(value, ensure_ascii=False), None)


def unknown(name, known, argument):
    like = [other for other in known if name.lower() in other.lower() or other.lower() in name.lower()]
    fix = f"did you mean {', '.join(like[:5])}?" if like else "make it with create_entities first"
    message = f"no entity named {name} is known"
    return Err(Failure(FailureKind.NOT_FOUND, message, fix, argument, False))
