/**
 * Style sheet of the service page. Its colours come from a table, which the contrast test reads
 * too.
 *
 * @module
 */

/** Colours `#rrggbb` in the light scheme and in the dark one. */
export const COLOURS = {
  ground: ["#f5f4ef", "#0c1310"], // Background of the page.
  card: ["#ffffff", "#151e1a"], // Background of cards.
  field: ["#fbfaf7", "#0f1714"], // Background of fields.
  ink: ["#14211c", "#e7efeb"], // Text.
  muted: ["#54625c", "#a3b5ac"], // Secondary text.
  line: ["#dfded5", "#29352f"], // Decorative lines.
  edge: ["#7d8983", "#6f8178"], // Borders of fields.
  accent: ["#0a6a4e", "#62d3a8"], // Links, and background of buttons.
  onAccent: ["#ffffff", "#05251a"], // Text on buttons.
  soft: ["#e2f0e9", "#17332a"], // Background of the chosen item.
  bad: ["#a3221b", "#ffa199"], // Text of errors.
  badGround: ["#fbe8e6", "#3b1815"], // Background of errors.
  warnGround: ["#fff1cc", "#3a2c05"], // Background of warnings.
  warn: ["#573b00", "#ffdf8f"], // Text of warnings.
  band: ["#0c2a21", "#08201a"], // Background of the page head.
  onBand: ["#f3f7f4", "#f3f7f4"], // Text in the page head.
  mutedOnBand: ["#b9d2c7", "#b9d2c7"], // Secondary text in the page head.
  code: ["#10201a", "#08100d"], // Background of requests, replies and programs.
  onCode: ["#dbe9e2", "#dbe9e2"], // Text of requests, replies and programs.
  valueOnCode: ["#ffd27a", "#ffd27a"], // Caller's own values in requests, replies and programs.
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

function variables(scheme: 0 | 1): string {
  return Object.entries(COLOURS).map(([name, colours]) => `--${name}:${colours[scheme]}`).join(";");
}

// Pattern of QR modules in the page head. Each layer repeats one square with its own period, so
// that the whole does not seem to repeat.
const MODULES = [[36, 60], [60, 84], [84, 36], [132, 108], [108, 156]]
  .map(([x, y]) => `conic-gradient(at 12px 12px,#0000 75%,#ffffff12 0) 0 0/${x}px ${y}px`)
  .join(",");

/** The style sheet. */
export const STYLE: string = `
:root{color-scheme:light dark;${variables(0)};
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{${variables(1)}}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding:1.5rem 0;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 var(--sans)}
h1,h2,h3{margin:0;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0}
a{color:var(--accent);text-underline-offset:.18em}
code,pre{font-family:var(--mono);font-size:.875em}
code{overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
main:focus{outline:0}
.wrap{max-width:100rem;margin:0 auto;padding:0 clamp(1rem,4vw,2.5rem)}
.skip{position:absolute;left:1rem;top:-4rem;z-index:1;background:var(--card);padding:.5rem 1rem}
.skip:focus{top:.5rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
html:not(.js) :is(.js-only,[data-copy]),.print-only{display:none!important}
html.js .no-js{display:none}

.band{position:relative;overflow:hidden;background:var(--band);color:var(--onBand)}
.band::before{content:"";position:absolute;inset:0;background:${MODULES};
-webkit-mask:linear-gradient(100deg,#0000 52%,#000);mask:linear-gradient(100deg,#0000 52%,#000)}
.band .wrap{position:relative}
.band a{color:inherit}
.band :focus-visible{outline-color:var(--onBand)}
.brand{display:inline-flex;align-items:center;gap:.6rem;padding:.8rem 0;font-weight:650;
text-decoration:none}
.brand svg{width:1.75rem;height:1.75rem;flex:none}
.hero{padding:clamp(.5rem,2vw,1rem) 0 1.75rem}
.hero>*{max-width:46rem}
h1{font-size:clamp(1.9rem,1.4rem + 2vw,2.75rem);font-weight:700;letter-spacing:-.03em}
.lead{margin-top:.6rem;font-size:clamp(1rem,.95rem + .3vw,1.15rem);color:var(--mutedOnBand)}
.address{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;margin-top:1rem}
.address code{padding:.45rem .8rem;border-radius:8px;background:#0004;font-size:1rem}
.band button{background:#0000;color:inherit;border-color:#ffffff80}

.layout{padding-bottom:3rem}
nav{margin-top:1rem}
nav ul{display:flex;flex-wrap:wrap;gap:.1rem;margin:0 0 0 -.6rem;padding:0;list-style:none}
nav a{display:block;padding:.35rem .6rem;border-radius:8px;color:var(--muted);font-size:.95rem;
text-decoration:none}
nav a:hover{background:var(--soft);color:var(--ink)}
nav ul{scroll-target-group:auto}
nav a:target-current{background:var(--soft);color:var(--ink)}
main>*{margin-top:3.5rem}
main>:first-child,main>[hidden]:first-child+*{margin-top:1.5rem}
main>:is(.warning,.keys){margin-top:1.5rem}
h2{font-size:1.6rem;font-weight:650}
h3{font-size:1.05rem;font-weight:650}
section>p,.part>p{margin-top:.4rem;color:var(--muted);max-width:46rem}
section>.card{margin-top:1.25rem}
.columns{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem 2.5rem;margin-top:1.5rem}
main{container:main/inline-size}
.text{max-width:60rem}
.code{display:grid;gap:1rem;align-content:start;min-width:0}
.part+.part{margin-top:2rem}
.steps{margin:1rem 0 0;padding-left:1.4rem}
.columns>.steps{margin-top:0}
.steps li{margin-bottom:.8rem}
.live.off p{display:none}
.steps p{margin-top:.2rem;overflow-wrap:anywhere}
mark{background:var(--soft);color:var(--accent);font-weight:700}
.choices{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem}
.choices .hint{margin-right:.4rem}
.choices a{padding:.15rem .65rem;border:1px solid var(--edge);border-radius:99px;color:inherit;
font-size:.9rem;text-decoration:none}
.choices a:hover{border-color:var(--accent)}
.choices[aria-busy] a{opacity:.7}
.choices .error{flex:0 0 100%}
.choices a[aria-current]{background:var(--accent);border-color:var(--accent);color:var(--onAccent)}
.card{min-width:0;background:var(--card);border:1px solid var(--line);border-radius:16px;
padding:clamp(1rem,3vw,1.75rem);box-shadow:0 1px 2px #0000000d,0 8px 24px -12px #00000026}
.card{container-type:inline-size}
.warning{padding:.8rem 1.1rem;border-radius:12px;background:var(--warnGround);
color:var(--warn);border-left:5px solid}
.keys{display:grid;gap:.3rem .9rem;padding-block:1rem}
.length-warning{max-width:26rem;padding:.5rem .75rem;border-radius:8px;background:var(--warnGround);
color:var(--warn);font-size:.9rem}
.length-warning:has([hidden]),.kind:has([hidden]){position:absolute;padding:0}
.kind{max-width:26rem;overflow-wrap:anywhere}
.error{color:var(--bad);font-size:.9rem}
[aria-invalid]{border:2px solid var(--bad)!important}
.begin .random{margin:0 .2rem}

.try{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem 2.5rem}
form{display:grid;gap:1rem;align-content:start}
.field{display:grid;gap:.3rem;max-width:26rem}
.name{display:flex;align-items:baseline;gap:.45rem}
.name code{color:var(--muted)}
label{font-weight:600}
.hint{font-size:.9rem;color:var(--muted)}
input{width:100%;min-height:2.75rem;padding:.5rem .75rem;color:inherit;
background:var(--field);border:1px solid var(--edge);border-radius:8px;font:inherit}
input.code{font-family:var(--mono);font-size:.9rem}
input[inputmode=numeric]{width:11rem;font-size:1.5rem;letter-spacing:.15em}
#key{max-width:26rem}
.whole{padding:.1rem .75rem;color:var(--muted)}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;
min-height:2.75rem;padding:.4rem 1.1rem;border:1px solid var(--edge);border-radius:8px;
background:var(--card);color:var(--ink);font:inherit;font-weight:600;text-decoration:none;
cursor:pointer}
button:hover,.button:hover{box-shadow:inset 0 0 0 1px currentColor}
button:disabled,.button:not([href]){cursor:default;box-shadow:none}
button[type=submit]{background:var(--accent);border-color:var(--accent);color:var(--onAccent)}
[data-busy] [type=submit]::after{content:"";width:1em;height:1em;border:2px solid;
border-right-color:#0000;border-radius:50%}
.hint+figure{margin-top:.4rem}
.small{min-height:2rem;padding:.15rem .7rem;font-size:.875rem}
.row{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem}

.result{display:grid;gap:1rem;align-content:start;justify-items:start;min-width:0}
.tile{display:grid;place-items:center;width:min(100%,18rem);aspect-ratio:1;overflow:hidden;
background:#fff;color:#54625c;border:1px solid var(--line);border-radius:14px;text-align:center}
.tile svg{display:block}
.tile p{padding:1.5rem}
[aria-busy=true] .tile>svg{opacity:.25}
[aria-busy=true] :is(.groups,.uri){visibility:hidden}
[aria-busy=true] .setup .row{opacity:.75}
.setup{min-width:0;max-width:100%}
.setup>.row{margin-top:.8rem}
.groups{display:block;margin-top:.2rem;font-size:1.05rem;line-height:1.7}
.groups span{display:inline-block;margin-right:.6em}
.setup>div>h3{margin-top:1rem}
.uri{display:block;margin:.2rem 0 .5rem;overflow-wrap:anywhere;font-size:.8rem}
.bad{color:var(--bad)}
.answer{width:100%;min-height:5.9rem;padding:.7rem 1rem;border-radius:10px;background:var(--soft)}
.answer.bad{background:var(--badGround)}
.answer.empty{display:grid;place-items:center;background:#0000;border:1px dashed var(--edge);
color:var(--muted)}
.answer b{display:block;font:700 1.5rem/1.3 var(--mono)}
.answer b::before{content:"\\2713";content:"\\2713"/"";margin-right:.5rem}
.answer.bad b::before{content:"\\2717";content:"\\2717"/""}
.answer small{display:block;font-size:.85rem}
.reasons{width:100%}
.reasons summary{font-weight:650;cursor:pointer}
.reasons :is(p,ul){margin:.4rem 0 0}
.reasons ul{padding-left:1.2rem}
.reasons li{margin:.25rem 0}
.reasons code{white-space:nowrap}
.reasons small{display:block;margin-top:.4rem;color:var(--muted)}
.test-app{width:100%;padding:1rem;border:1px solid var(--line);border-radius:12px;
background:var(--ground)}
.test-app .now{width:100%;flex-wrap:wrap;justify-content:start;margin:.7rem 0;padding:.6rem 1rem}
.test-app .now svg{width:1.75rem;height:1.75rem;flex:none}
.test-app .now .code{font-size:1.5rem;letter-spacing:.04em}
.test-app .use{margin-left:auto;white-space:nowrap;color:var(--accent);font-size:.875rem}
.test-app .code{font-family:var(--mono);white-space:nowrap}
.test-app .others{display:grid;grid-template-columns:1fr 1fr}
.others button{display:grid;min-width:0;gap:0;padding:.35rem .6rem;font-weight:400}
.others .code{font-size:1rem;font-weight:600}
.taken{color:var(--muted)}
.whole-arc{stroke:var(--line)}
.left-arc{stroke:var(--accent)}
.no-secret .left-arc{stroke:none}
.test-app:has(.codes:not([hidden]))~.clock progress{display:none}
.clock{display:grid;gap:.35rem;width:100%;font-size:.9rem;color:var(--muted)}
.clock b{color:var(--ink);font-variant-numeric:tabular-nums}
progress{width:100%;height:.5rem;accent-color:var(--accent)}

figure{display:flex;flex-direction:column;min-width:0;margin:0;border:1px solid #0000;
border-radius:12px;overflow:hidden;background:var(--code);color:var(--onCode)}
figcaption{display:flex;align-items:center;justify-content:space-between;gap:.75rem;
min-height:2.9rem;padding:.4rem .6rem .4rem 1.1rem;font-weight:600;background:#ffffff14}
figure button{background:#0000;color:inherit;border-color:#ffffff80}
figure :focus-visible{outline-color:var(--onCode);outline-offset:-3px}
pre{scrollbar-color:#ffffff80 #0000;margin:0;padding:1rem 1.1rem 1.2rem;line-height:1.6;tab-size:2;overflow:auto;max-height:32rem}
#login-code pre{max-height:16rem}
var{font-style:normal;color:var(--valueOnCode)}
.scroll{margin-top:1rem;overflow-x:auto}
.scroll :is(code,th){white-space:nowrap}
.scroll td:last-child code{white-space:normal}
table{width:100%;border-collapse:collapse}
th,td{padding:.6rem 1rem .6rem 0;border-bottom:1px solid var(--line);text-align:left;
vertical-align:top}
th{font-weight:600}
td{overflow-wrap:break-word}
td:nth-child(2):not(:last-child){white-space:nowrap}
thead th{font-size:.9rem;color:var(--muted)}
@container main (max-width:44rem){.scroll :is(table,tbody,tr,th,td){display:block}
.scroll thead{display:none}
.scroll tr{padding:.6rem 0;border-bottom:1px solid var(--line)}
.scroll :is(th,td){padding:0;border:0}
.scroll :is(th,td,code){white-space:normal!important;overflow-wrap:anywhere}
td[data-head]::before{content:attr(data-head)": ";color:var(--muted)}}
footer.wrap{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;padding-bottom:2rem;font-size:.9rem;
color:var(--muted)}

@container (min-width:38rem){.try{grid-template-columns:minmax(0,1fr) minmax(0,18rem)}
.try:has(.with-codes){grid-template-columns:minmax(0,15rem) minmax(0,1fr)}}
@container (min-width:52rem){.try{grid-template-columns:minmax(0,22rem) minmax(0,1fr)}
.try:has(.with-codes){grid-template-columns:minmax(0,17rem) minmax(0,1fr)}
.pairing{align-self:start;grid-template:auto 1fr/minmax(17rem,1fr) minmax(0,1fr);gap:1.1rem 1.5rem}
.pairing>.tile{grid-area:1/1/span 2}
.pairing>:is(.length-warning,.setup){grid-column:2}
.status{grid-column:1/-1}
.with-codes{grid-template-columns:minmax(0,1.15fr) minmax(0,1fr);grid-auto-flow:dense;gap:1rem 1.5rem}
.with-codes>*{grid-column:1}
.with-codes>.test-app{grid-column:2;grid-row:1/span 4;align-self:start}}
@media (min-width:80rem){.layout{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:2.5rem}
nav{position:sticky;top:0;align-self:start;margin-top:0;padding:1.5rem 0}
nav ul{flex-direction:column}
.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
@media (prefers-reduced-motion:no-preference){button,.choices a,nav a{transition:background .15s,
box-shadow .15s}
[data-busy] [type=submit]::after{animation:turn .8s linear infinite}
@keyframes turn{to{rotate:1turn}}}
@media (forced-colors:active){nav a:target-current{outline:2px solid Highlight;outline-offset:-2px}
.choices a[aria-current]{outline:2px solid Highlight}
.whole-arc{stroke:GrayText}.left-arc{stroke:Highlight}
.card,figure,.answer,.warning,.address code{border:1px solid CanvasText}}
@media print{body{background:#fff}
.brand,.lead,.address .small,nav,.skip,button,.choices,.test-app,.clock,.keys,footer,
.answer.empty{display:none!important}
.band{background:none;color:#000}.band::before{display:none}
.layout,.columns{display:block}.columns>*{margin-top:1rem}
.card{box-shadow:none;border:0;padding:0}
figure{background:none;color:#000;border-color:#000}
var{color:#000}
pre{max-height:none!important;white-space:pre-wrap;overflow-wrap:anywhere}
.paired .band,.paired main>:not(.has-pairing),.paired .has-pairing>:not(.card),
.paired .has-pairing form{display:none}
.for{max-width:100%;font-size:1.4rem;font-weight:650;overflow-wrap:anywhere}
.paired .print-only{display:block!important}
.paired .try{display:block}
.paired .pairing{display:grid;grid-template-columns:1fr;justify-items:center;text-align:center;
margin-top:2cm}
.paired .tile{width:9cm;border:0}.paired .on-screen{display:none}
.paired .pairing ol{text-align:left;line-height:1.9}}
@media print and (orientation:landscape){.paired .pairing{grid-template-columns:9cm 1fr;
grid-template-rows:auto auto 1fr;
justify-items:start;text-align:left;gap:.5rem 1cm;margin-top:0}
.paired .for{grid-column:1/-1}.paired .tile{grid-row:2/span 2}}
`.replace(/\n+/g, "\n").trim();
