#!/bin/sh
# Checks the plan of the house (docs/architecture.md): prints a figure for each rule, and what breaks
# it. Exit status 1 if anything does.
#
#   usage: check_house.sh [BUILD [RULE...]]     (default: build/release, all rules)
#
# The library and the command of BUILD must be built. RULE is one of `rules` below.
#
# Rules:
#   1. Includes go down or stay in their room (check_includes.sh has the arrows).
#   2. No circle of more than 5 files: files each of which calls all others, by way of others too, told
#      by the symbols that their objects define and need.
#   3. Base names of source files are unique, and so are those of headers.
#   4. Symbols of the library begin with orr_ or orrery_; the installed libraries show those of
#      include/orrery/ only. What protoc-c generates keeps its names.
#   5. At most 25 .c files lie directly in a folder (of tests: as many as there are).
#   6. Every folder with .c files has a guide, README.md, and the files that guides name are there.
#   7. What stands in a list (MACRO(orr_SYMBOL) a line, included by the file of the table) is known by its
#      own file (and its header), its wing if it is in one, and its table: nobody else has its symbol, or its name in
#      quotes. Comments may, and
#      texts in which the name is one word of several, such as examples; tests and benchmarks may.
#   8. Doors are narrow: a public header (FOLDER/public_headers.txt) declares at most 25 functions, and
#      brings at most 10 headers of the project, those of core/ not counted.
#   9. Rules of ASTRA-sim are decisions of a policy (system/sys_policy.h): its entry and what stands in
#      system/astra/ are known by the table of policies and the loader of its files alone, and nobody asks
#      a policy for its name, or which one it is.
#  10. Nobody outside a wing names it: no identifier has a word of WING/lists/words.txt in it, capitals or not. Headers
#      for programs may, tests, benchmarks, comments and texts.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
build=${1:-build/release}
[ $# -eq 0 ] || shift
rules='arrows circle_rule base_names prefixes fullness guides names wing_words doors policies'
library=$build/lib/liborrery_all.a
wings=$(find . -mindepth 2 -maxdepth 2 -type d -name lists | sed 's|^./||; s|/lists$||' | sort)
folders="core network memory system workload et_converter sim report study planner cli $(echo $wings)"
# Rule 7, the lists; and quoted words that are something else there: a block of a dimension, a shape of
# pools, a way to do an all-reduce as a whole, a choice of keys (everywhere: *), a word of ASTRA-sim's files,
# a fabric that plans are compared with, or whose jobs are neighbours, a way of circuits, a table as a form.
lists='system/collectives/algorithm_list.h network/topology/fabrics/fabric_list.h
    network/backends/backend_list.h memory/pools/memory_list.h system/plan/scheduler_list.h
    network/routing/routing_list.h study/study_list.h
    report/results/result_list.h et_converter/converter_list.h network/optical/circuits_list.h
    cli/topo/topo_view_list.h planner/plan_file/plan_kind_list.h'
other_words='ring:network/topology/dims.c ring:network/topology/notation.c
    ring:network/read/network_keys.c ring:memory/pool_config.c ring:memory/shapes/ring_mesh.c
    ring:system/monolithic/mono_kinds.c ring:report/report_summary.c
    mesh:network/topology/dims.c mesh:network/topology/notation.c mesh:network/read/network_keys.c
    mesh:memory/pool_config.c mesh:memory/shapes/ring_mesh.c mesh:system/ccl/ccl_keys.c
    chain:system/ccl/nccl.c chain:workload/gen/data_parallel.c chain:workload/gen/own_model.c chain:workload/gen/transformer_model.c
    chain:workload/parallel/parallel_plan.c
    expander:topoopt/plan/plan_fabrics.c full-mesh:topoopt/plan/plan_fabrics.c
    torus:topoopt/plan/plan_fabrics.c hypercube:topoopt/plan/plan_fabrics.c
    hypercube:study/measured/measured_names.c
    ideal-switch:network/topology/designs.c fat-tree:network/topology/designs.c
    circulant:network/topology/designs.c expander:network/topology/designs.c
    sip-ocs:network/topology/designs.c sip-ring:network/topology/designs.c
    sip_ocs:network/read/design_text.c sip_ring:network/read/design_text.c
    sip-ml:cli/plan/cmd_plan.c sip_ocs:planner/plan_file/plan_circuits.c sip_ring:planner/plan_file/plan_circuits.c
    sip_ocs:sipml/plan/sipml_circuits_report.c sip_ring:sipml/plan/sipml_circuits_report.c
    longest_queue:network/read/graph_read_circuits.c topoopt:network/topology/designs.c
    dgx1:system/ccl/ccl_keys.c dgx1:system/ccl/ccl_shape.c
    ring:system/ccl/nccl.c tree:system/ccl/nccl.c direct:system/ccl/nccl.c
    baseline:study/whatif.c shortest:network/read/graph_read_circuits.c
    table:cli/run/cmd_run.c table:sipml/plan/sipml_job.c table:report/model/model_json.c
    table:workload/gen/dlrm_read.c
    text:* none:* pool:* per_npu:* best:* trees:* baseline:system/astra/astra_system.c themis:system/astra/astra_system.c'
# Rule 10: what still names a wing: the designs of networks are one enumeration.
name_wings='network/design.h network/read/design_keys.c network/read/design_text.c network/topology/designs.c'
most_in_circle=5
most_in_folder=25
most_functions=25
most_brought=10
# Rule 8: doors that are still wider, each because it holds structs of others by value.
wide_doors='report/jobs_compare.h report/results/cluster_results.h sim/cluster/taskgraph_job.h
    sim/load/workload_config.h'
failures=0
export LC_ALL=C

# verdict RULE FIGURE PROBLEMS: prints the rule's line, and the problems below it
verdict() {
    if [ -z "$3" ]; then
        printf 'ok      %s: %s\n' "$1" "$2"
    else
        printf 'BROKEN  %s: %s\n' "$1" "$2"
        printf '%s\n' "$3" | sed 's/^/          /'
        failures=$((failures + 1))
    fi
}

# Source files of the folders given, all but tests' without arguments.
sources() {
    # shellcheck disable=SC2086 # a list of words
    find ${*:-$folders bench} -name '*.c' 2>/dev/null | sort
}

count_lines() {
    printf '%s\n' "$1" | sed '/^$/d' | wc -l
}

arrows() {
    broken=$(cmake/check_includes.sh 2>&1) || true
    verdict 'arrows between rooms' "$(sources | wc -l) source files" "$broken"
}

# Lines "FILE KIND SYMBOL" of all objects: kind U needs it, others define it.
symbols() {
    {
        nm -A "$library"
        find "$build/cli" -name '*.c.o' -exec nm -A {} +
    } 2>/dev/null | awk '
        {
            place = $1
            sub(/:[0-9a-f]*$/, "", place)
            sub(/.*[:\/]/, "", place)
            sub(/\.c\.o$/, "", place)
            print place, $(NF - 1), $NF
        }' | sed 's/ [^ ]*:\([A-Za-z]\) / \1 /'
}

# The circles: for each its size and its files, the largest first.
circles() {
    printf '%s\n' "$all_symbols" | awk '
        $2 ~ /^[TDBRVW]$/ { home[$3] = $1 }
        $2 == "U" { need[++needs] = $1; of[needs] = $3 }
        function walk(from,    queue, head, tail, n, i, next_file) {
            queue[1] = from
            tail = 1
            for (head = 1; head <= tail; head++) {
                n = split(to[queue[head]], next_file, " ")
                for (i = 1; i <= n; i++)
                    if (!((from, next_file[i]) in reach)) {
                        reach[from, next_file[i]] = 1
                        queue[++tail] = next_file[i]
                    }
            }
        }
        END {
            for (i = 1; i <= needs; i++) {
                target = of[i] in home ? home[of[i]] : need[i]
                if (target != need[i] && !((need[i], target) in seen)) {
                    seen[need[i], target] = 1
                    to[need[i]] = to[need[i]] " " target
                    file[need[i]] = file[target] = 1
                }
            }
            for (a in file)
                walk(a)
            for (a in file) {
                if (a in done || !((a, a) in reach))
                    continue
                size = 0
                text = ""
                for (b in file)
                    if ((a, b) in reach && (b, a) in reach) {
                        done[b] = 1
                        size++
                        text = text " " b
                    }
                print size text
            }
        }' | sort -rn
}

circle_rule() {
    all_symbols=$(symbols)
    objects=$(printf '%s\n' "$all_symbols" | awk '{ print $1 }' | sort -u | wc -l)
    if [ "$objects" -lt 200 ]; then
        verdict 'circles of files' "$objects objects" "too few objects in $build: build all of it first"
        return
    fi
    found=$(circles)
    largest=$(printf '%s\n' "$found" | sed -n '1s/ .*//p')
    verdict 'circles of files' "$(count_lines "$found") among $objects, the largest of ${largest:-0}" \
        "$(printf '%s\n' "$found" | awk -v most=$most_in_circle '$1 > most')"
}

base_names() {
    # shellcheck disable=SC2086 # a list of words
    headers=$(find $folders bench -name '*.h' | sort)
    twice=$({
        sources
        printf '%s\n' "$headers"
    } | sed 's|.*/||' | sort | uniq -d)
    verdict 'base names' "$(sources | wc -l) sources, $(count_lines "$headers") headers" "$twice"
}

prefixes() {
    names=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u)
    bad=$(printf '%s\n' "$names" | grep -vE '^(orr_|orrery_|chakra_proto_msg__)' || true)
    for installed in "$build/lib/liborrery.a" "$build/lib/liborrery.so"; do
        dynamic=
        [ "${installed##*.}" = a ] || dynamic=-D
        # shellcheck disable=SC2086 # no word, where it is empty
        shown=$(nm $dynamic -g --defined-only "$installed" | awk 'NF == 3 { print $3 }')
        [ -n "$shown" ] || bad="$bad
$installed: shows nothing"
        bad="$bad
$(printf '%s\n' "$shown" | grep -v '^orrery_' | sed "s|^|$installed: |" || true)"
    done
    verdict 'prefixes of symbols' "$(count_lines "$names") symbols" \
        "$(printf '%s\n' "$bad" | sed '/^$/d')"
}

fullness() {
    counts=$(sources | sed 's|/[^/]*$||' | sort | uniq -c | sort -rn)
    verdict 'source files in a folder' \
        "at most $(printf '%s\n' "$counts" | awk 'NR == 1 { print $1 " (" $2 ")" }')" \
        "$(printf '%s\n' "$counts" | awk -v most=$most_in_folder '$1 > most { print $2 ": " $1 }')"
}

# For every header: the functions that it declares, the headers that it brings, its path.
headers() {
    # shellcheck disable=SC2046,SC2086 # lists of words
    awk -f cmake/count_declarations.awk $(find $folders -name '*.h' | sort)
}

doors() {
    # shellcheck disable=SC2086 # a list of words
    listed=$(for folder in $folders; do cat "$folder/public_headers.txt" 2>/dev/null || true; done)
    counted=$(headers | awk -v listed="$listed" '
        BEGIN { n = split(listed, path, "\n"); for (i = 1; i <= n; i++) is[path[i]] = 1 }
        $3 in is')
    narrow=$(printf '%s\n' "$counted" | awk -v wide="$wide_doors" '
        BEGIN { n = split(wide, path); for (i = 1; i <= n; i++) is[path[i]] = 1 }
        !($3 in is)')
    verdict 'public headers' \
        "$(count_lines "$counted"), all but $(echo $wide_doors | wc -w) with at most $(printf '%s\n' "$narrow" | sort -rn | awk 'NR == 1 { print $1 }') functions and $(
            printf '%s\n' "$narrow" | sort -k2rn | awk 'NR == 1 { print $2 }'
        ) headers brought" \
        "$(printf '%s\n' "$narrow" | awk -v functions=$most_functions -v brought=$most_brought '
            $1 > functions { print $3 ": declares " $1 " functions (at most " functions ")" }
            $2 > brought { print $3 ": brings " $2 " headers (at most " brought ")" }')"
}

guides() {
    # shellcheck disable=SC2086 # a list of words
    all=$(find $folders -name README.md | sort)
    missing=$(sources "$folders" | sed 's|/[^/]*$||' | sort -u | while read -r folder; do
        [ -f "$folder/README.md" ] || printf '%s/README.md is missing\n' "$folder"
    done)
    # shellcheck disable=SC2086 # lists of words
    lost=$({
        find $folders -name '*.[ch]' | sed 's/^/file /'
        [ -z "$all" ] || grep -HoE '`[a-z_0-9]+\.[ch]`' $all | tr -d '`' | sed 's/^/named /'
    } | awk '
        $1 == "file" {
            name = $2
            sub(/.*\//, "", name)
            for (path = $2; sub(/\/[^\/]*$/, "", path);)
                there[path, name] = 1
            next
        }
        {
            split($2, part, ":")
            folder = part[1]
            sub(/\/README\.md$/, "", folder)
            if (!((folder, part[2]) in there))
                print part[1] ": there is no " part[2]
        }')
    verdict 'guides' "$(count_lines "$all")" "$(printf '%s\n%s' "$missing" "$lost" | sed '/^$/d')"
}

# Lines "LIST SYMBOL TABLE OWN-FILE NAME" of what stands in the lists; "-" for what is not there. What wings add to
# a list is theirs, and its table is that of the list.
entries() {
    # shellcheck disable=SC2086 # lists of words
    for list in $lists $(find $wings -path '*/lists/*.def' | sort); do
        whole=$list
        files=$(find "${list%/*}" -name '*.c')
        if [ "${list##*.}" = def ]; then
            whole=$(grep -lF "#include \"wings/${list##*/}\"" $lists || true)
            [ -n "$whole" ] || continue # names that others have as well: page_kinds.def
            files=$(find "${list%%/*}" -name '*.c')
        fi
        # shellcheck disable=SC2086 # a list of words
        table=$(grep -rlF --include='*.c' "#include \"$whole\"" $folders | tr '\n' ' ')
        awk -v table="${table:--}" '
            FILENAME == ARGV[1] {
                if (match($0, /^[A-Z_]*\(orr_[a-z0-9_]*\)/)) {
                    symbol[++symbols] = substr($0, 1, RLENGTH - 1)
                    sub(/.*\(/, "", symbol[symbols])
                }
                next
            }
            FNR == 1 { of = "" }
            /^const struct [a-z_]+ orr_[a-z0-9_]+ = / && !($4 in own) { own[of = $4] = FILENAME }
            of != "" && !(of in name) && match($0, /\.name = "[^"]*"/) {
                name[of] = substr($0, RSTART + 9, RLENGTH - 10)
            }
            /^};/ { of = "" }
            function known(text) { return text == "" ? "-" : text }
            END {
                for (i = 1; i <= symbols; i++)
                    print ARGV[1], symbol[i], table, known(own[symbol[i]]), known(name[symbol[i]])
            }' "$list" $files
    done
}

# Symbols and quoted names of entries outside their files; reads the lines of entries.
named_elsewhere() {
    # shellcheck disable=SC2086 # a list of words
    find $folders -name '*.[ch]' | sort | awk -v other_words="$other_words" -v wings="$(echo $wings)" '
        function quoted(text,    word) {
            word = substr(text, 2, length(text) - 2)
            if (word ~ /^[^ :]+:[^ ]*$/) # "torus:4x4"
                sub(/:.*/, "", word)
            return word
        }
        function in_wing_of(home_file, file,    top) { # a wing may know its own entries
            top = file
            sub(/\/.*/, "", top)
            return (" " wings " ") ~ (" " top " ") && index(home_file, top "/") == 1
        }
        function hold(token,    is_text, word, of) {
            is_text = token ~ /^"/
            word = is_text ? quoted(token) : token
            of = is_text ? by_name[word] : by_symbol[word]
            if (of == "" || (of, file) in home || in_wing_of(own[of], file) || (is_text && ((word, file) in other || (word, "*") in other)))
                return
            printf "%s:%d: %s is known by %s and its table alone\n", file, line, token, own[of]
        }
        function read_line(text) {
            while (text != "") {
                if (in_comment) {
                    if (!match(text, /\*\//))
                        return
                    in_comment = 0
                } else if (!match(text, /"([^"\\]|\\.)*"|\/\*|[A-Za-z_][A-Za-z_0-9]*/))
                    return
                else if (substr(text, RSTART, 2) == "/*")
                    in_comment = 1
                else if (!(text ~ /^ *#include/))
                    hold(substr(text, RSTART, RLENGTH))
                text = substr(text, RSTART + RLENGTH)
            }
        }
        FILENAME == ARGV[1] {
            by_symbol[$2] = by_name[$5] = $2
            any_word = any_word (any_word == "" ? "" : "|") $2 "|\"" $5 # in no other line is one of them
            own[$2] = $4
            home[$2, $1] = home[$2, $3] = home[$2, $4] = 1
            sub(/\.c$/, ".h", $4)
            home[$2, $4] = 1
            next
        }
        {
            file = $0
            line = in_comment = 0
            while ((getline text <file) > 0) {
                line++
                if (in_comment ? text ~ /\*\// : text ~ /\/\*/ || text ~ any_word)
                    read_line(text)
            }
            close(file)
        }
        BEGIN {
            count = split(other_words, words, /[ \n]+/)
            for (i = 1; i <= count; i++)
                if (split(words[i], part, ":") == 2)
                    other[part[1], part[2]] = 1
        }' "$1" -
}

names() {
    entries >"$scratch"
    # One file has the table; every entry has a file that defines it, and a name.
    lost=$(awk 'NF != 5 || / - / || / -$/ { print $1 ": " $2 ": expected one table, a file that defines it, and a name" }' \
        "$scratch")
    verdict 'names in their own file' "$(wc -l <"$scratch") entries" \
        "$(printf '%s\n%s' "$lost" "$(named_elsewhere "$scratch")" | sed '/^$/d')"
}

# Uses of the entry of ASTRA-sim's rules, or of its steppers, and questions which policy it is.
policies() {
    # shellcheck disable=SC2086 # a list of words
    all=$(find $folders -name '*.[ch]' | sort)
    # shellcheck disable=SC2086 # a list of words
    asked=$(grep -nE 'orr_sys_policy_astra_sim|orr_astra_(chunks|step|tree)|policy(->|\.)name|policy (==|!=) &|(==|!=) &orr_sys_policy' \
        $all | grep -vE '^(system/astra/|system/run/system_policy\.c|system/sys_policy\.h|sim/load/load_astra\.c)' || true)
    fields=$(sed -n '/^struct sys_policy {/,/^};/s/^ *[a-z_ ]*[ *]\([a-z_0-9]*\);.*/\1/p' system/sys_policy.h)
    # shellcheck disable=SC2086 # a list of words
    idle=$(for field in $fields; do
        [ "$field" = name ] || grep -qE "(->|\.)$field\b" $(printf '%s\n' $all | grep -v system_policy) ||
            printf 'system/sys_policy.h: nobody asks for %s\n' "$field"
    done)
    verdict 'policies' "$(count_lines "$fields") decisions" "$(printf '%s\n%s' "$asked" "$idle" | sed '/^$/d')"
}

wing_words() {
    words=$(for wing in $wings; do cat "$wing/lists/words.txt" 2>/dev/null || true; done | paste -sd '|')
    # shellcheck disable=SC2086 # lists of words
    files=$(find core network memory system workload et_converter sim report study planner cli -name '*.[ch]' | sort |
        grep -vxF "$(printf '%s\n' $name_wings)")
    # shellcheck disable=SC2086 # a list of words
    found=$([ -z "$words" ] || awk -v words="$words" '
        FNR == 1 { in_comment = 0 }
        in_comment || tolower($0) ~ words || /\/\*/ {
            text = $0
            while (text != "") {
                if (in_comment) {
                    if (!match(text, /\*\//))
                        break
                    in_comment = 0
                } else if (!match(text, /"([^"\\]|\\.)*"|\/\*|[A-Za-z_][A-Za-z_0-9]*/))
                    break
                else if (substr(text, RSTART, 2) == "/*")
                    in_comment = 1
                else if (substr(text, RSTART, 1) != "\"" && tolower(substr(text, RSTART, RLENGTH)) ~ words)
                    printf "%s:%d: %s names a wing\n", FILENAME, FNR, substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
            }
        }' $files)
    verdict 'wings unnamed' "$(echo $wings | wc -w) wings, named by $(echo $name_wings | wc -w) files" "$found"
}

if [ ! -f "$library" ]; then
    echo "check_house.sh: $library is not there: build first" >&2
    exit 1
fi
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
for rule in ${*:-$rules}; do
    case " $rules " in
    *" $rule "*) $rule ;;
    *)
        echo "check_house.sh: there is no rule '$rule'; expected one of: $rules" >&2
        exit 2
        ;;
    esac
done
[ "$failures" -eq 0 ]
