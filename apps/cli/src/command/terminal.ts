import { styleText } from "node:util";

/** The other side of a command: the streams of the process, or a test. */
export interface Terminal {
  /** Standard output: what was asked for. */
  readonly out: (text: string | Uint8Array) => void;
  /** Resolves when whoever reads `out` has taken most of what was written: for what does not fit into memory. */
  readonly drained: () => Promise<void>;
  /** Everything else: progress, questions, warnings and errors go to standard error. */
  readonly error: (text: string | Uint8Array) => void;
  /** Whether a person reads `out`. */
  readonly isTty: boolean;
  /** Whether a person reads `error`: only then is progress shown in place. */
  readonly errorIsTty: boolean;
  /** How wide `out` is; undefined when it is no terminal. */
  readonly columns: number | undefined;
  /** Whether somebody is there to answer: standard input and standard error are both a terminal. */
  readonly canAsk: boolean;
  /** Standard input to its end. `InvalidArgument` when it is longer, `Cancelled` when the signal aborts. */
  readonly readStdin: (maxBytes: number, signal?: AbortSignal) => Promise<string>;
  /** Standard input as it comes, for another program; disposing it leaves the terminal as it was. */
  readonly openInput: (options: { readonly raw: boolean }) => TerminalInput;
  /** Asks on standard error and reads a line; `hidden` does not show what is typed. */
  readonly ask: (question: string, options?: AskOptions) => Promise<string>;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalInput extends Disposable {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Undefined where there is no terminal. */
  readonly size: TerminalSize | undefined;
  /** Calls back whenever the terminal gets another size. */
  readonly onResize: (listener: (size: TerminalSize) => void) => void;
}

export interface AskOptions {
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

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
