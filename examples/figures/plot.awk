# Draws lines SERIES,X,Y as SVG: curves with marks, or, with -v bars=1, bars in groups of one X. SERIES,X,Y,LOW,HIGH
# also draws the range from LOW to HIGH at a mark of a curve.
#
#   -v title= -v xlabel= -v ylabel=    words
#   -v logx=1 -v logy=1                logarithmic axes (curves; bars have logy only)
#   -v from=0                          where the y axis begins, in place of the least value
#   -v line=1                          a dashed line across, at this y
#   -v bare=1                          curves without marks, such as those of distributions
#   -v points=1                        marks without curves

function px(v) { return left + (right - left) * ((logx ? log(v) : v) - x0) / (x1 - x0) }
function py(v) { return bottom - (bottom - top) * ((logy ? log(v) : v) - y0) / (y1 - y0) }
function clean(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function words(x, y, anchor, text, more) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more, clean(text)
}
function short(v) { return v >= 1e6 ? v / 1e6 "M" : v >= 1e4 ? v / 1e3 "k" : sprintf("%.4g", v) }
# The step of a linear axis with about five marks.
function step_of(range,    s) {
    s = 10 ^ int(log(range / 5) / log(10) - (range < 5 ? 1 : 0))
    while (range / s > 8) s *= s * 0 + (range / s > 16 ? (range / s > 40 ? 10 : 5) : 2)
    return s
}
function y_mark(v) {
    printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", left, right, py(v), py(v)
    words(left - 8, py(v) + 4, "end", short(v), "")
}
function x_mark(v) {
    printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#eee\"/>\n", px(v), px(v), top, bottom
    words(px(v), bottom + 18, "middle", short(v), "")
}
# Marks of a logarithmic axis: powers of two while they are few, else of ten.
function log_marks(low, high, which,    base, v) {
    base = high / low > 5000 ? 10 : high / low > 100 ? 4 : 2
    if (!(low > 0)) return
    v = base ^ int(log(low) / log(base) - 2)
    for (; v <= high * 1.0001; v *= base)
        if (v >= low * 0.9999) { if (which == "x") x_mark(v); else y_mark(v) }
}

# What has no logarithm is not drawn on its axis, and no number nowhere.
NF >= 3 && $3 != "" && $3 !~ /failed:|inf|nan/ && (!logy || $3 > 0) && (!logx || $2 > 0) {
    if (!($1 in seen)) { seen[$1] = ++count; name[count] = $1 }
    s = seen[$1]; n[s]++
    X[s, n[s]] = $2; Y[s, n[s]] = $3 + 0
    if (NF >= 5 && (!logy || $4 > 0)) { low_of[s, n[s]] = $4 + 0; high_of[s, n[s]] = $5 + 0 }
    if (!($2 in place)) { place[$2] = ++places; group[places] = $2 }
    if (xmin == "" || $2 + 0 < xmin) xmin = $2 + 0
    if (xmax == "" || $2 + 0 > xmax) xmax = $2 + 0
    if (ymin == "" || $3 + 0 < ymin) ymin = $3 + 0
    if (ymax == "" || $3 + 0 > ymax) ymax = $3 + 0
}

END {
    if (!count) { print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"/>"; exit }
    split("#4477aa #ee6677 #228833 #ccbb44 #66ccee #aa3377 #bbbbbb #000000", color, " ")
    width = bars ? (places * (count + 1) * 12 + 240 > 760 ? places * (count + 1) * 12 + 240 : 760) : 760
    height = 440; left = 70; top = 40
    # Long names make room for themselves, and so does a long title.
    for (s = 1; s <= count; s++) longest = length(name[s]) > longest ? length(name[s]) : longest
    for (i = 1; bars && i <= places; i++) tall = length(group[i]) > tall ? length(group[i]) : tall
    beside = longest * 7.6 + 44 > 170 ? longest * 7.6 + 44 : 170
    below = bars ? (tall * 4.4 + 46 > 90 ? tall * 4.4 + 46 : 90) : 60
    if (tall * 6.3 - 20 > left) left = tall * 6.3 - 20
    width += beside - 170 + left - 70
    if (length(title) * 9 > width) width = length(title) * 9
    height += below - (bars ? 90 : 60)
    right = width - beside; bottom = height - below
    if (from != "") ymin = from + 0
    if (line != "" && line + 0 > ymax) ymax = line + 0
    if (line != "" && line + 0 < ymin) ymin = line + 0
    if (ymax <= ymin) ymax = ymin + 1
    x0 = logx ? log(xmin) : xmin; x1 = logx ? log(xmax) : xmax
    if (x1 <= x0) x1 = x0 + 1
    y0 = logy ? log(ymin) : ymin; y1 = logy ? log(ymax) : ymax
    if (!logy) y1 += (y1 - y0) * 0.05
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" " \
           "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
           width, height, width, height
    words(length(title) * 9 > right - left ? width / 2 : (left + right) / 2, 22, "middle", title, " font-size=\"15\"")
    if (logy) log_marks(ymin, ymax, "y")
    else {
        step = step_of(y1 - y0)
        for (v = step * int(y0 / step); v <= y1; v += step)
            if (v >= y0 - step / 1000) y_mark(v < step / 1000 && v > -step / 1000 ? 0 : v)
    }
    if (!bars) {
        if (logx) log_marks(xmin, xmax, "x")
        else { step = step_of(x1 - x0); for (v = step * int(x0 / step + 0.999); v <= x1 * 1.0001; v += step) x_mark(v) }
    }
    if (line != "")
        printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#555\" stroke-dasharray=\"5 4\"/>\n",
               left, right, py(line), py(line)
    for (s = 1; s <= count; s++) {
        c = color[(s - 1) % 8 + 1]
        if (bars) {
            w = (right - left) / places / (count + 1)
            for (i = 1; i <= n[s]; i++) {
                x = left + (place[X[s, i]] - 1) * (right - left) / places + (s - 0.5) * w
                printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                       x, py(Y[s, i]), w, bottom - py(Y[s, i]), c
            }
        } else {
            d = ""
            for (i = 1; i <= n[s]; i++)
                d = d sprintf("%s%.1f %.1f ", i == 1 ? "M" : "L", px(X[s, i]), py(Y[s, i]))
            if (!points) printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>\n", d, c
            for (i = 1; i <= n[s]; i++)
                if ((s, i) in low_of)
                    printf "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", px(X[s, i]), py(low_of[s, i]), py(high_of[s, i]), c
            for (i = 1; i <= n[s] && !bare; i++)
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", px(X[s, i]), py(Y[s, i]), c
        }
        printf "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", right + 14, top + 18 * s, c
        words(right + 32, top + 18 * s + 10, "start", name[s], "")
    }
    if (bars)
        for (i = 1; i <= places; i++) {
            x = left + (i - 0.5) * (right - left) / places
            printf "<text transform=\"translate(%.1f %.1f) rotate(-35)\" text-anchor=\"end\">%s</text>\n",
                   x + 4, bottom + 16, clean(group[i])
        }
    printf "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"black\"/>\n", left, top, bottom, right
    words((left + right) / 2, height - (bars ? 8 : 18), "middle", xlabel, "")
    printf "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n</svg>\n",
           (top + bottom) / 2, clean(ylabel)
}
