/* Hits that can be told apart: what each is (guide, how-to, class, method, ...), page and section, and the words around what was found.
   Sphinx finds and sorts them; this file shows them. TEXTS is written by docs/_ext/search.py. */
"use strict";

const NEAR = 90; // characters of an excerpt before and after what was found

/* Where the words first stand close together in a text, or -1. */
const foundAt = (text, words) => {
  const low = text.toLowerCase(), places = words.map((word) => low.indexOf(word)).filter((at) => at >= 0);
  return places.length ? Math.min(...places) : -1;
};

/* The section of a page that has the most of the words, those in its title counting twice; null where none has any. */
const bestSection = (sections, words) => {
  let best = null, most = 0;
  for (const [anchor, title, text] of sections) {
    const has = (string) => words.filter((word) => string.toLowerCase().includes(word)).length;
    const score = 2 * has(title) + has(text);
    if (score > most) [best, most] = [{ anchor, title, text }, score];
  }
  return best;
};

const excerpt = (text, words) => {
  const at = Math.max(foundAt(text, words), 0), begin = Math.max(at - NEAR, 0), end = Math.min(at + 2 * NEAR, text.length);
  const whole = text.slice(begin ? text.indexOf(" ", begin) + 1 : 0, end < text.length ? text.lastIndexOf(" ", end) : end);
  return (begin ? "… " : "") + whole + (end < text.length ? " …" : "");
};

/* What a hit is, what it is called, where it leads, and what it says. A hit is [page, title, anchor, description, score, file, kind]. */
const described = ([page, title, anchor, description, , , kind], words) => {
  const { part = "", sections = [], objects = {} } = TEXTS[page] || {};
  const name = sections.length ? sections[0][1] : title;
  if (kind === "object") {
    const what = description.split(",")[0].replace("Python ", "");
    return { label: what, page: name, title, code: true, link: anchor, text: objects[anchor.slice(1)] || "" };
  }
  const section = anchor ? sections.find(([id]) => "#" + id === anchor) : null;
  const best = section ? { anchor: section[0], title: section[1], text: section[2] } : bestSection(sections, words);
  const inside = best && sections.length && best.anchor !== sections[0][0];
  return { label: part, page: name, title: inside ? best.title : name, link: inside ? "#" + best.anchor : "", text: best ? best.text : "" };
};

const element = (tag, style, text, parent) => {
  const made = parent.appendChild(document.createElement(tag));
  made.className = style;
  made.textContent = text;
  return made;
};

const show = (hit, said, words) => {
  const item = element("li", `kind-${hit[6]}`, "", Search.output);
  const line = element("div", "hit", "", item), link = element("a", "", "", line);
  link.href = hit[0] + DOCUMENTATION_OPTIONS.LINK_SUFFIX + said.link;
  element(said.code ? "code" : "span", "", said.title, link);
  if (said.title !== said.page) element("span", "hit-page", `in ${said.page}`, line);
  if (said.label) element("span", "hit-label", said.label, line);
  const text = said.text && element("p", "context", said.code ? said.text : excerpt(said.text, words), item);
  if (text) words.forEach((word) => _highlightText(text, word, "highlighted"));
};

/* How often the words stand on a page: what is about them comes before what only mentions them. */
const often = ([page], words) => {
  const text = (TEXTS[page] ? TEXTS[page].sections : []).map((section) => section[1] + " " + section[2]).join(" ").toLowerCase();
  return words.reduce((sum, word) => sum + text.split(word).length - 1, 0);
};

Search.query = (query) => {
  const parsed = Search._parseQuery(query), words = query.toLowerCase().trim().split(/\s+/), seen = new Set();
  const counted = Search._performSearch(...parsed).reverse().map((hit) => [hit, hit[6] === "text" ? often(hit, words) : 0]);
  const hits = counted.sort(([a, m], [b, n]) => b[4] - a[4] || n - m).map(([hit]) => hit);
  for (const hit of hits) {
    const said = described(hit, words), place = hit[0] + said.link;
    if (!seen.has(place)) show(hit, said, words);
    seen.add(place);
  }
  Search.stopPulse();
  Search.title.textContent = `Search: ${query}`;
  Search.status.textContent = seen.size ? `${seen.size} ${seen.size === 1 ? "place" : "places"}` : `Nothing has ${query}. Try one word, or a part of it.`;
};
