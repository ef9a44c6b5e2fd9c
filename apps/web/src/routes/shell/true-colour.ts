/**
 * Makes 24-bit colours ones of the 256 that a terminal has. The terminal draws others by `style` attributes, which the
 * policy of the page forbids, and nobody sees the difference.
 */
export class TrueColourFilter {
  #rest = "";

  /** Text that can be drawn; a sequence that is not complete yet waits for its end. */
  take(text: string): string {
    const all = this.#rest + text;
    const open = unfinished.exec(all)?.index ?? all.length;
    this.#rest = all.slice(open);
    return all
      .slice(0, open)
      .replaceAll(selectGraphics, (whole, parameters: string) =>
        /[34]8[;:]2|58[;:]/u.test(parameters) ? `\u001B[${fewerColours(parameters)}m` : whole,
      );
  }
}

// oxlint-disable-next-line no-control-regex -- sequences begin with Escape
const selectGraphics = /\u001B\[([\d;:]*)m/gu;
/** The beginning of one at the end of a text; longer than any real one it is left to the terminal. */
// oxlint-disable-next-line no-control-regex -- sequences begin with Escape
const unfinished = /\u001B(?:\[[\d;:]{0,200})?$/u;

function fewerColours(parameters: string): string {
  const codes = parameters.replaceAll(":", ";").split(";");
  const kept: string[] = [];
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? "";
    const isColour = code === "38" || code === "48" || code === "58";
    if (isColour && codes[at + 1] === "5") {
      if (code !== "58") kept.push(code, "5", codes[at + 2] ?? "0");
      at += 2;
    } else if (isColour && codes[at + 1] === "2") {
      // With colons there may be an empty place for a colour space before the three.
      const from = codes[at + 2] === "" && codes.length - at > 5 ? at + 3 : at + 2;
      if (code !== "58") kept.push(code, "5", String(nearestOf256(codes.slice(from, from + 3).map(Number))));
      at = from + 2;
    } else kept.push(code);
  }
  return kept.join(";");
}

/** The nearest of the cube of 6 × 6 × 6 colours, or of the greys. */
function nearestOf256([red = 0, green = 0, blue = 0]: readonly number[]): number {
  if (red === green && green === blue && red > 3 && red < 247) return 232 + Math.round((red - 8) / 10.7);
  const level = (value: number): number =>
    value < 48 ? 0 : value < 115 ? 1 : Math.min(5, Math.floor((value - 35) / 40));
  return 16 + 36 * level(red) + 6 * level(green) + level(blue);
}
