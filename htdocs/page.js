// SPDX-License-Identifier: Apache-2.0
/* page.js -- the footer's line: what the server says of this page's stages in its Server-Timing header */
addEventListener("load", function () {
  const page = performance.getEntriesByType("navigation")[0];
  const parts = (page && page.serverTiming || []).map(t => t.name + " " + t.description + (isNaN(t.description) ? "" : " \u00b5s"));
  const at = document.getElementById("timing");
  if (parts.length && at) at.textContent = " The server: " + parts.join(", ") + ".";
});
