#if Desk
  /// The desk's only script: keys, and pages that show a new crash by themselves. Pages work without it.
  enum DeskScript {
    static let text = #"""
      "use strict";
      (() => {
        const main = () => document.querySelector("main");
        const fields = () => [...document.querySelectorAll("main input:not([type=hidden]), main textarea")];
        const isTyping = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");

        // Keys: j and k go through groups or reports, / searches.
        function move(step) {
          const links = [...main().querySelectorAll("article.row h2 a, table.desk tbody a")];
          const index = links.indexOf(document.activeElement);
          const next = index < 0 ? (step > 0 ? 0 : links.length - 1) : index + step;
          links[Math.max(0, Math.min(links.length - 1, next))]?.focus();
        }
        document.addEventListener("keydown", event => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (isTyping()) {
            if (event.key === "Escape") document.activeElement.blur();
            return;
          }
          if (event.key === "j") move(1);
          else if (event.key === "k") move(-1);
          else if (event.key === "/") document.querySelector("nav.desk input[type=search]").focus();
          else return;
          event.preventDefault();
        });

        // A page that lists crashes is loaded again when there is a new one, unless a person writes in it.
        if (!("live" in document.body.dataset)) return;
        let isLoading = false, isStale = false;
        const isInUse = () => isTyping() || fields().some(field => field.value !== field.defaultValue);
        async function refresh() {
          isStale = true;
          if (isLoading || isInUse()) return;
          isLoading = true;
          isStale = false;
          try {
            const answer = await fetch(location.href);
            if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
          } catch {
            isStale = true;
          }
          // Many crashes a second are one page a second.
          setTimeout(() => {
            isLoading = false;
            if (isStale) refresh();
          }, 1000);
        }
        function show(page) {
          const focused = document.activeElement?.getAttribute("href");
          if (isInUse()) {
            isStale = true;
            return;
          }
          main().replaceWith(page.querySelector("main"));
          document.body.dataset.live = page.body.dataset.live;
          if (focused) [...main().querySelectorAll("a")].find(link => link.getAttribute("href") === focused)?.focus();
        }
        document.addEventListener("focusout", () => setTimeout(() => { if (isStale) refresh(); }, 0));
        const events = new EventSource("/events");
        // What came before this connection, or while there was none, is on the page or it has another mark.
        events.addEventListener("mark", event => {
          if (event.data !== document.body.dataset.live) refresh();
        });
        events.addEventListener("group", event => {
          if (location.pathname === "/" || location.pathname === "/groups/" + event.data) refresh();
        });
      })();

      """#
  }
#endif
