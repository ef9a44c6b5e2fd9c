import { styleText } from "node:util";

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Text in a style, or as it is where styles are off. */
export type Paint = (style: Style, text: string) => string;

export const colorChoices = ["auto", "always", "never"] as const;
export type ColorChoice = (typeof colorChoices)[number];

interface ColorQuestion {
  readonly choice: ColorChoice;
  readonly isTty: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Left to itself, colour needs a terminal that can show it and a user who has not said no (no-color.org). */
function wantsColor({ choice, isTty, environment }: ColorQuestion): boolean {
  if (choice !== "auto") return choice === "always";
  const refused = environment["NO_COLOR"] !== undefined && environment["NO_COLOR"] !== "";
  return isTty && !refused && environment["TERM"] !== "dumb";
}

export function createPaint(question: ColorQuestion): Paint {
  // The decision is made here, whatever Node thinks of its own standard output.
  if (wantsColor(question)) return (style, text) => styleText(style, text, { validateStream: false });
  return (_style, text) => text;
}
