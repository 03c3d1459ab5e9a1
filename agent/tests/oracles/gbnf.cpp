// Says how llama.cpp reads grammars. Standard input has cases: the length of a grammar and the
// grammar, the length of a text and the text. Standard output gets a byte for each: y or n
// whether the grammar accepts the text, or e where there is no such grammar.

#include "llama-grammar.h"
#include "llama-impl.h"
#include "llama-vocab.h"
#include "unicode.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

// A grammar by itself knows no tokens.
bool llama_vocab::is_eog(llama_token) const { abort(); }
const std::string & llama_vocab::token_to_piece(llama_token) const { abort(); }
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { abort(); }
extern "C" void ggml_abort(const char *, int, const char *, ...) { abort(); }
void llama_log_internal(ggml_log_level, const char * format, ...) { fputs(format, stderr); }

static bool read_text(std::string & text) {
    uint32_t length;
    if (fread(&length, sizeof length, 1, stdin) != 1) {
        return false;
    }
    text.resize(length);
    return fread(&text[0], 1, length, stdin) == length;
}

static bool accepts(const llama_grammar & grammar, const std::string & text) {
    llama_grammar * reader = llama_grammar_clone_impl(grammar);
    auto & stacks = llama_grammar_get_stacks(reader);
    for (uint32_t character : unicode_cpts_from_utf8(text)) {
        llama_grammar_accept(reader, character);
    }
    bool accepted = false;
    for (const auto & stack : stacks) {
        accepted = accepted || stack.empty();
    }
    llama_grammar_free_impl(reader);
    return accepted;
}

int main() {
    std::string source, text;
    while (read_text(source) && read_text(text)) {
        llama_grammar * grammar =
            llama_grammar_init_impl(nullptr, source.c_str(), "root", false, nullptr, 0, nullptr, 0);
        putchar(grammar == nullptr ? 'e' : accepts(*grammar, text) ? 'y' : 'n');
        if (grammar != nullptr) {
            llama_grammar_free_impl(grammar);
        }
    }
}
