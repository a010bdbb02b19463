// SPDX-License-Identifier: Apache-2.0
/* live.js -- new figures every two seconds: the page as the server makes it now takes the place of the figures; and the button that sends requests */
(function () {
  const figures = () => document.getElementById("figures"), button = document.getElementById("load"), said = document.getElementById("said");
  let busy = false;

  async function renew() {
    if (busy || document.hidden) return;
    busy = true;
    try {
      const answer = await fetch("/live.xml", { cache: "no-store" });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const open = figures().contains(document.activeElement) ? document.activeElement.id : "";
        figures().replaceWith(document.adoptNode(page.getElementById("figures")));
        if (open && document.getElementById(open)) document.getElementById(open).focus();
      }
    } catch (e) {
      said.textContent = "The server does not answer.";
    }
    busy = false;
  }

  /* six requests at a time, as a browser has connections */
  async function load() {
    const pages = ["/static/catalogue.xml", "/static/news.xml", "/static/sales.xml"], total = 600, began = performance.now();
    let next = 0, failed = 0;
    button.disabled = true;
    await Promise.all(Array.from({ length: 6 }, async function () {
      while (next < total) {
        const answer = await fetch(pages[next++ % pages.length], { cache: "no-store", headers: { Accept: "text/html" } }).catch(() => null);
        if (!answer || !answer.ok) failed++;
        else await answer.text();
        if (next % 60 === 0) said.textContent = next + " of " + total + " pages";
      }
    }));
    const s = (performance.now() - began) / 1000;
    said.textContent = total - failed + " pages in " + s.toFixed(1) + " s, " + Math.round(total / s) + " a second through this browser" + (failed ? "; " + failed + " failed" : "") + ".";
    button.disabled = false;
    renew();
  }

  button.hidden = false;
  button.addEventListener("click", load);
  setInterval(renew, 2000);
})();
