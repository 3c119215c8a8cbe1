/// How pages look.
enum HTMLStyle {
  /// The page's policy: it allows only this style sheet. A hash is stricter than `'unsafe-inline'`, which would also
  /// allow the styles of an injected element.
  static let policy: StaticString =
    "default-src 'none'; style-src 'sha256-Ic8uGa12C4BT0riBs68CiQQb0MMgzDue3fzawFAp3Rs='; base-uri 'none'; form-action 'none'"

  /// The sheet: narrow and wide, light and dark, and in print, where all that is folded is open.
  static let sheet: StaticString = """
    :root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--dim:#57606a;--line:#d0d7de;--soft:#f6f8fa;--own:#fff4d6;
    --mark:#ffe08a;--alarm:#a40e26;--link:#0550ae;--warning:#7d4e00}
    @media(prefers-color-scheme:dark){:root{--ground:#0f1418;--ink:#e6e9ec;--dim:#9da7b1;--line:#39424c;--soft:#181f26;
    --own:#33290c;--mark:#6b5300;--alarm:#ff9492;--link:#79b8ff;--warning:#f0b72f}}
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:130rem;padding:1rem;background:var(--ground);color:var(--ink);
    font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    h1,h2,h3{line-height:1.25;margin:0 0 .5rem}
    h1{font-size:1.5rem;color:var(--alarm)}
    h2,h3{font-size:1.15rem}
    article>header>h2{font-size:1.4rem;color:var(--alarm)}
    .subject{color:var(--ink)}
    article{border-bottom:1px solid var(--line);padding-bottom:1rem;margin-bottom:2rem}
    section{margin:1.5rem 0}
    a{color:var(--link)}
    p,ul,ol,dl{margin:.4rem 0}
    code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85rem}
    pre{margin:.4rem 0;padding:.5rem .7rem;background:var(--soft);border:1px solid var(--line);border-radius:4px;
    white-space:pre-wrap}
    pre.source{white-space:pre;overflow-x:auto}
    pre.message{border-left:4px solid var(--alarm)}
    mark{background:var(--mark);color:inherit}
    .facts,.values{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:.2rem 1.5rem}
    .values{grid-template-columns:1fr}
    .facts div,.values div{display:grid;grid-template-columns:8rem 1fr;gap:.5rem}
    dt{color:var(--dim)}
    dd{margin:0}
    .stack,.stack ol{list-style:none;padding:0}
    .stack li{padding:.15rem .5rem;border-left:3px solid transparent}
    .stack li.own{background:var(--own);border-left-color:var(--warning)}
    .stack li.own>code{font-weight:700}
    .stack li:not(.own),.place,.number,.time,.level,.pair,.bytes,.note{color:var(--dim)}
    .stack li.own .place,.stack li.own .number{color:var(--ink)}
    .number{display:inline-block;min-width:2rem}
    .place{font-size:.9rem}
    .warning{color:var(--warning)}
    summary{cursor:pointer;padding:.15rem 0}
    .timeline{list-style:none;padding:0 0 0 .9rem;border-left:2px solid var(--line)}
    .timeline li{position:relative;margin:.3rem 0}
    .timeline li::before{content:"";position:absolute;left:-1.25rem;top:.5rem;width:.55rem;height:.55rem;
    border-radius:50%;background:var(--dim)}
    .timeline .marked{background:var(--own)}
    .timeline .marked .time,.timeline .marked .level,.timeline .marked .pair{color:var(--ink)}
    .timeline .serious::before{background:var(--alarm)}
    .timeline .serious .level{color:var(--alarm)}
    .time{font-variant-numeric:tabular-nums}
    .registers{border-collapse:collapse}
    .registers th,.registers td{text-align:left;vertical-align:top;padding:.1rem .8rem .1rem 0}
    .images{padding-left:1.2rem}
    svg{display:block;max-width:100%}
    svg text{fill:var(--ink);font:12px system-ui,sans-serif}
    svg.circle{height:auto}
    .circle rect{fill:var(--soft);stroke:var(--dim)}
    .circle .thread rect{fill:var(--own);stroke:var(--warning)}
    .circle .title{font-weight:700}
    .circle .arrow{fill:none;stroke:var(--alarm);stroke-width:2}
    .circle .head{fill:var(--alarm)}
    .flame{margin:.5rem 0}
    .flame svg{overflow:hidden}
    .flame rect{stroke:var(--ground)}
    .flame .own{fill:var(--mark)}
    .flame .other{fill:var(--line)}
    @media(min-width:90rem){.columns{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:3rem}}
    @media print{:root{color-scheme:light;--ground:#fff;--ink:#000;--dim:#444;--line:#bbb;--soft:#fff;--own:#f3f3f3;
    --mark:#ddd;--alarm:#000;--link:#000;--warning:#333}
    body{max-width:none;padding:0;font-size:.8rem}
    pre.source{white-space:pre-wrap}
    details::details-content{content-visibility:visible;height:auto}
    li,svg{break-inside:avoid}}
    """
}
