import { Readable } from "node:stream";

import { BowlineError } from "@bowline/core";

import type { Terminal, TerminalInput, TerminalSize } from "../command/terminal.ts";

export interface FakeTerminalOptions {
  readonly isTty?: boolean;
  readonly columns?: number;
  /** The text of standard input. */
  readonly stdin?: string;
  /** Answers, question by question; without any, nobody is there to be asked. */
  readonly answers?: readonly string[];
}

/** A terminal that remembers what was written and answers as the test says. */
export class FakeTerminal implements Terminal {
  readonly isTty: boolean;
  readonly errorIsTty: boolean;
  readonly columns: number | undefined;
  readonly canAsk: boolean;
  /** Questions that were asked, in order; one for a secret ends with ` (hidden)`. */
  readonly questions: string[] = [];
  /** How input was opened and closed. */
  readonly inputs: string[] = [];
  /** Those who want to know when the terminal gets another size. */
  readonly resized: ((size: TerminalSize) => void)[] = [];
  #written = "";
  #errors = "";
  readonly #stdin: string;
  readonly #answers: string[];
  #waiting: { readonly text: string; readonly resolve: () => void }[] = [];

  constructor(options: FakeTerminalOptions = {}) {
    this.isTty = options.isTty ?? false;
    this.errorIsTty = this.isTty;
    this.columns = options.columns ?? (this.isTty ? 100 : undefined);
    this.canAsk = options.answers !== undefined;
    this.#stdin = options.stdin ?? "";
    this.#answers = [...(options.answers ?? [])];
  }

  get written(): string {
    return this.#written;
  }

  get errors(): string {
    return this.#errors;
  }

  readonly out = (text: string | Uint8Array): void => {
    this.#written += textOf(text);
    for (const wanted of this.#waiting) if (this.#written.includes(wanted.text)) wanted.resolve();
    this.#waiting = this.#waiting.filter(({ text }) => !this.#written.includes(text));
  };

  readonly drained = async (): Promise<void> => {};

  readonly error = (text: string | Uint8Array): void => {
    this.#errors += textOf(text);
  };

  /** Resolves as soon as `out` has written this. */
  async wrote(text: string): Promise<void> {
    if (this.#written.includes(text)) return;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ text, resolve });
    });
  }

  readonly readStdin = (maxBytes: number): Promise<string> => {
    if (Buffer.byteLength(this.#stdin) <= maxBytes) return Promise.resolve(this.#stdin);
    return Promise.reject(new BowlineError("InvalidArgument", "Standard input is too long."));
  };

  readonly openInput = ({ raw }: { readonly raw: boolean }): TerminalInput => {
    this.inputs.push(raw ? "raw" : "plain");
    const resized = this.resized;
    const chunks = [Buffer.from(this.#stdin)].filter(({ length }) => length > 0);
    return {
      chunks: Readable.from(chunks),
      size: this.isTty ? { columns: this.columns ?? 80, rows: 24 } : undefined,
      onResize: (listener) => resized.push(listener),
      [Symbol.dispose]: () => {
        this.inputs.push("closed");
      },
    };
  };

  readonly ask = (question: string, options: { readonly hidden?: boolean } = {}): Promise<string> => {
    this.questions.push(options.hidden === true ? `${question} (hidden)` : question);
    const answer = this.#answers.shift();
    if (answer === undefined) return Promise.reject(new Error(`Nobody answers "${question}".`));
    return Promise.resolve(answer);
  };
}

function textOf(text: string | Uint8Array): string {
  return typeof text === "string" ? text : Buffer.from(text).toString("utf8");
}
