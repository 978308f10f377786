// Finds the sections that have all words of the field; those with a word in their title come first.
const field = document.getElementById("search"), results = document.getElementById("results");
const topics = document.getElementById("topics"), up = document.body.dataset.up;

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at ? "…" : "") + text.slice(at, at + 120) + (at + 120 < text.length ? "…" : "");
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  topics.hidden = words.length > 0;
  results.replaceChildren();
  if (!words.length) return;
  const ranked = [];
  for (const [page, anchor, title, text] of SECTIONS) {
    const heading = (page + " " + title).toLowerCase(), all = heading + " " + text.toLowerCase();
    if (words.every((word) => all.includes(word)))
      ranked.push([words.filter((word) => heading.includes(word)).length, page, anchor, title, text]);
  }
  ranked.sort((a, b) => b[0] - a[0]);
  for (const [, page, anchor, title, text] of ranked.slice(0, 30)) {
    const item = document.createElement("li"), link = document.createElement("a"), said = document.createElement("p");
    link.href = up + page + ".html" + (anchor ? "#" + anchor : "");
    link.textContent = title;
    said.textContent = page + ": " + excerpt(text, words[0]);
    item.append(link, said);
    results.append(item);
  }
  if (!ranked.length) results.textContent = "No section has all these words.";
}

field.addEventListener("input", search);
