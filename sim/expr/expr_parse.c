/* Expressions from text, by recursive descent; see expr.h. Depth is limited, so that no text
 * can exhaust the stack. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/units.h"
#include "sim/expr/expr_private.h"

enum { MAX_DEPTH = 200, MAX_NAME = 512, MAX_NUMBER = 64, MAX_BYTES = 4096 };

struct parser {
    struct orr_arena *arena;
    const char *text, *at;
    const struct orr_expr_names *names;
    struct orr_expr_error *error;
    unsigned depth;
};

static const struct orr_expr *parse_choice(struct parser *parser);
static const struct orr_expr *parse_sign(struct parser *parser);

/* ---- errors ---- */

static unsigned column_of(const struct parser *parser, const char *at)
{
    return (unsigned)(at - parser->text) + 1;
}

static const struct orr_expr *fail(struct parser *parser, const char *at, const char *message)
{
    parser->error->column = column_of(parser, at);
    (void)snprintf(parser->error->message, sizeof parser->error->message, "%s", message);
    return NULL;
}

static const struct orr_expr *expected(struct parser *parser, const char *what)
{
    char message[128], found[24];
    const char *at = parser->at;
    const size_t length = strcspn(at, " \t");
    (void)snprintf(found, sizeof found, "\"%.*s\"", (int)(length < 20 ? length : 20), at);
    (void)snprintf(message, sizeof message, "expected %s, got %s", what,
                   *at != '\0' ? found : "the end");
    return fail(parser, at, message);
}

/* ---- words ---- */

static void skip_space(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\r\n");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_word(char c)
{
    return begins_word(c) || is_digit(c);
}

/* Accepts the symbol if it is next. */
static bool accept(struct parser *parser, const char *symbol)
{
    skip_space(parser);
    const size_t length = strlen(symbol);
    if (strncmp(parser->at, symbol, length) != 0) {
        return false;
    }
    parser->at += length;
    return true;
}

/* ---- tree ---- */

static const struct orr_expr *node(struct parser *parser, struct orr_expr fields)
{
    struct orr_expr *made = orr_arena_alloc(parser->arena, sizeof *made);
    if (made == NULL) {
        return fail(parser, parser->at, "out of memory");
    }
    *made = fields;
    return made;
}

/* ---- constants ---- */

/* Bytes of the longest unit at `at`; 0 when there is none. */
static size_t unit_bytes(const char *at)
{
    size_t longest = 0;
    for (unsigned q = ORR_QUANTITY_TIME; q <= ORR_QUANTITY_RATE; q++) {
        const char *unit;
        for (size_t i = 0; (unit = orr_quantity_unit((enum orr_quantity)q, i)) != NULL; i++) {
            const size_t length = strlen(unit);
            if (length > longest && strncmp(at, unit, length) == 0 && !in_word(at[length])) {
                longest = length;
            }
        }
    }
    return longest;
}

/* Bytes of the digits, point and exponent at `at`. */
static size_t number_bytes(const char *at)
{
    size_t length = strspn(at, "0123456789");
    if (at[length] == '.') {
        length += 1 + strspn(at + length + 1, "0123456789");
    }
    if (at[length] == 'e' || at[length] == 'E') {
        const size_t sign = at[length + 1] == '-' || at[length + 1] == '+' ? 1 : 0;
        const size_t digits = strspn(at + length + 1 + sign, "0123456789");
        length += digits != 0 ? 1 + sign + digits : 0;
    }
    return length;
}

static const struct orr_expr *parse_number(struct parser *parser)
{
    char text[MAX_NUMBER];
    const char *begin = parser->at;
    const size_t number = number_bytes(begin);
    const size_t space = strspn(begin + number, " \t");
    const size_t unit = unit_bytes(begin + number + space);
    const size_t length = number + (unit != 0 ? space + unit : 0);
    if (length >= sizeof text) {
        return fail(parser, begin, "a number is too long");
    }
    memcpy(text, begin, length);
    text[length] = '\0';
    struct orr_expr constant = {.op = ORR_EXPR_CONSTANT, .column = column_of(parser, begin)};
    orr_expr_read_value(text, &constant.value);
    if (constant.value.text != NULL) {
        return fail(parser, begin, "expected a number, such as 2.5 or 100 GB/s");
    }
    if (in_word(begin[length])) {
        return fail(parser, begin + length, "expected a unit or an operator behind the number");
    }
    parser->at += length;
    return node(parser, constant);
}

static const struct orr_expr *parse_text(struct parser *parser)
{
    const char *begin = parser->at;
    const char *end = strchr(begin + 1, *begin);
    if (end == NULL) {
        return fail(parser, begin, "a text has no closing quote");
    }
    const char *text = orr_arena_strndup(parser->arena, begin + 1, (size_t)(end - begin) - 1);
    if (text == NULL) {
        return fail(parser, begin, "out of memory");
    }
    parser->at = end + 1;
    return node(parser, (struct orr_expr){.op = ORR_EXPR_CONSTANT,
                                          .column = column_of(parser, begin),
                                          .value = {.text = text}});
}

/* ---- names and functions ---- */

/* Bytes of a path: words with dots and indices. */
static size_t name_bytes(const char *at)
{
    size_t length = 0;
    while (in_word(at[length])) {
        length++;
    }
    for (;;) {
        const char *more = at + length;
        const size_t digits = *more == '[' ? strspn(more + 1, "0123456789") : 0;
        if (digits != 0 && more[digits + 1] == ']') {
            length += digits + 2;
        } else if (*more == '.' && in_word(more[1])) {
            for (length++; in_word(at[length]) || at[length] == '-';) {
                length++;
            }
        } else {
            return length;
        }
    }
}

static const struct {
    const char *name;
    enum orr_expr_op op;
    bool several; /* two or more arguments, else one */
} functions[] = {{"min", ORR_EXPR_MIN, true},      {"max", ORR_EXPR_MAX, true},
                 {"floor", ORR_EXPR_FLOOR, false}, {"ceil", ORR_EXPR_CEIL, false},
                 {"sqrt", ORR_EXPR_SQRT, false},   {"log2", ORR_EXPR_LOG2, false}};

/* Arguments of a function call. */
static const struct orr_expr *parse_call(struct parser *parser, size_t function, const char *begin)
{
    struct orr_expr call = {.op = functions[function].op, .column = column_of(parser, begin)};
    call.a = parse_choice(parser);
    if (call.a == NULL) {
        return NULL;
    }
    if (!functions[function].several) {
        return accept(parser, ")") ? node(parser, call) : expected(parser, "\")\"");
    }
    do {
        if (!accept(parser, ",")) {
            return expected(parser, "\",\" and one more value");
        }
        call.b = parse_choice(parser);
        call.a = call.b != NULL ? node(parser, call) : NULL;
    } while (call.a != NULL && !accept(parser, ")"));
    return call.a;
}

static const struct orr_expr *parse_name(struct parser *parser)
{
    static const char *const truth[] = {"false", "true"};
    char name[MAX_NAME], why[sizeof parser->error->message];
    const char *begin = parser->at;
    const size_t length = name_bytes(begin);
    if (length >= sizeof name) {
        return fail(parser, begin, "a name is too long");
    }
    memcpy(name, begin, length);
    name[length] = '\0';
    parser->at += length;
    struct orr_expr made = {.op = ORR_EXPR_NAME, .column = column_of(parser, begin)};
    const bool called = accept(parser, "(");
    for (size_t i = 0; called && i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(name, functions[i].name) == 0) {
            return parse_call(parser, i, begin);
        }
    }
    if (called) {
        return fail(parser, begin, "no such function; there are min, max, floor, ceil, sqrt, log2");
    }
    for (int i = 0; i < 2; i++) {
        if (strcmp(name, truth[i]) == 0) {
            made.op = ORR_EXPR_CONSTANT;
            made.value.number = i;
            return node(parser, made);
        }
    }
    made.name = parser->names->find(parser->names->context, name, why, sizeof why);
    return made.name < 0 ? fail(parser, begin, why) : node(parser, made);
}

/* ---- operators ---- */

static const struct orr_expr *parse_operand(struct parser *parser)
{
    skip_space(parser);
    const char c = *parser->at;
    if (is_digit(c) || (c == '.' && is_digit(parser->at[1]))) {
        return parse_number(parser);
    }
    if (c == '"' || c == '\'') {
        return parse_text(parser);
    }
    if (begins_word(c)) {
        return parse_name(parser);
    }
    if (!accept(parser, "(")) {
        return expected(parser, "a value");
    }
    const struct orr_expr *inner = parse_choice(parser);
    return inner == NULL || accept(parser, ")") ? inner : expected(parser, "an operator or \")\"");
}

static const struct orr_expr *parse_signed(struct parser *parser)
{
    skip_space(parser);
    struct orr_expr sign = {.column = column_of(parser, parser->at)};
    if (*parser->at != '!' && *parser->at != '-') {
        return parse_operand(parser);
    }
    sign.op = *parser->at++ == '!' ? ORR_EXPR_NOT : ORR_EXPR_MINUS;
    sign.a = parse_sign(parser);
    return sign.a != NULL ? node(parser, sign) : NULL;
}

static const struct orr_expr *parse_sign(struct parser *parser)
{
    if (parser->depth == MAX_DEPTH) {
        return fail(parser, parser->at, "the expression is nested too deep");
    }
    parser->depth++;
    const struct orr_expr *result = parse_signed(parser);
    parser->depth--;
    return result;
}

/* Binary operators, weakest first; within a level longer symbols before their prefixes. */
static const struct {
    const char *symbol;
    enum orr_expr_op op;
    unsigned level;
} operators[] = {
    {"||", ORR_EXPR_OR, 0},      {"&&", ORR_EXPR_AND, 1},        {"==", ORR_EXPR_EQUAL, 2},
    {"!=", ORR_EXPR_UNEQUAL, 2}, {"<=", ORR_EXPR_LESS_EQUAL, 3}, {">=", ORR_EXPR_GREATER_EQUAL, 3},
    {"<", ORR_EXPR_LESS, 3},     {">", ORR_EXPR_GREATER, 3},     {"+", ORR_EXPR_ADD, 4},
    {"-", ORR_EXPR_SUBTRACT, 4}, {"*", ORR_EXPR_MULTIPLY, 5},    {"/", ORR_EXPR_DIVIDE, 5},
    {"%", ORR_EXPR_REMAINDER, 5}};

enum { OPERATORS = sizeof operators / sizeof *operators, LEVELS = 6 };

/* Accepts an operator of the level if it is next; < 0: none. */
static int accept_operator(struct parser *parser, unsigned level)
{
    for (int i = 0; i < OPERATORS; i++) {
        if (operators[i].level == level && accept(parser, operators[i].symbol)) {
            return i;
        }
    }
    return -1;
}

static const struct orr_expr *parse_level(struct parser *parser, unsigned level)
{
    if (level == LEVELS) {
        return parse_sign(parser);
    }
    const struct orr_expr *left = parse_level(parser, level + 1);
    while (left != NULL) {
        skip_space(parser);
        const unsigned column = column_of(parser, parser->at);
        const int found = accept_operator(parser, level);
        if (found < 0) {
            break;
        }
        const struct orr_expr *right = parse_level(parser, level + 1);
        left = right == NULL
                   ? NULL
                   : node(parser,
                          (struct orr_expr){
                              .op = operators[found].op, .column = column, .a = left, .b = right});
    }
    return left;
}

static const struct orr_expr *parse_branches(struct parser *parser)
{
    struct orr_expr choose = {.op = ORR_EXPR_CHOOSE};
    choose.a = parse_level(parser, 0);
    if (choose.a == NULL || !accept(parser, "?")) {
        return choose.a;
    }
    choose.column = column_of(parser, parser->at) - 1;
    choose.b = parse_choice(parser);
    if (choose.b == NULL) {
        return NULL;
    }
    if (!accept(parser, ":")) {
        return expected(parser, "\":\" and the other value");
    }
    choose.c = parse_choice(parser);
    return choose.c != NULL ? node(parser, choose) : NULL;
}

static const struct orr_expr *parse_choice(struct parser *parser)
{
    if (parser->depth == MAX_DEPTH) {
        return fail(parser, parser->at, "the expression is nested too deep");
    }
    parser->depth++;
    const struct orr_expr *result = parse_branches(parser);
    parser->depth--;
    return result;
}

const struct orr_expr *orr_expr_parse(struct orr_arena *arena, const char *text,
                                      const struct orr_expr_names *names,
                                      struct orr_expr_error *error)
{
    struct parser parser = {
        .arena = arena, .text = text, .at = text, .names = names, .error = error};
    if (strlen(text) > MAX_BYTES) {
        return fail(&parser, text, "the expression is longer than 4096 bytes");
    }
    const struct orr_expr *result = parse_choice(&parser);
    skip_space(&parser);
    return result == NULL || *parser.at == '\0' ? result : expected(&parser, "an operator");
}
