/**
 * The script of the page: a search field above each table that can be filtered. Without scripts the tables are whole. It has no
 * character that XML gives a meaning, and the page's policy allows this text only, by its digest.
 */
const SOURCE = `for (const table of document.querySelectorAll("table.filterable")) {
  const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);
  const line = document.createElement("p");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const count = document.createElement("output");
  input.type = "search";
  line.className = "filter";
  label.append("Filter by words: ", input);
  line.append(label, " ", count);
  const show = () => {
    const words = input.value.toLowerCase().split(/\\s+/);
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    count.value = shown + " of " + rows.length;
  };
  input.addEventListener("input", show);
  show();
  table.parentElement.before(line);
}`;

/** As it stands between the tags. */
export const FILTER = `\n${SOURCE}\n`;

/** SHA-256 of {@link FILTER}, as a policy names it; a test computes it. */
export const FILTER_DIGEST = "sha256-fe+lCJhE/+Aios1fUYDTxv3M4pr5GJkSrpo4N59vJUs=";
