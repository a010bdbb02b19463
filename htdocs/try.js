// SPDX-License-Identifier: Apache-2.0
/* try.js -- the editor: colours XML under the text that is edited, sends both texts to /run when they rest, and shows the answer */
(function () {
  const $ = id => document.getElementById(id), form = $("editor"), state = $("state");
  const panes = ["sheet", "document"].map($);
  let timer = 0, asked = 0, running = null;

  function el(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const a in attributes) e.setAttribute(a, attributes[a]);
    e.append(...children);
    return e;
  }

  /* ---- colours ---- */

  const TOKEN = /(<!--[\s\S]*?(?:-->|$)|<\?[\s\S]*?(?:\?>|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$))|(<\/?)([^\s<>\/]+)((?:"[^"]*"|'[^']*'|[^<>"'])*)(>?)/g;
  const ATTRIBUTE = /([^\s=\/]+)(\s*=\s*)("[^"]*"|'[^']*')/g;

  function colour(text) {
    const out = document.createDocumentFragment(), span = (c, t) => out.append(el("span", { class: c }, t));
    let at = 0;
    for (const m of text.matchAll(TOKEN)) {
      out.append(text.slice(at, m.index));
      at = m.index + m[0].length;
      if (m[1]) { span("x-note", m[1]); continue; }
      const kind = m[3].startsWith("xsl:") ? "x-xsl" : "x-tag";
      span(kind, m[2] + m[3]);
      let inside = 0;
      for (const a of m[4].matchAll(ATTRIBUTE)) {
        out.append(m[4].slice(inside, a.index));
        inside = a.index + a[0].length;
        span("x-name", a[1]);
        out.append(a[2]);
        span("x-text", a[3]);
      }
      span(kind, m[4].slice(inside) + m[5]);
    }
    out.append(text.slice(at) + "\n");
    return out;
  }

  function paint(area) {
    const under = area.previousElementSibling, large = area.value.length > 60000;   /* colours of large texts would be slower than typing */
    area.parentElement.classList.toggle("plain", large);
    under.replaceChildren(large ? "" : colour(area.value));
    follow(area);
  }

  function follow(area) {
    area.previousElementSibling.scrollTop = area.scrollTop;
    area.previousElementSibling.scrollLeft = area.scrollLeft;
  }

  /* ---- what came out ---- */

  const us = t => t >= 1000 ? (t / 1000).toFixed(t >= 10000 ? 0 : 1) + " ms" : t.toFixed(t < 10 ? 1 : 0) + " \u00b5s";

  function panel(name, ...children) {
    $("panel-" + name).replaceChildren(...children);
  }
  const none = text => el("p", { class: "none" }, text);

  function show_speed(said) {
    const box = $("speed"), t = said.timing, theirs = said.libxslt || {};
    box.hidden = !t;
    if (!t) return;
    const parts = [["parse", t.parse_us, "t1"], ["evaluate", t.evaluate_us, "t2"], ["serialise", t.serialize_us, "t3"]];
    const total = parts.reduce((n, p) => n + p[1], 0), most = Math.max(total, theirs.total_us || 0) || 1;
    const bar = (...is) => el("div", { class: "bar-space" }, ...is.map(([c, n]) => {
      const i = el("i", { class: c });
      i.style.width = 100 * n / most + "%";
      return i;
    }));
    box.replaceChildren(el("div", {}, "gpuxslt"), bar(...parts.map(p => [p[2], p[1]])), el("div", { class: "bar-value" }, us(total)));
    if (theirs.total_us)
      box.append(el("div", {}, "libxslt"), bar(["t4", theirs.total_us]), el("div", { class: "bar-value" }, us(theirs.total_us)));
    box.append(el("div", { class: "key" }, ...parts.map(p => el("span", {}, el("i", { class: p[2] }), p[0] + " " + us(p[1]))),
      el("span", {}, t.nodes + " nodes, " + (t.repeat > 1 ? "median of " + t.repeat : "once")),
      ...(theirs.total_us ? [el("span", {}, (theirs.total_us / total).toFixed(1) + " times as fast as libxslt, which parses and evaluates here, and writes nothing")] : [])));
  }

  function show_result(said) {
    const failed = !("result" in said);
    const place = (said.messages.join("\n").match(/^.*style\.xsl:\d+:\d+.*$|^.*source\.xml:\d+:\d+.*$/m) || [""])[0];
    panel("result", failed ? el("pre", { class: "wrong" }, said.messages.join("\n") || "It failed.") : said.result ? el("pre", {}, colour(said.result)) : none("The result is empty."));
    if (failed)
      panel("preview", none("There is no result."));
    else {
      const frame = el("iframe", { sandbox: "", title: "The result, as a page" });
      frame.srcdoc = said.result;
      panel("preview", frame);
    }
    panel("messages", said.messages.length ? el("pre", {}, said.messages.join("\n")) : none("No messages and no warnings."));
    panel("plan", said.plan ? el("pre", {}, said.plan) : none("There is no plan of a stylesheet with errors."));
    state.textContent = failed ? "Failed" + (place ? " at " + place.match(/(style\.xsl|source\.xml):\d+:\d+/)[0] : "") + "."
      : said.messages.length ? said.messages.length + (said.messages.length > 1 ? " messages." : " message.") : "Done.";
  }

  function show_libxslt(said) {
    const theirs = said.libxslt || {};
    if (theirs.why) return panel("libxslt", none(theirs.why));
    const text = el("p", { class: "none" }, theirs.same ? (theirs.result === said.result ? "The same bytes." : "The same, but for the XML declaration or white space beside tags.") : theirs.status === 0 ? "Another result:" : "libxslt says:");
    const words = theirs.messages && theirs.messages.length ? [el("pre", {}, theirs.messages.join("\n"))] : [];
    panel("libxslt", text, ...words, ...(theirs.result && !theirs.same ? [el("pre", {}, colour(theirs.result))] : []));
  }

  async function run() {
    clearTimeout(timer);
    if (running) running.abort();
    const mine = ++asked;
    running = new AbortController();
    state.textContent = "Running\u2026";
    try {
      const answer = await fetch("/run", { method: "POST", signal: running.signal, headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ sheet: panes[0].value, document: panes[1].value }) });
      const said = await answer.json().catch(() => ({ error: "The server answers " + answer.status + "." }));
      if (mine !== asked) return;
      if (said.error || !answer.ok) {
        state.textContent = said.error || "The server answers " + answer.status + ".";
        return;
      }
      show_result(said);
      show_speed(said);
      show_libxslt(said);
      document.body.dataset.ran = mine;
    } catch (e) {
      if (e.name !== "AbortError") state.textContent = "The server does not answer.";
    }
  }

  /* ---- the page ---- */

  function choose(n) {
    panes.forEach(area => { area.value = $(area.id + "-" + n).value; area.scrollTop = area.scrollLeft = 0; paint(area); });
    run();
  }

  const tabs = [...document.querySelectorAll("[role=tab]")];
  function select(tab, focus) {
    for (const t of tabs) {
      t.setAttribute("aria-selected", t === tab);
      t.tabIndex = t === tab ? 0 : -1;
      $(t.getAttribute("aria-controls")).hidden = t !== tab;
    }
    if (focus) tab.focus();
  }
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", e => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (step) select(tabs[(i + step + tabs.length) % tabs.length], true);
    });
  });

  for (const area of panes) {
    area.addEventListener("input", () => { paint(area); clearTimeout(timer); timer = setTimeout(run, 450); });
    area.addEventListener("scroll", () => follow(area));
    area.addEventListener("keydown", e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); } });
  }
  form.addEventListener("submit", e => { e.preventDefault(); run(); });
  $("example").addEventListener("change", e => choose(e.target.value));
  choose($("example").value);
})();
