/* Two conveniences; every page is complete without them: the list of pages is folded at phone width, and a box finds
 * headings (headings.js) and text (sections.js, loaded with the first search), both written by tools/build-docs:
 * [page, anchor, text] each. */
"use strict";
if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav details").open = false;

const root = document.querySelector(".home").getAttribute("href").replace(/index\.html$/, "");
const box = document.getElementById("find"), list = document.getElementById("found");
const MOST = 30, AROUND = 60; // hits shown, characters of text around a word

let loading = false;
function loadSections() {
  if (loading) return;
  loading = true;
  const script = document.createElement("script");
  script.src = root + "sections.js";
  script.onload = search;
  document.body.append(script);
}

const titles = new Map(HEADINGS.map(([page, anchor, text]) => [page + "#" + anchor, text]));

// A hit in the text is shown with the words around the first one.
function entry([page, anchor, text], word) {
  const item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("small");
  link.href = root + page + (anchor ? "#" + anchor : "");
  link.textContent = word ? titles.get(page + "#" + anchor) ?? anchor : text;
  where.textContent = " " + page.replace(/\.html$/, "");
  item.append(link, where);
  if (word) {
    const at = text.toLowerCase().indexOf(word), excerpt = document.createElement("div");
    const from = Math.max(0, at - AROUND), to = at + word.length + AROUND;
    excerpt.textContent = (from ? "…" : "") + text.slice(from, to).trim() + (to < text.length ? "…" : "");
    item.append(excerpt);
  }
  return item;
}

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = text => words.every(w => text.toLowerCase().includes(w));
  const inTitles = words.length ? HEADINGS.filter(h => has(h[2] + " " + h[0])) : [];
  const seen = new Set(inTitles.map(h => h[0] + "#" + h[1]));
  const sections = typeof SECTIONS === "undefined" ? [] : SECTIONS;
  const inText = words.length ? sections.filter(s => !seen.has(s[0] + "#" + s[1]) && has(s[2])) : [];
  list.replaceChildren(...[...inTitles.map(h => entry(h)), ...inText.map(s => entry(s, words[0]))].slice(0, MOST));
  list.hidden = !words.length;
  if (words.length && !inTitles.length && !inText.length) list.textContent = "nothing found";
}
box.addEventListener("input", () => { loadSections(); search(); });
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape") { list.hidden = true; }
});
