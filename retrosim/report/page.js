"use strict";
// Tables sort by their headings and show the rows that contain what is searched for.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th button").forEach((button, column) => {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const numeric = head.dataset.kind === "number";
      const old = head.getAttribute("aria-sort");
      const down = old ? old === "ascending" : numeric;
      table.querySelectorAll("th").forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (!numeric) return x.localeCompare(y);
        return (x === "" ? -Infinity : Number(x)) - (y === "" ? -Infinity : Number(y));
      });
      if (down) rows.reverse();
      body.append(...rows);
    });
  });
  const search = document.querySelector(`input[data-table="${table.id}"]`);
  search?.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

// The flame graph: an icicle of the calls, as wide as what each took with all that it called.
for (const flame of document.querySelectorAll(".flame")) {
  const nodes = JSON.parse(flame.querySelector("script").textContent);
  const part = (id) => document.getElementById(`${flame.id}-${id}`);
  const detail = part("detail"), search = part("search"), found = part("found"), reset = part("reset");
  const HEIGHT = 24, SMALLEST = 0.0005;
  const children = nodes.map(() => []);
  nodes.forEach((node, number) => { if (node.parent !== null) children[node.parent].push(number); });
  const number = new Intl.NumberFormat("en-US");
  const percent = (count) => (100 * count / (nodes[0].inclusive || 1)).toFixed(1) + " %";
  let root = 0, current = 0;
  const describe = (n) => {
    const node = nodes[n];
    const parts = [`${number.format(node.inclusive)} clocks with calls (${percent(node.inclusive)})`,
      `${number.format(node.own)} its own`, `called ${number.format(node.calls)} times`, ...node.more];
    return `${node.name}: ${parts.join(", ")}`;
  };
  const show = (n) => { current = n; detail.textContent = describe(n); };
  const within = (n) => { for (let at = n; at !== null; at = nodes[at].parent) if (at === root) return true; return false; };
  const draw = () => {
    flame.querySelectorAll("button").forEach((button) => button.remove());
    const wanted = search.value.toLowerCase();
    let rows = 0, matches = 0, clocks = 0;
    const above = [];
    for (let at = nodes[root].parent; at !== null; at = nodes[at].parent) above.unshift(at);
    const put = (n, left, width, row, counted) => {
      const node = nodes[n], button = document.createElement("button");
      const matched = wanted && node.name.toLowerCase().includes(wanted);
      if (matched && !counted) { clocks += node.inclusive; }
      matches += matched ? 1 : 0;
      button.type = "button";
      button.dataset.node = n;
      button.textContent = (matched ? "\u25b6 " : "") + node.name;
      button.title = describe(n);
      button.setAttribute("aria-label", describe(n));
      button.tabIndex = n === current ? 0 : -1;
      button.className = (node.host ? "host " : "") + (wanted ? (matched ? "found" : "other") : "");
      button.style.cssText = `left:${left * 100}%;width:${width * 100}%;top:${row * HEIGHT}px`;
      flame.append(button);
      rows = Math.max(rows, row + 1);
      return counted || matched;
    };
    above.forEach((n, row) => put(n, 0, 1, row, true));
    const place = (n, left, width, row, counted) => {
      const covered = put(n, left, width, row, counted);
      for (const child of children[n]) {
        const share = width * nodes[child].inclusive / (nodes[n].inclusive || 1);
        if (share >= SMALLEST) place(child, left, share, row + 1, covered);
        left += share;
      }
    };
    if (!within(current) && !above.includes(current)) current = root;
    place(root, 0, 1, above.length, false);
    flame.style.height = `${rows * HEIGHT + 2}px`;
    found.textContent = wanted ? `${matches} found, ${percent(clocks)} of the clocks` : "";
    show(current);
  };
  const focus = (n) => {
    const button = flame.querySelector(`button[data-node="${n}"]`);
    if (!button) return;
    flame.querySelectorAll("button").forEach((each) => { each.tabIndex = -1; });
    button.tabIndex = 0;
    button.focus();
  };
  const zoom = (n) => { root = n; current = n; draw(); focus(n); };
  flame.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) zoom(Number(button.dataset.node));
  });
  flame.addEventListener("focusin", (event) => { if (event.target.dataset.node) show(Number(event.target.dataset.node)); });
  flame.addEventListener("mouseover", (event) => {
    if (event.target.dataset.node) detail.textContent = describe(Number(event.target.dataset.node));
  });
  flame.addEventListener("mouseleave", () => show(current));
  flame.addEventListener("keydown", (event) => {
    const siblings = nodes[current].parent === null ? [current] : children[nodes[current].parent];
    const at = siblings.indexOf(current);
    const to = { ArrowUp: nodes[current].parent, ArrowDown: children[current][0], ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1], Home: root }[event.key];
    if (event.key === "Escape") zoom(0);
    else if (to !== undefined && to !== null) focus(to);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  });
  search.addEventListener("input", draw);
  reset.addEventListener("click", () => { search.value = ""; zoom(0); });
  draw();
}
