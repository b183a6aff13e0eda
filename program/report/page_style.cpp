#include <harmonium/program/report/page_style.hpp>

namespace harmonium {
inline namespace v1 {

// Colors of curves: Okabe & Ito (2008), lighter in the dark. It is XML, too: neither < nor & may be in it.
const char* const page_style = R"(
:root { --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --grid: #dddddd; --panel: #f6f8fa; --link: #0550ae;
  --yes: #116329; --care: #7d4e00; --no: #a40e26; --unknown: #57606a;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; --c6: #555555; --c7: #8c564b;
  color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --ink: #e6e9ec; --soft: #a3abb5; --line: #3a424c; --grid: #333a43;
  --panel: #1d2127; --link: #79b8ff; --yes: #6fd388; --care: #f0b83f; --no: #ff8a8f; --unknown: #a3abb5;
  --c0: #4aa9e4; --c1: #ff8a3d; --c2: #2fc79d; --c3: #e2a3c7; --c4: #f0b83f; --c5: #8accf2; --c6: #b5b5b5; --c7: #c99a90; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.25rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 2.75rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--link); }
.lead { color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; list-style: none; padding: 0; margin: 1rem 0 0; font-size: 0.9rem; }
.headline { font-size: 1.2rem; line-height: 1.4; font-weight: 600; max-width: 46rem; }
.claims { list-style: none; margin: 1rem 0 0; padding: 0; }
.claims li { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0 1rem; padding: 0.7rem 0; border-top: 1px solid var(--line); }
.claims h3 { margin: 0; }
.claims p { margin: 0.1rem 0; }
.mark { font-weight: 600; font-size: 0.9rem; line-height: 1.75; }
.yes { color: var(--yes); } .care { color: var(--care); } .no { color: var(--no); } .unknown { color: var(--unknown); }
.advice { color: var(--soft); font-size: 0.925rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
.scroll:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; font-size: 0.9rem; line-height: 1.4; min-width: 50%; }
caption { text-align: left; color: var(--soft); padding: 0 0 0.4rem; }
caption span { display: block; max-width: min(46rem, calc(100vw - 2.5rem)); }
th, td { text-align: left; padding: 0.3rem 1.1rem 0.3rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: normal; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
thead .group { border-left: 1px solid var(--line); padding-left: 0.5rem; }
tbody th { font-weight: 500; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.against { color: var(--no); }
.wrap td { overflow-wrap: anywhere; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 1rem 1.25rem; margin: 1rem 0; }
figure { margin: 1rem 0; min-width: 0; }
.panels figure { margin: 0; }
figcaption { color: var(--soft); font-size: 0.875rem; line-height: 1.45; margin-top: 0.4rem; max-width: 46rem; }
svg { display: block; width: 100%; max-width: 32rem; height: auto; }
svg text { fill: var(--ink); }
img { display: block; max-width: 100%; height: auto; image-rendering: pixelated; }
.legend { list-style: none; padding: 0; margin: 0.75rem 0; font-size: 0.9rem; }
svg.swatch { display: inline-block; width: 1.5rem; margin-right: 0.4rem; vertical-align: middle; }
progress { width: 100%; max-width: 32rem; height: 0.8rem; accent-color: var(--c0); }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.9rem 1rem; overflow-x: auto;
  font: 0.825rem/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; overflow-wrap: normal; tab-size: 2; }
code { font: 0.875em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 40rem) { body { padding: 1rem 1rem 3rem; } h1 { font-size: 1.45rem; }
  .claims li { grid-template-columns: 1fr; } }
@media print { :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --grid: #dddddd; --panel: #ffffff;
  --yes: #116329; --care: #7d4e00; --no: #a40e26; --unknown: #444444;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; --c6: #555555; --c7: #8c564b; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav { display: none; } a { color: inherit; text-decoration: none; }
  h2, h3 { break-after: avoid; } figure, tr, .claims li { break-inside: avoid; } .scroll { overflow: visible; }
  .panels { grid-template-columns: 1fr 1fr; } pre { white-space: pre-wrap; overflow: visible; } }
)";

}  // namespace v1
}  // namespace harmonium
