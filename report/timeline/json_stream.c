/* Buffered JSON; see json_stream.h. */
#include "report/timeline/json_stream.h"

#include <errno.h>
#include <unistd.h>

#include "core/text_escape.h"
#include "core/time.h"

/* Level 1 is 3 times as fast as the default level; its files are a third larger. */
#define GZIP_MODE "wb1"

enum { NUMBER_BYTES = 24, DECIMALS = 6, GZIP_BUFFER_BYTES = 1 << 17 };

static void fail(struct orr_stream *stream)
{
    if (stream->error == 0) {
        stream->error = errno != 0 ? errno : EIO;
    }
}

void orr_stream_open(struct orr_stream *stream, FILE *file, bool gzip)
{
    stream->file = file;
    stream->zip = NULL;
    stream->error = 0;
    stream->used = 0;
    errno = 0;
    if (gzip) {
        const int copy = dup(fileno(file)); /* which closing the compressor closes */
        stream->zip = copy >= 0 ? gzdopen(copy, GZIP_MODE) : NULL;
        if (stream->zip == NULL || gzbuffer(stream->zip, GZIP_BUFFER_BYTES) != 0) {
            fail(stream);
            if (copy >= 0 && stream->zip == NULL) {
                (void)close(copy);
            }
        }
    }
}

static void flush(struct orr_stream *stream)
{
    if (stream->error == 0 && stream->used != 0) {
        const bool written =
            stream->zip != NULL
                ? gzwrite(stream->zip, stream->buffer, (unsigned)stream->used) > 0
                : fwrite(stream->buffer, 1, stream->used, stream->file) == stream->used;
        if (!written) {
            fail(stream);
        }
    }
    stream->used = 0;
}

int orr_stream_close(struct orr_stream *stream)
{
    flush(stream);
    if (stream->zip != NULL && gzclose(stream->zip) != Z_OK) {
        fail(stream);
    }
    if (stream->error == 0 && fflush(stream->file) != 0) {
        fail(stream);
    }
    errno = stream->error;
    return stream->error != 0 ? 1 : 0;
}

void orr_stream_put_bytes(struct orr_stream *stream, const char *bytes, size_t count)
{
    if (count > ORR_STREAM_BYTES - stream->used) {
        flush(stream);
    }
    while (count > ORR_STREAM_BYTES) {
        memcpy(stream->buffer, bytes, ORR_STREAM_BYTES);
        stream->used = ORR_STREAM_BYTES;
        flush(stream);
        bytes += ORR_STREAM_BYTES;
        count -= ORR_STREAM_BYTES;
    }
    memcpy(stream->buffer + stream->used, bytes, count);
    stream->used += count;
}

/* ---- text ---- */

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

static void put_escaped(struct orr_stream *stream, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    if (byte == '"' || byte == '\\') {
        escape[1] = (char)byte;
        orr_stream_put_bytes(stream, escape, 2);
    } else {
        orr_stream_put_bytes(stream, escape, sizeof escape);
    }
}

void orr_stream_text(struct orr_stream *stream, const char *text)
{
    orr_stream_put_bytes(stream, "\"", 1);
    while (*text != '\0') {
        size_t plain = 0;
        while (is_plain((unsigned char)text[plain])) {
            plain++;
        }
        orr_stream_put_bytes(stream, text, plain);
        text += plain;
        const size_t bytes = orr_utf8_bytes(text);
        if (bytes == 0) {
            orr_stream_put_bytes(stream, "\\ufffd", 6);
        } else if (bytes == 2 && text[0] == '\xC2' && (unsigned char)text[1] < 0xA0) {
            put_escaped(stream, (unsigned char)text[1]); /* a control character, C1 */
        } else if (bytes > 1) {
            orr_stream_put_bytes(stream, text, bytes);
        } else if (*text != '\0') {
            put_escaped(stream, (unsigned char)*text);
        }
        text += *text == '\0' ? 0 : bytes == 0 ? 1 : bytes;
    }
    orr_stream_put_bytes(stream, "\"", 1);
}

/* ---- numbers ---- */

/* Writes the digits of a number, at least `min`, before `end`; returns the first. */
static char *digits_before(char *end, uint64_t value, unsigned min)
{
    for (unsigned count = 0; value != 0 || count < min; count++) {
        *--end = (char)('0' + value % 10);
        value /= 10;
    }
    return end;
}

void orr_stream_number(struct orr_stream *stream, uint64_t value)
{
    char text[NUMBER_BYTES];
    const char *first = digits_before(text + NUMBER_BYTES, value, 1);
    orr_stream_put_bytes(stream, first, (size_t)(text + NUMBER_BYTES - first));
}

void orr_stream_sum(struct orr_stream *stream, orr_sum value)
{
    char text[ORR_SUM_BYTES];
    orr_stream_put(stream, orr_sum_text(value, text));
}

void orr_stream_us(struct orr_stream *stream, int64_t ps)
{
    char text[NUMBER_BYTES];
    const uint64_t value = (uint64_t)ps;
    char *first = digits_before(text + NUMBER_BYTES, value % (uint64_t)ORR_PS_PER_US, DECIMALS);
    *--first = '.';
    first = digits_before(first, value / (uint64_t)ORR_PS_PER_US, 1);
    orr_stream_put_bytes(stream, first, (size_t)(text + NUMBER_BYTES - first));
}
