// The attempt table, and sortable tables. Text of records is only ever set as textContent.

const PAGE = 50;
const NOTHING = "-";
const MOST_CHOICES = 40; // maximum number of distinct texts of a column offered as a filter
const collator = new Intl.Collator("en", { numeric: true });
const at = (id) => document.getElementById(`attempts-${id}`);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// --- tables in the page --------------------------------------------------------------------------

function sortRows(table, column, direction) {
  const body = table.tBodies[0];
  const key = (row) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const keyed = [...body.rows].map((row) => [key(row), row]);
  keyed.sort(([left], [right]) => {
    if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
    const order = typeof left === "number" ? left - right : collator.compare(left, right);
    return direction === "ascending" ? order : -order;
  });
  body.append(...keyed.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...(table.tHead?.rows[0].cells ?? [])]; // a table of names and values has none
  headings.forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const direction = heading.ariaSort === "ascending" ? "descending" : "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", direction);
      sortRows(table, column, direction);
    });
  });
}

// --- columns, decompressed on demand -------------------------------------------------------------

async function unpacked(name) {
  const packed = atob(at(name).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function unpackedJson(name) {
  return JSON.parse(new TextDecoder().decode(await unpacked(name)));
}

async function readColumn(column, place) {
  if (column.kind !== "text") {
    return { ...column, values: new Float64Array(await unpacked(`column-${place}`)) };
  }
  const [codes, texts] = await Promise.all([
    unpacked(`column-${place}`), unpackedJson(`texts-${place}`),
  ]);
  return { ...column, values: new Int32Array(codes), texts };
}

function shown(column, row) {
  const value = column.values[row];
  if (column.kind === "text") return value < 0 ? NOTHING : column.texts[value];
  if (Number.isNaN(value)) return NOTHING;
  if (column.kind === "boolean") return value ? "yes" : "no";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const digits = (count) => value.toLocaleString("en-US", {
    minimumFractionDigits: count, maximumFractionDigits: count,
  });
  if (column.kind === "integer") return digits(0);
  if (size >= 1000) return digits(1);
  return size > 0 && size < 0.0005 ? value.toExponential(1) : digits(3);
}

// --- filtering and sorting of rows ---------------------------------------------------------------

// Both are created on first use: a column may have as many texts as rows.

function lowerOf(column) {
  column.lower ??= column.texts.map((text) => text.toLocaleLowerCase());
  return column.lower;
}

/** The rank of each text of a column. */
function ranksOf(column) {
  if (!column.ranks) {
    const order = column.texts.map((_, code) => code)
      .sort((a, b) => collator.compare(column.texts[a], column.texts[b]));
    column.ranks = new Int32Array(order.length);
    order.forEach((code, rank) => { column.ranks[code] = rank; });
  }
  return column.ranks;
}

function matching(columns, count, state) {
  const texts = columns.filter((column) => column.kind === "text");
  const words = state.search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const lists = words.map((word) => texts.map((column) => ({
    codes: column.values,
    found: Uint8Array.from(lowerOf(column), (text) => Number(text.includes(word))),
  })));
  const chosen = texts
    .filter((column) => state.filters.has(column.name))
    .map((column) => {
      const code = column.texts.indexOf(state.filters.get(column.name));
      return { codes: column.values, code: code < 0 ? NaN : code }; // a text from another report
    });
  const rows = [];
  for (let row = 0; row < count; row += 1) {
    if (
      chosen.every(({ codes, code }) => codes[row] === code) &&
      lists.every((parts) => parts.some(({ codes, found }) => found[codes[row]]))
    ) rows.push(row);
  }
  return rows;
}

function sorted(rows, column, descending) {
  if (!column) return rows;
  const isText = column.kind === "text";
  const ranks = isText ? ranksOf(column) : undefined;
  const values = isText ? column.values.map((code) => ranks[code] ?? -1) : column.values;
  const isMissing = (value) => Number.isNaN(value) || (isText && value < 0);
  const present = rows.filter((row) => !isMissing(values[row]));
  const missing = rows.filter((row) => isMissing(values[row]));
  const sign = descending ? -1 : 1;
  const order = (a, b) => (values[a] > values[b]) - (values[a] < values[b]);
  present.sort((a, b) => sign * order(a, b) || a - b);
  return [...present, ...missing];
}

// --- the URL contains the whole state, so that back, forward and bookmarks work -------------------

const LIST = { search: "", sort: "", page: 1, filters: new Map() };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("attempt")) {
    const number = given.get("attempt");
    return { attempt: /^\d+$/.test(number) ? Number(number) : NaN };
  }
  const filters = [...given].filter(([key]) => key.startsWith("is."));
  const isList = ["", "#attempts"].includes(location.hash) || filters.length > 0 ||
    ["search", "sort", "page"].some((key) => given.has(key));
  if (!isList) return null; // another part of the report
  return {
    search: given.get("search") ?? "",
    sort: given.get("sort") ?? "",
    page: Math.max(1, Math.trunc(Number(given.get("page"))) || 1),
    filters: new Map(filters.map(([key, text]) => [key.slice(3), text])),
  };
}

function addressOf(state) {
  const given = new URLSearchParams();
  if (state.search) given.set("search", state.search);
  if (state.sort) given.set("sort", state.sort);
  state.filters.forEach((text, name) => given.set(`is.${name}`, text));
  if (state.page > 1) given.set("page", state.page);
  return `#${given.toString() || "attempts"}`;
}

// --- one attempt ---------------------------------------------------------------------------------

function tableOf(block) {
  const numbers = new Set(block.numbers ?? []);
  const cell = (name, text, column) => element(name, {
    textContent: text, className: numbers.has(column) ? "number" : "",
  });
  const header = block.header ?? [];
  const head = element("tr", {}, ...header.map((text, column) => {
    const made = cell(text ? "th" : "td", text, column);
    if (text) made.scope = "col";
    return made;
  }));
  const headings = header.some(Boolean) ? [element("thead", {}, head)] : [];
  const rows = block.rows.map((row) => (
    element("tr", {}, ...row.map((text, column) => cell("td", text, column)))
  ));
  const body = element("tbody", {}, ...rows);
  const table = element("table", { className: "figures" }, ...headings, body);
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "group" }, table);
  scroll.ariaLabel = block.title || "Table";
  return scroll;
}

/** A block, with the rows of its shared table, if it has one. */
function wholeBlock(block, tables) {
  if (block.table === undefined) return block;
  const { labels, ...table } = tables[block.table];
  const rows = block.values?.flatMap((value, place) => (
    value === null ? [] : [[labels[place], value]]
  ));
  return { ...table, facts: block.facts, rows };
}

function blockOf(block) {
  const parts = [];
  if (block.facts) {
    parts.push(element("dl", { className: "facts" }, ...block.facts.map(([name, value]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value })))));
  }
  if (block.rows) parts.push(tableOf(block));
  if (block.text) parts.push(element("pre", { className: "text", textContent: block.text }));
  if (block.folded) {
    return element("details", { className: "fold" },
      element("summary", { textContent: block.title || "More" }), ...parts);
  }
  const title = block.title ? [element("h4", { textContent: block.title })] : [];
  return element("section", { className: "block" }, ...title, ...parts);
}

// --- the page ------------------------------------------------------------------------------------

class Attempts {
  constructor(directory, columns) {
    this.count = directory.rows;
    this.block = directory.block;
    this.columns = columns;
    this.tables = directory.tables;
    this.list = LIST;
    this.rows = [];
    this.blocks = new Map();
    this.frame();
  }

  /** Headings and controls. */
  frame() {
    at("table").tHead.rows[0].append(...this.columns.map((column) => {
      const button = element("button", { type: "button", title: column.name });
      column.label.split(/(?<=[._/])/).forEach((part, place) => {
        if (place) button.append(element("wbr"));
        button.append(part);
      });
      button.addEventListener("click", () => this.sortBy(column.name));
      column.heading = element("th", { scope: "col", className: column.kind === "text" ? "" : "number" }, button);
      return column.heading;
    }));
    for (const column of this.columns) {
      if (column.kind !== "text" || column.texts.length < 2 || column.texts.length > MOST_CHOICES) continue;
      const choices = [...column.texts].sort(collator.compare)
        .map((text) => element("option", { value: `=${text}`, textContent: text }));
      column.choice = element("select", {}, element("option", { value: "", textContent: "all" }), ...choices);
      column.choice.addEventListener("change", () => {
        const filters = new Map(this.list.filters);
        filters.delete(column.name);
        if (column.choice.value) filters.set(column.name, column.choice.value.slice(1));
        this.go({ ...this.list, filters, page: 1 });
      });
      at("filters").append(element("label", {}, `${column.label} `, column.choice));
    }
    let waiting;
    at("search").addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const state = { ...this.list, search: at("search").value, page: 1 };
        location.replace(addressOf(state)); // so that typing adds no history entries
      }, 120);
    });
    at("search").form.addEventListener("submit", (event) => event.preventDefault());
    at("previous").addEventListener("click", () => this.turn(-1));
    at("next").addEventListener("click", () => this.turn(1));
    addEventListener("hashchange", () => this.show());
  }

  go(state) {
    location.hash = addressOf(state);
  }

  turn(pages) {
    this.go({ ...this.list, page: this.list.page + pages });
  }

  sortBy(name) {
    const order = ["", name, `-${name}`];
    const next = order[(order.indexOf(this.list.sort) + 1) % order.length];
    this.go({ ...this.list, sort: next, page: 1 });
  }

  show() {
    const state = readAddress();
    if (!state) return;
    if (state.attempt === undefined) this.showList(state);
    else this.showAttempt(state.attempt);
  }

  arrange(state) {
    const descending = state.sort.startsWith("-");
    const name = descending ? state.sort.slice(1) : state.sort;
    const column = this.columns.find((each) => each.name === name);
    this.rows = sorted(matching(this.columns, this.count, state), column, descending);
    for (const each of this.columns) {
      each.heading.removeAttribute("aria-sort");
      if (each.choice) {
        const text = state.filters.get(each.name);
        each.choice.value = text === undefined ? "" : `=${text}`;
      }
    }
    column?.heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    if (document.activeElement !== at("search")) at("search").value = state.search;
  }

  showList(state) {
    this.arrange(state);
    const pages = Math.max(1, Math.ceil(this.rows.length / PAGE));
    this.list = { ...state, page: Math.min(state.page, pages) };
    const first = (this.list.page - 1) * PAGE;
    const rows = this.rows.slice(first, first + PAGE);
    at("table").tBodies[0].replaceChildren(...rows.map((row) => this.rowOf(row)));
    at("page").textContent = `Page ${this.list.page.toLocaleString("en-US")} of ${pages.toLocaleString("en-US")}`;
    at("previous").disabled = this.list.page === 1;
    at("next").disabled = this.list.page === pages;
    const found = this.rows.length.toLocaleString("en-US");
    const all = this.count.toLocaleString("en-US");
    const noun = this.count === 1 ? "row" : "rows";
    at("status").textContent = found === all ? `${all} ${noun}` : `${found} of ${all} ${noun}`;
    at("detail").hidden = true;
    at("list").hidden = false;
    if (this.opened !== undefined) {
      const link = at("table").querySelector(`a[href="#attempt=${this.opened}"]`);
      (link ?? at("search")).focus();
      this.opened = undefined;
    }
  }

  rowOf(row) {
    const cells = this.columns.map((column, place) => {
      const text = shown(column, row);
      if (place === 0) {
        const link = element("a", { href: `#attempt=${row}`, textContent: text });
        return element("th", { scope: "row" }, link);
      }
      return element("td", { textContent: text, className: column.kind === "text" ? "" : "number" });
    });
    return element("tr", {}, ...cells);
  }

  async showAttempt(row) {
    this.opened = row;
    if (!Number.isInteger(row) || row < 0 || row >= this.count) {
      at("opened").textContent = `This report has no attempt of this number; it has ${this.count}`;
      at("blocks").replaceChildren();
    } else {
      const block = Math.floor(row / this.block);
      if (!this.blocks.has(block)) this.blocks.set(block, unpackedJson(`details-${block}`));
      const detail = await this.blocks.get(block).then(
        (details) => details[row % this.block],
        (error) => [{ text: `It cannot be shown: ${error.message}` }],
      );
      if (this.opened !== row) return; // another URL was opened meanwhile
      const identity = this.columns.filter(({ kind }) => kind === "text").slice(0, 3)
        .map((column) => shown(column, row)).filter((text) => text !== NOTHING);
      at("opened").textContent = identity.join(" · ") || `Attempt ${row}`;
      const whole = detail.map((each) => wholeBlock(each, this.tables));
      at("blocks").replaceChildren(...whole.map(blockOf));
    }
    at("back").href = addressOf(this.list);
    if (!this.rows.length) this.arrange(this.list);
    const place = this.rows.indexOf(row);
    this.neighbour("before", place < 0 ? undefined : this.rows[place - 1]);
    this.neighbour("after", place < 0 ? undefined : this.rows[place + 1]);
    at("status").textContent = "";
    at("list").hidden = true;
    at("detail").hidden = false;
    at("opened").focus();
    document.getElementById("attempts").scrollIntoView();
  }

  neighbour(id, row) {
    at(id).hidden = row === undefined;
    if (row !== undefined) at(id).href = `#attempt=${row}`;
  }
}

async function openAttempts() {
  const directory = JSON.parse(at("directory").textContent);
  at("status").textContent = "Loading…";
  try {
    const attempts = new Attempts(directory, await Promise.all(directory.columns.map(readColumn)));
    if (readAddress()) attempts.show();
    else attempts.showList(LIST);
  } catch (error) {
    at("status").textContent = `The table cannot be shown: ${error.message}`;
    throw error;
  }
}

if (at("directory")) openAttempts();
