// Adds to a page that is complete without it: values under the pointer, lines that can be switched
// off, and buttons that copy commands.
(() => {
  "use strict";
  const all = (root, selector) => Array.from(root.querySelectorAll(selector));
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const tip = element("div", "tip");
  tip.hidden = true;
  document.body.append(tip);

  const showTip = (event, head, rows) => {
    const grid = element("div");
    for (const [name, value] of rows) grid.append(element("span", "", name), element("span", "", value));
    tip.replaceChildren(element("b", "", head), grid);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const room = document.documentElement.clientWidth - width - 8;
    const left = Math.max(8, Math.min(event.clientX + 14, room));
    const above = event.clientY - height - 12;
    tip.style.left = `${left + window.scrollX}px`;
    tip.style.top = `${(above > 0 ? above : event.clientY + 16) + window.scrollY}px`;
  };
  const hideTip = () => { tip.hidden = true; };

  // The nearest number of threads, with the values of every line that is switched on.
  const watch = (svg) => {
    all(svg, "title").forEach((title) => title.remove());
    const points = all(svg, ".point");
    const look = (event) => {
      const frame = svg.getScreenCTM();
      if (!frame || points.length === 0) return;
      const x = (event.clientX - frame.e) / frame.a;
      const away = (point) => Math.abs(Number(point.dataset.x) - x);
      const near = points.reduce((best, point) => (away(point) < away(best) ? point : best));
      if (away(near) > 60) return hideTip();
      const rows = points
        .filter((point) => point.dataset.j === near.dataset.j && !point.parentNode.matches(".off"))
        .map((point) => [point.parentNode.dataset.name, point.dataset.v, point.getBBox().y])
        .sort((one, other) => one[2] - other[2]);
      if (rows.length > 0) showTip(event, `-j${near.dataset.j}`, rows);
    };
    svg.addEventListener("pointermove", look);
    svg.addEventListener("pointerdown", look);
    svg.addEventListener("pointerleave", hideTip);
  };
  all(document, "svg.lines").forEach(watch);
  document.addEventListener("scroll", hideTip, { passive: true });

  for (const section of all(document, ".comparison")) {
    for (const entry of all(section, ".legend li")) {
      const lines = () => all(section, `.series[data-series="${entry.dataset.series}"]`);
      const button = element("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.append(...entry.childNodes);
      entry.append(button);
      entry.classList.add("switch");
      button.addEventListener("click", () => {
        const isOn = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isOn));
        lines().forEach((line) => line.classList.toggle("off", !isOn));
      });
      const light = (isLit) => () => {
        const isOff = button.getAttribute("aria-pressed") === "false";
        lines().forEach((line) => line.classList.toggle("lit", isLit));
        all(section, "svg.lines").forEach((svg) => svg.classList.toggle("dim", isLit && !isOff));
      };
      button.addEventListener("pointerenter", light(true));
      button.addEventListener("pointerleave", light(false));
    }
  }

  if (navigator.clipboard) {
    for (const code of all(document, "td code, th code")) {
      const button = element("button", "copy", "copy");
      button.type = "button";
      button.setAttribute("aria-label", `Copy the command ${code.textContent}`);
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = "copied";
        } catch {
          button.textContent = "not allowed";
        }
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      });
      code.before(button);
    }
  }
})();
