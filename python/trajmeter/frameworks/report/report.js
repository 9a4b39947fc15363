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
