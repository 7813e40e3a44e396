/* Kinds of results that pages show, one line each: ORR_PAGE_KIND(orr_page_kind_NAME). A result is
 * of the first one whose members it has. X-macro list: page_kinds.c includes it twice. */
ORR_PAGE_KIND(orr_page_kind_run)
ORR_PAGE_KIND(orr_page_kind_whatif)
#include "wings/page_kinds.def"
ORR_PAGE_KIND(orr_page_kind_fit)
ORR_PAGE_KIND(orr_page_kind_bench)
ORR_PAGE_KIND(orr_page_kind_measured)
ORR_PAGE_KIND(orr_page_kind_failures)
ORR_PAGE_KIND(orr_page_kind_diff)
ORR_PAGE_KIND(orr_page_kind_cluster)
ORR_PAGE_KIND(orr_page_kind_profile)
ORR_PAGE_KIND(orr_page_kind_beside)
ORR_PAGE_KIND(orr_page_kind_taskgraph)
ORR_PAGE_KIND(orr_page_kind_layouts)
ORR_PAGE_KIND(orr_page_kind_sweep)
ORR_PAGE_KIND(orr_page_kind_evaluation)
