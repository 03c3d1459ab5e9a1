// An example tool: draws a picture, reads one, and fails with advice.

#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const tool_string_t *text, const char *word) {
    return text->len == strlen(word) && memcmp(text->ptr, word, text->len) == 0;
}

static void present(tool_option_string_t *option, const char *text) {
    option->is_some = true;
    tool_string_dup(&option->val, text);
}

bool exports_docs_dots_dots_draw(
    tool_string_t *colour,
    exports_docs_dots_dots_image_t *ret,
    exports_docs_dots_dots_failure_t *err
) {
    char text[256];
    const char *fill = is(colour, "red") ? "#f00" : is(colour, "blue") ? "#00f" : NULL;
    if (fill == NULL) {
        *err = (exports_docs_dots_dots_failure_t){
            .kind = TOOL_HUB_TOOL_TYPES_FAILURE_KIND_INVALID_ARGUMENT,
        };
        snprintf(text, sizeof text, "`%.*s` is no colour of mine", (int)colour->len, colour->ptr);
        tool_string_dup(&err->message, text);
        present(&err->fix, "use `red` or `blue`");
        present(&err->argument, "colour");
        return false;
    }
    int length = snprintf(
        text,
        sizeof text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">"
        "<circle cx=\"4\" cy=\"4\" r=\"4\" fill=\"%s\"/></svg>",
        fill
    );
    tool_string_dup(&ret->media_type, "image/svg+xml");
    ret->data.ptr = (uint8_t *)strdup(text);
    ret->data.len = (size_t)length;
    return true;
}

void exports_docs_dots_dots_look_at(
    exports_docs_dots_dots_image_t *picture,
    exports_docs_dots_dots_reply_t *ret
) {
    char text[256];
    tool_string_t *type = &picture->media_type;
    *ret = (exports_docs_dots_dots_reply_t){.content = {calloc(1, sizeof *ret->content.ptr), 1}};
    ret->content.ptr->body.tag = TOOL_HUB_TOOL_TYPES_CONTENT_BODY_TEXT;
    snprintf(text, sizeof text, "%zu bytes of %.*s", picture->data.len, (int)type->len, type->ptr);
    tool_string_dup(&ret->content.ptr->body.val.text, text);
    snprintf(text, sizeof text, "{\"bytes\":%zu}", picture->data.len);
    ret->structured.is_some = true;
    tool_string_dup(&ret->structured.val, text);
    present(&ret->next, "Draw another one with `draw`.");
}
