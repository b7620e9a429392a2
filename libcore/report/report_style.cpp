#include "libcore/report/report_style.h"

#include "libcore/base/text.h"

namespace frugal {
namespace {

/// The palette first: light, then dark.
constexpr std::string_view kPage = R"(:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --ink: #1c2430; --soft: #586474; --rule: #d9dee5;
  --grid: #e4e8ed; --minor: #f1f3f6; --muted: #a9b3bf;
  --c0: #1f6cb0; --c1: #cf5a00; --c2: #0a8262; --c3: #b0488c;
  --c4: #9a7400; --c5: #2f93b8; --c6: #6a58b5; --c7: #6b7480;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #13171d; --panel: #1b2129; --ink: #e4e8ee; --soft: #9ba7b6; --rule: #333c48;
    --grid: #29313b; --minor: #1d232b; --muted: #566170;
    --c0: #6ab0f3; --c1: #ff9a52; --c2: #45c9a0; --c3: #e68cc6;
    --c4: #e0bb4e; --c5: #86d3ee; --c6: #b1a4f2; --c7: #a5afbb;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 3rem 1.5rem 4rem; max-width: 832px;
  background: var(--page); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header { border-bottom: 1px solid var(--rule); margin-bottom: 2rem; padding-bottom: 1rem; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.015em; margin: 0; text-wrap: balance; }
h2 { font-size: 1.3rem; line-height: 1.3; letter-spacing: -0.01em; margin: 3rem 0 0.75rem; }
a { color: var(--c0); text-decoration-thickness: 1px; text-underline-offset: 0.15em; }
h3 { font-size: 1rem; line-height: 1.4; margin: 0 0 0.75rem; }
p { margin: 0 0 1rem; max-width: 68ch; }
.sentences { list-style: none; margin: 0.75rem 0 0; padding: 0; max-width: 68ch; }
.figures { display: flex; flex-wrap: wrap; gap: 1px;
  margin: 0 0 2rem; background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
.figures div { flex: 1 1 8.5rem; background: var(--page); padding: 0.8rem 1rem; }
.figures dt { color: var(--soft); font-size: 0.8rem; }
.figures dd { margin: 0; font-size: 1.45rem; font-weight: 600; letter-spacing: -0.01em;
  font-variant-numeric: tabular-nums; line-height: 1.3; }
figure, .table { margin: 2.25rem 0; }
h2 + figure, h2 + .table { margin-top: 1.25rem; }
figcaption, .note-text { color: var(--soft); font-size: 0.875rem; line-height: 1.5; margin-top: 0.6rem; max-width: 76ch; }
svg { display: block; width: 100%; height: auto; overflow: visible; font-family: inherit; }
svg.narrow { display: none; }
)";

/// Rules for the parts of figures.
constexpr std::string_view kFigures =
    R"(svg text { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .name, svg .strong { fill: var(--ink); }
svg .strong { font-weight: 600; }
svg .value { fill: var(--ink); }
svg .note { font-size: 11px; }
svg .point { font-size: 11px; fill: var(--ink); }
svg .direct { fill: var(--s); font-weight: 600; }
svg .note, svg .point, svg .direct { paint-order: stroke; stroke: var(--page); stroke-width: 3px; stroke-linejoin: round; }
.grid { stroke: var(--grid); }
.minor { stroke: var(--minor); }
.base { stroke: var(--soft); }
.reference { stroke: var(--soft); stroke-dasharray: 5 4; }
.line { fill: none; stroke: var(--s); stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.dash1 { stroke-dasharray: 8 4; }
.dash2 { stroke-dasharray: 1 4; }
.dash3 { stroke-dasharray: 9 4 1 4; }
.band { fill: var(--s); fill-opacity: 0.16; }
.bar { fill: var(--s); }
.mark { fill: var(--s); stroke: var(--page); stroke-width: 1; }
.error { stroke: var(--ink); stroke-width: 1.2; }
g.muted { --s: var(--muted); }
.s0 { --s: var(--c0); } .s1 { --s: var(--c1); } .s2 { --s: var(--c2); } .s3 { --s: var(--c3); }
.s4 { --s: var(--c4); } .s5 { --s: var(--c5); } .s6 { --s: var(--c6); } .s7 { --s: var(--c7); }
)";

constexpr std::string_view kTables = R"(.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; line-height: 1.4; overflow-wrap: normal; }
th, td { padding: 0.45rem 0.9rem 0.45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid); }
th { color: var(--soft); font-weight: 600; font-size: 0.8rem; vertical-align: bottom; border-bottom: 1px solid var(--muted); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding: 0.45rem 0 0.45rem 0.9rem; }
tr > .number + :not(.number) { padding-left: 1.6rem; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 6px; padding: 0.8rem 1rem; margin: 0 0 1rem;
  font: 0.8rem/1.55 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  white-space: pre-wrap; }
article + article { border-top: 3px solid var(--rule); margin-top: 4.5rem; padding-top: 3.5rem; }
footer { border-top: 1px solid var(--rule); margin-top: 3.5rem; padding-top: 0.5rem; }
footer h3 { margin-top: 1.5rem; }
summary { cursor: pointer; font-weight: 600; margin-bottom: 0.75rem; }
article > header p { color: var(--soft); margin: 0.25rem 0 0; }
article h2 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -0.015em; margin: 0; }
.runs th[scope="row"] { font-size: inherit; color: inherit; border-bottom: 1px solid var(--grid); vertical-align: top; }
.runs th, .runs td { padding-right: 1.2rem; }
.runs td[data-name="time"], .runs td[data-name="speed"], .runs th a { white-space: nowrap; }
nav h2 { font-size: 1rem; margin: 2rem 0 0.5rem; }
nav ol, nav ul { margin: 0; padding: 0 0 0 1.4rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.2rem; padding: 0 0 0.3rem; list-style: none; font-size: 0.875rem; }
nav + article { border-top: 3px solid var(--rule); margin-top: 3.5rem; padding-top: 2.5rem; }
@media (min-width: 1000px) {
  .runs, main > header, nav { --more: calc((min(1240px, 100vw - 4rem) - 784px) / -2); margin-left: var(--more); margin-right: var(--more); }
}
@media (max-width: 600px) {
  body { padding: 1.75rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  article h2 { font-size: 1.3rem; }
  .runs thead { display: none; }
  .runs tr, .runs th, .runs td { display: block; }
  .runs tr { border-bottom: 1px solid var(--muted); padding: 0.5rem 0; }
  .runs th[scope="row"], .runs td { border: 0; padding: 0.1rem 0; white-space: normal; }
  .runs td:empty { display: none; }
  .runs td::before { content: attr(data-name) ": "; color: var(--soft); }
  svg.wide { display: none; }
  svg.narrow { display: block; }
}
@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --panel: #ffffff; --ink: #000000; --soft: #444c56; --rule: #c4cad2;
    --grid: #dfe3e8; --minor: #f1f3f6; --muted: #a9b3bf;
    --c0: #1f6cb0; --c1: #cf5a00; --c2: #0a8262; --c3: #b0488c;
    --c4: #9a7400; --c5: #2f93b8; --c6: #6a58b5; --c7: #6b7480;
  }
  @page { margin: 18mm 16mm; }
  body { padding: 0; max-width: none; font-size: 10.5pt; print-color-adjust: exact; }
  figure, tr, .figures { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
}
)";

/// The value of a colour in the light palette.
std::string_view light(std::string_view name) {
  const std::size_t at = kPage.find("--" + std::string(name) + ": ");
  const std::size_t begin = kPage.find('#', at);
  return kPage.substr(begin, kPage.find(';', begin) - begin);
}

/// The text with the variables' colours; series: what is named s.
std::string without_variables(std::string_view text, std::string_view series) {
  constexpr std::string_view kBegin = "var(--";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find(kBegin, at);
    out += text.substr(at, begin - at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find(')', begin);
    const std::string_view name = text.substr(begin + kBegin.size(), end - begin - kBegin.size());
    out += light(name == "s" ? series : name);
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string report_style() {
  return std::string(kPage) + std::string(kFigures) + std::string(kTables);
}

std::string figure_style() {
  constexpr std::size_t kSeries = 8;
  std::string style;
  for (std::string_view line : split(kFigures, '\n')) {
    if (line.empty() || line.find("--s: ") != std::string_view::npos) continue;
    if (line.find("var(--s)") == std::string_view::npos) {
      (style += without_variables(line, "")) += '\n';
      continue;
    }
    if (line.starts_with("svg ")) line.remove_prefix(4);
    for (std::size_t i = 0; i < kSeries; ++i) {
      const std::string number = std::to_string(i);
      (style += ".s" + number + ' ' + without_variables(line, "c" + number)) += '\n';
    }
    (style += ".muted " + without_variables(line, "muted")) += '\n';
  }
  return style;
}

}  // namespace frugal
