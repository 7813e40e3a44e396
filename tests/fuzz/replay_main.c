/* Feeds every file of the given directories and files to a fuzz target, so that the seeds of each
 * harness run in the ordinary tests, with every compiler, without libFuzzer.
 *
 * Files are taken in the order of their names. A corpus without a file is an error: a harness
 * that replays nothing proves nothing. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH_BYTES = 4096 };

static long replayed;

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1); /* exact size: a read past the end is seen */
    if (file == NULL || data == NULL || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file != NULL)
            fclose(file);
        free(data);
        return 1;
    }
    fclose(file);
    fprintf(stderr, "replay %s\n", path);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
    return 0;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *path);

static int replay_directory(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, not_hidden, alphasort);
    int failed = count < 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        int length = snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        if (length < 0 || length >= PATH_BYTES)
            failed = 1;
        else
            failed |= replay(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return failed;
}

static int replay(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (S_ISDIR(info.st_mode))
        return replay_directory(path);
    return replay_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    if (replayed == 0) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY|FILE...: nothing to replay\n", argv[0]);
        return 2;
    }
    return failed;
}
