#if Desk
  /// The part of the desk's script that keeps the pages of live programs up to date. Pages work without it.
  enum LiveScript {
    static let text = #"""
      (() => {
        const frame = document.querySelector("[data-feed]");
        if (!frame) return;
        const title = document.title;
        let events, unseen = 0;

        // Each part replaces the one of its name; a program that is new comes last.
        function show(html) {
          for (const part of [...new DOMParser().parseFromString(html, "text/html").body.children]) {
            const old = document.getElementById(part.id);
            if (!old && part.id.startsWith("program-")) {
              document.getElementById("live-empty")?.remove();
              frame.append(part);
            } else if (old && !old.isEqualNode(part)) {
              const focused = old.contains(document.activeElement) && document.activeElement;
              const [left, href] = [old.scrollLeft, focused && focused.getAttribute("href")];
              old.replaceWith(part);
              part.scrollLeft = left;
              if (focused === old) part.focus();
              else if (focused && focused.id) part.querySelector("#" + CSS.escape(focused.id))?.focus();
              else if (href) part.querySelector(`a[href="${CSS.escape(href)}"]`)?.focus();
            }
          }
        }

        // A hidden page gets fewer updates. The browser connects again by itself.
        function listen() {
          events?.close();
          events = new EventSource(frame.dataset.feed + (document.hidden ? "?pace=slow" : ""));
          events.addEventListener("parts", event => show(event.data));
          events.addEventListener("critical", event => alarm(JSON.parse(event.data)));
        }
        document.addEventListener("visibilitychange", () => {
          if (!document.hidden) {
            unseen = 0;
            document.title = title;
          }
          listen();
        });
        listen();

        // Notifications are off until a person turns them on.
        const wanted = () => localStorage.getItem("notify") === "on";
        function alarm(event) {
          if (document.hidden) {
            unseen += 1;
            document.title = `(${unseen}) ${title}`;
          }
          if (!wanted() || !("Notification" in window) || Notification.permission !== "granted") return;
          const notification = new Notification(event.program, { body: event.text, tag: event.page });
          notification.onclick = () => {
            window.focus();
            location.assign(event.page);
          };
        }
        if (!("Notification" in window)) return;
        const button = document.createElement("button");
        button.type = "button";
        const label = () => {
          button.textContent = wanted() ? "Notifications are on" : "Notify me";
          button.setAttribute("aria-pressed", String(wanted()));
        };
        button.addEventListener("click", async () => {
          if (wanted()) localStorage.setItem("notify", "off");
          else if (await Notification.requestPermission() === "granted") localStorage.setItem("notify", "on");
          label();
        });
        label();
        document.getElementById("live-tools").append(button);
      })();

      """#
  }
#endif
