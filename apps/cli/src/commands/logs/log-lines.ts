/** A line of a log with the time at which it was written. */
export interface LogLine {
  /** Comparable as text: seconds and nanoseconds. */
  readonly time: string;
  /** As the cluster wrote it. */
  readonly stamp: string;
  readonly text: string;
}

/** A program may write without ever ending a line; what is longer is shown in pieces. */
const maxLineLength = 64 * 1024;

const stamped =
  /^(?<stamp>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?<fraction>\d{1,9}))?(?<zone>Z|[+-]\d\d:\d\d)) ?(?<text>[^]*)$/u;

/** Lines of a log that was asked for with timestamps. */
export async function* readLogLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<LogLine, void, undefined> {
  const decoder = new TextDecoder();
  let last: Pick<LogLine, "time" | "stamp"> = { time: "", stamp: "" };
  const lineOf = (text: string): LogLine => {
    const line = readLine(text) ?? { ...last, text };
    last = line;
    return line;
  };
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield lineOf(line);
    if (rest.length > maxLineLength) {
      yield lineOf(rest);
      rest = "";
    }
  }
  if (rest !== "") yield lineOf(rest);
}

function readLine(line: string): LogLine | undefined {
  const groups = stamped.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { stamp = "", fraction = "", zone = "", text = "" } = groups;
  // Zeros at the end of the fraction are left out, so the stamps themselves do not compare.
  const seconds = Math.floor(Date.parse(`${stamp.slice(0, 19)}${zone}`) / 1000);
  const time = `${String(seconds).padStart(12, "0")}.${fraction.padEnd(9, "0")}`;
  return { time, stamp, text };
}

/** The lines of several logs, each of which is in order, in the order of their times. */
export async function* mergeByTime<Line extends { readonly time: string }>(
  logs: readonly AsyncGenerator<Line, void, undefined>[],
): AsyncGenerator<Line, void, undefined> {
  try {
    const heads = await Promise.all(logs.map(async (log) => ({ log, next: await log.next() })));
    for (;;) {
      let first: { readonly log: (typeof logs)[number]; next: IteratorResult<Line, void> } | undefined;
      let line: Line | undefined;
      for (const head of heads) {
        if (head.next.done === true || (line !== undefined && line.time <= head.next.value.time)) continue;
        [first, line] = [head, head.next.value];
      }
      if (first === undefined || line === undefined) return;
      yield line;
      first.next = await first.log.next();
    }
  } finally {
    await Promise.all(logs.map((log) => log.return()));
  }
}

/** The place in a log up to which it has been shown: several lines may have the same time. */
export class LogPosition {
  #time = "";
  #stamp = "";
  #linesAtTime = 0;

  /** The time from which to go on, as clusters take it; undefined before the first line. */
  get stamp(): string | undefined {
    return this.#stamp === "" ? undefined : this.#stamp;
  }

  moveTo({ time, stamp }: LogLine): void {
    this.#linesAtTime = time === this.#time ? this.#linesAtTime + 1 : 1;
    [this.#time, this.#stamp] = [time, stamp];
  }

  /** Lines that come again when a log is opened again from here are left out. */
  async *onlyNew(lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine, void, undefined> {
    const [time, shown] = [this.#time, this.#linesAtTime];
    let again = 0;
    for await (const line of lines) {
      if (line.time < time) continue;
      if (line.time === time && again < shown) {
        again += 1;
        continue;
      }
      yield line;
    }
  }
}
