/** What a command talks to: the streams of the process, or a test. */
export interface Terminal {
  /** What was asked for: standard output. */
  readonly out: (text: string) => void;
  /** Everything else: progress, questions, warnings and errors go to standard error. */
  readonly error: (text: string) => void;
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
  /** Asks on standard error and reads a line; `hidden` does not show what is typed. */
  readonly ask: (question: string, options?: AskOptions) => Promise<string>;
}

export interface AskOptions {
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}
