// Adds to a page that is complete without it: buttons that copy commands.
(() => {
  "use strict";
  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll("td code, th code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
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
})();
