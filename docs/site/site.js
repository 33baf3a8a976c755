/* Two conveniences; every page is complete without them: the list of pages is folded at phone width, and a box finds
 * headings (headings.js, written by tools/build-docs: [page, anchor, text] each). */
"use strict";
if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav details").open = false;

const root = document.querySelector(".home").getAttribute("href").replace(/index\.html$/, "");
const box = document.getElementById("find"), list = document.getElementById("found");
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length ? HEADINGS.filter(h => words.every(w => (h[2] + " " + h[0]).toLowerCase().includes(w))) : [];
  list.replaceChildren(...hits.slice(0, 20).map(([page, anchor, text]) => {
    const item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("small");
    link.href = root + page + (anchor ? "#" + anchor : "");
    link.textContent = text;
    where.textContent = " " + page.replace(/\.html$/, "");
    item.append(link, where);
    return item;
  }));
  list.hidden = !words.length;
  if (words.length && !hits.length) list.textContent = "nothing found";
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape") { list.hidden = true; }
});
