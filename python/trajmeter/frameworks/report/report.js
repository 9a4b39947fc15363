const dark = matchMedia("(prefers-color-scheme: dark)");

function drawCharts() {
  const source = document.getElementById("specifications");
  if (!source) return;
  const ink = getComputedStyle(document.documentElement).getPropertyValue("--text").trim();
  const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
  const config = {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: "transparent" },
    axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
    legend: { labelColor: ink, titleColor: ink },
  };
  JSON.parse(source.textContent).forEach((specification, i) => {
    window.trajmeterEmbed(`#chart-${i}`, specification, { actions: false, renderer: "svg", config });
  });
}

function sortTable(table, column, direction) {
  const body = table.tBodies[0];
  const key = (row) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const ordered = [...body.rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (typeof left !== typeof right) return typeof left === "number" ? -1 : 1;
    const order = typeof left === "number" ? left - right : left.localeCompare(right);
    return direction === "ascending" ? order : -order;
  });
  body.append(...ordered);
}

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const direction = heading.ariaSort === "ascending" ? "descending" : "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", direction);
      sortTable(table, column, direction);
    });
  });
}

drawCharts();
dark.addEventListener("change", drawCharts);
