/**
 * A page with a list of as many rows and columns as the console's table has, and nothing else: rows of a fixed height,
 * those in view drawn, the others not. It says what a browser on this machine can do at best.
 */
export function plainListPage(rows: number): string {
  return `<!doctype html>
<style>
  body { margin: 0; font: 13px sans-serif; }
  #list { height: 100vh; overflow: auto; position: relative; }
  .row { position: absolute; display: grid; grid-template-columns: repeat(9, 1fr); height: 28px; width: 100%; }
</style>
<div id="list" role="grid" aria-rowcount="${rows + 1}"><div id="space"></div></div>
<script>
  const rows = Array.from({ length: ${rows} }, (_, index) => ["row-" + String(index).padStart(5, "0"), "Unknown", "False", "", "region-" + (index % 20), "", "", "", "Missing"]);
  const list = document.getElementById("list");
  const space = document.getElementById("space");
  space.style.height = rows.length * 28 + "px";
  const shown = new Map();
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / 28) - 12);
    const last = Math.min(rows.length, first + Math.ceil(list.clientHeight / 28) + 24);
    for (const [index, element] of shown) {
      if (index >= first && index < last) continue;
      element.remove();
      shown.delete(index);
    }
    for (let index = first; index < last; index += 1) {
      let element = shown.get(index);
      if (element === undefined) {
        element = document.createElement("div");
        element.className = "row";
        element.style.transform = "translateY(" + index * 28 + "px)";
        for (const cell of rows[index]) element.append(Object.assign(document.createElement("div"), { textContent: cell }));
        space.append(element);
        shown.set(index, element);
      } else if (element.children[4].textContent !== rows[index][4]) element.children[4].textContent = rows[index][4];
    }
  };
  list.addEventListener("scroll", () => requestAnimationFrame(draw));
  draw();
  globalThis.change = (perSecond) => {
    let count = 0;
    const startedAtMs = performance.now();
    setInterval(() => {
      const due = Math.floor(((performance.now() - startedAtMs) / 1000) * perSecond);
      for (; count < due; count += 1) rows[(count * 7) % rows.length][4] = "region-" + (count % 1000);
      requestAnimationFrame(draw);
    }, 20);
  };
</script>`;
}
