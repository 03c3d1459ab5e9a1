"""Values of every kind, and all that a program may ask of its host."""

import json

import wit_world
from componentize_py_types import Err, Ok
from wit_world import exports
from wit_world.exports.prompts import Prompt, PromptMessage
from wit_world.exports.shapes_of import Shape_Circle, Shape_Empty
from wit_world.imports import atomics, interaction, logging, store, types


class ShapesOf(exports.ShapesOf):
    def pass_(self, lambda_):
        match lambda_.a:
            case Shape_Circle(radius):
                said = f"a circle of {radius}"
            case other:
                said = repr(other)
        match lambda_.e:
            case Ok(value) | Err(value):
                said += f", {value!r}"
        return lambda_, f"{said}, {lambda_.b!r}, {lambda_.c!r}, {lambda_.d!r}, {lambda_.f!r}, {lambda_.h!r}"

    def import_(self, shape):
        if shape != Shape_Empty():
            raise Err(shape)


class Host(exports.Host):
    def count(self):
        logging.log(logging.Level.INFO, "demo", "it counts")
        with store.open("counts") as bucket:
            return atomics.increment(bucket, "calls", 1)

    def greet(self):
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        interaction.report_progress(1, None, "asking")
        try:
            answer = json.loads(interaction.ask("name", "Who is there?", json.dumps(schema)))
        except Err as error:
            return type(error.value).__name__
        return f"Hello, {answer['name']}!"


class Prompts(exports.Prompts):
    def list_prompts(self):
        return [Prompt("draw", "Draw", None, [])]

    def get_prompt(self, name, arguments):
        if name != "draw":
            raise Err(types.Failure(types.FailureKind.NOT_FOUND, f"no prompt {name}", None, None, False))
        body = types.ContentBody_Text("Draw a circle.")
        return [PromptMessage(types.Role.USER, types.Content(body, None))]


class WitWorld(wit_world.WitWorld):
    def top_level(self, given):
        return bytes([given.n, 255])
