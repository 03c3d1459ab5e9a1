"""Tools of Transformers Agents: a class with `__call__`, and one with `forward`."""

from transformers import Tool


class ModelDownloadsTool(Tool):
    name = "model_download_counter"
    description = (
        "This is a tool that returns the most downloaded model of a given task on the Hugging Face Hub. "
        "It takes the name of the category (such as text-classification, depth-estimation, etc), and "
        "returns the name of the checkpoint."
    )

    inputs = ["text"]
    outputs = ["text"]

    def __call__(self, task: str):
        from huggingface_hub import list_models

        model = next(iter(list_models(filter=task, sort="downloads", direction=-1)))
        return model.id


class Echo(Tool):
    name = "echo"
    description = "Repeats a text."
    inputs = {"text": {"type": "string", "description": "What to repeat."}}
    output_type = "string"

    def forward(self, text: str):
        return text
