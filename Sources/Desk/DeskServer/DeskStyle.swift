#if Desk
  import CrashReportView

  /// The desk's only style sheet: the style sheet of reports, and the additions for other pages.
  enum DeskStyle {
    static let sheet =
      HTMLReport.sheet + "\n" + """
        nav.desk{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;border-bottom:1px solid var(--line);
        padding-bottom:.6rem;margin-bottom:1rem}
        nav.desk form{display:flex;gap:.4rem;flex:1 1 16rem;max-width:40rem}
        nav.desk input{flex:1;min-width:0}
        h1.desk{color:var(--ink)}
        input,button,textarea,select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--dim);
        border-radius:4px;padding:.25rem .5rem;max-width:100%}
        button{background:var(--soft);cursor:pointer}
        textarea{width:100%}
        :focus-visible{outline:3px solid var(--link);outline-offset:1px}
        .tabs a{margin-right:.8rem}
        .tabs [aria-current]{font-weight:700;color:var(--ink)}
        .tabs{margin-bottom:.8rem}
        article.row{margin-bottom:1rem}
        article.row h2{font-size:1.1rem}
        .marks{display:flex;flex-wrap:wrap;gap:0 .7rem}
        .state{color:var(--dim)}
        .alarm{color:var(--alarm);font-weight:700}
        form.desk{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin-bottom:.6rem}
        form.desk label{flex:1 1 16rem;max-width:40rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        form.desk label input{flex:1 1 8rem}
        form.desk label:has(>select:only-child){flex:0 1 auto}
        table.desk{border-collapse:collapse;display:block;overflow-x:auto}
        table.desk th,table.desk td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line)}
        table.desk th{overflow-wrap:normal}
        table.desk .number,table.desk .word{display:table-cell;white-space:nowrap;overflow-wrap:normal}
        #live-tools{margin-bottom:.6rem}
        svg.trend{display:block;margin-bottom:.5rem}
        svg.trend rect{fill:var(--link)}
        svg.trend .none,svg.gauge .none{fill:var(--line)}
        svg.gauge{display:block;width:10rem;height:1rem}
        svg.gauge .some{fill:var(--link)}
        svg.gauge .mark{fill:var(--ink)}
        svg.gauge.critical .some{fill:var(--alarm)}
        tr.critical th,tr.critical td{color:var(--alarm);font-weight:700}
        .badge{background:var(--link);color:var(--ground);border-radius:.8rem;padding:0 .5rem;font-weight:700}
        .badge[hidden]{display:none}
        ul.events{list-style:none;padding:0}
        ul.events .critical strong{color:var(--alarm)}
        .no-nominal .nominal{display:none}
        @media(max-width:30rem){table.desk{font-size:.9rem}table.desk th,table.desk td{padding-right:.4rem}}
        @media print{nav.desk,form.desk,.tabs{display:none}}

        """
  }
#endif
