/** The palette keeps apart for deuteranopes and protanopes; letters stand beside it. */
export const STYLES = `
:root { color-scheme: light dark; --text: #1a1a1a; --dim: #5c5c5c; --page: #fff; --card: #f5f5f4; --line: #d6d3d1; --edge: #a8a29e; }
@media (prefers-color-scheme: dark) { :root { --text: #e7e5e4; --dim: #a8a29e; --page: #171717; --card: #262626; --line: #44403c; --edge: #78716c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; color: var(--text); background: var(--page); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
p { margin: .3rem 0; } .dim { color: var(--dim); }
.cards { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; }
.card b { display: block; font-size: 1.2rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
svg { display: block; font: 11px system-ui, sans-serif; } svg text { fill: var(--text); } svg .dim { fill: var(--dim); }
.edge { fill: none; stroke: var(--edge); stroke-width: 1; } .axis { stroke: var(--line); stroke-width: 1; } .join { fill: var(--edge); }
.box { stroke: var(--edge); stroke-width: 1; } .asked { stroke: var(--text); stroke-width: 1; stroke-dasharray: 3 2; }
.used { fill: #56B4E9; stroke: var(--edge); stroke-width: .5; } .over { fill: #D55E00; }
.done { fill: #0B6E4F; } .credited { fill: #A8D5C5; } .running { fill: #56B4E9; } .retrying { fill: #7B3294; }
.waiting { fill: #D4D4D4; } .held { fill: #F0C000; } .blocked { fill: #8C8C8C; } .failed { fill: #D55E00; }
svg text.on { fill: #1a1a1a; } svg text.on-done, svg text.on-retrying { fill: #fff; }
.chip { display: inline-block; border-radius: 4px; padding: 0 .4em; font-weight: 600; color: #1a1a1a; border: 1px solid var(--edge); }
.chip.done, .chip.completed { background: #0B6E4F; color: #fff; } .chip.retrying { background: #7B3294; color: #fff; }
.chip.failed, .chip.aborted { background: #D55E00; } .chip.held { background: #F0C000; } .chip.active, .chip.running { background: #56B4E9; }
.chip.waiting, .chip.other { background: #D4D4D4; } .chip.credited { background: #A8D5C5; } .chip.blocked { background: #8C8C8C; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } th { text-align: left; color: var(--dim); font-weight: 600; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; } .n { text-align: right; white-space: nowrap; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .6rem; overflow: auto; max-height: 24rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; }
summary { cursor: pointer; } details { margin: .5rem 0; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } .scroll { overflow: visible; border: 0; padding: 0; } svg { max-width: 100%; height: auto; } pre { max-height: none; } h2 { break-after: avoid; } tr, .card { break-inside: avoid; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
