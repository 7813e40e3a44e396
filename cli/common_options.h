/* Options of every command, which may stand anywhere: --color, --plugin. */
#ifndef ORR_CLI_COMMON_OPTIONS_H
#define ORR_CLI_COMMON_OPTIONS_H

/* Removes them from the arguments before "--", and does what they say, after loading the plugins of
 * ORRERY_PLUGINS. Returns 0 or the exit status. */
int orr_extract_common_options(int *argc, char **argv);

#endif
