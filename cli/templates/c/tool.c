// The tool {{name}}, which greets people.
//
// `tool build` writes target/bindings/tool.h from wit/world.wit: the types, and the declarations
// of the functions to define here. Each call has a memory of its own, which goes with it.

#include "tool.h"

#include <stdio.h>
#include <string.h>

static bool is(const tool_string_t *text, const char *word) {
    return text->len == strlen(word) && memcmp(text->ptr, word, text->len) == 0;
}

// Makes an answer of a format with one `%.*s`. What was allocated for it is freed once it was read;
// for a text without parts `tool_string_set(answer, "text")` is enough.
static void make(tool_string_t *answer, const char *format, const tool_string_t *text) {
    char *made = NULL;
    int length = asprintf(&made, format, (int)text->len, text->ptr);
    answer->ptr = (uint8_t *)made;
    answer->len = length < 0 ? 0 : (size_t)length;
}

bool exports_tools_{{wit_module}}_functions_greet(
    tool_string_t *name,
    tool_string_t *maybe_language,
    tool_string_t *ret,
    tool_string_t *err
) {
    if (maybe_language == NULL || is(maybe_language, "en")) {
        make(ret, "Hello, %.*s!", name);
    } else if (is(maybe_language, "de")) {
        make(ret, "Hallo, %.*s!", name);
    } else if (is(maybe_language, "fr")) {
        make(ret, "Bonjour, %.*s !", name);
    } else {
        // An agent reads this: say what was wrong and what would have been right.
        make(err, "`%.*s` is not a language I speak; use en, de or fr", maybe_language);
        return false;
    }
    return true;
}
