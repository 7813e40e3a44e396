# What Figs. 25 and 26 share: plans of two jobs, each of 8 servers with four interfaces of 25 Gb/s, and pictures of panels.
#
#   plan_job NAME MODEL [OPTION...]     plans it in $work/NAME; its cross-connections are $work/NAME/ports.csv
#   column FILE NAME                    the column of that name of a CSV file
#   draw_panels NAME PANELS PORTS FILE  FILE's lines PANEL,PORT,PORT,JOB as NAME.svg: a column of ports for each panel

degree=4
plan_job() {
    local name=$1 model=$2
    shift 2
    cat >"$work/$name.yml" <<END
plan:
  model: topoopt/$model
  servers: 8
  interfaces: {degree: $degree, bandwidth: 25 Gb/s}
  search: {budget: 0}
compute: {peak: 312 TFLOP/s, efficiency: 0.5}
memory: {local: {bandwidth: 1555 GB/s}}
END
    "$orrery" plan topoopt "$work/$name.yml" --no-run --progress never -o "$work/$name" "$@" >/dev/null 2>"$work/said" || {
        cat "$work/said" >&2
        exit 1
    }
}

column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}

draw_panels() {
    awk -F, -v panels="$2" -v ports="$3" '
        function color(job) {
            if (!(job in number)) { number[job] = ++jobs; name[jobs] = job }
            return number[job] == 1 ? "#2a8f3c" : number[job] == 2 ? "#c8322b" : "#3566b8"
        }
        function x(panel) { return 70 + panel * 110 }
        function y(port) { return 70 + port * 20 }
        BEGIN {
            height = 70 + ports * 20 + 40
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", 70 + panels * 110 + 20, height
            print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        }
        {
            used[$1, $2] = used[$1, $3] = $4; c = color($4); bend = 18 + 4 * ($3 > $2 ? $3 - $2 : $2 - $3); bend = bend > 60 ? 60 : bend
            printf "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", x($1), y($2), x($1) + bend, y($2), x($1) + bend, y($3), x($1), y($3), c
        }
        END {
            for (p = 0; p < panels; p++) {
                printf "<text x=\"%d\" y=\"50\" text-anchor=\"middle\">panel %d</text>\n", x(p), p
                for (s = 0; s < ports; s++)
                    printf "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\" stroke=\"#444\"/>\n", x(p), y(s), (p, s) in used ? color(used[p, s]) : "white"
            }
            for (s = 0; s < ports; s++) printf "<text x=\"45\" y=\"%d\" text-anchor=\"end\">S%d</text>\n", y(s) + 4, s
            for (j = 1; j <= jobs; j++)
                printf "<text x=\"%d\" y=\"25\" fill=\"%s\" font-weight=\"bold\">%s</text>\n", 70 + (j - 1) * 160, color(name[j]), name[j]
            print "</svg>"
        }' "$4" >"$out/$1.svg"
}
