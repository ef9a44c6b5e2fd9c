import type { Client } from "@bowline/client";
import { BowlineError, LinkedAbortController, type Clock } from "@bowline/core";

import { LogPosition, type LogLine } from "./log-lines.ts";
import { openLog, type LogQuery, type LogSource } from "./log-source.ts";
import type { LogWriter } from "./log-writer.ts";

interface FollowLogsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly writer: LogWriter;
  /** Looks for the containers that there are now, in the clusters that can be reached. */
  readonly find: () => Promise<readonly LogSource[]>;
  /** How to begin with a log that nothing was shown of. */
  readonly query: LogQuery;
  /** As many at once. */
  readonly maxLogs: number;
}

/** How long a new container may go unseen. */
const lookAgainMs = 2000;

/**
 * - `found`: to be opened as soon as there is room
 * - `open`: its lines are shown as they come
 * - `paused`: the connection ended before the container did; it is opened again from where it was
 * - `ended`: nothing comes any more
 */
interface FollowedLog {
  readonly source: LogSource;
  readonly position: LogPosition;
  state: "found" | "open" | "paused" | "ended";
  /** What was told last about it: the same again would help nobody. */
  problem: string | undefined;
}

/** Shows the lines of many logs as they are written, those of containers that are started later too. */
export class LogFollower {
  readonly #options: FollowLogsOptions;
  readonly #logs = new Map<string, FollowedLog>();
  #toldOfMore = false;

  constructor(options: FollowLogsOptions) {
    this.#options = options;
  }

  /** Has shown this line already, and goes on behind it. */
  shown(source: LogSource, line: LogLine): void {
    this.#log(source).position.moveTo(line);
  }

  /** Goes on until the signal aborts. */
  async follow(): Promise<never> {
    const { clock, find, signal } = this.#options;
    using ending = new LinkedAbortController(signal);
    try {
      for (;;) {
        this.#look(await find(), ending.signal);
        await clock.sleep(lookAgainMs, ending.signal);
      }
    } finally {
      ending.abort();
    }
  }

  #look(found: readonly LogSource[], signal: AbortSignal): void {
    const { writer, maxLogs } = this.#options;
    const now = new Map(found.map((source) => [source.key, source]));
    for (const [key, log] of this.#logs) {
      if (log.state !== "paused") continue;
      const current = now.get(key);
      if (current?.container.isRunning === true) continue;
      log.state = "ended";
      const why = current === undefined ? "is gone" : `has ended${withReason(current)}`;
      writer.note(`${log.source.label} ${why}`);
    }
    for (const source of found) {
      if (source.container.id === undefined) continue;
      const log = this.#log(source);
      if (log.state !== "found" && log.state !== "paused") continue;
      const open = [...this.#logs.values()].filter(({ state }) => state === "open").length;
      if (open < maxLogs) {
        void this.#open(log, signal);
      } else if (!this.#toldOfMore) {
        this.#toldOfMore = true;
        writer.note(
          `No more than ${maxLogs} logs are followed at once; the others follow as some of these end.`,
        );
      }
    }
  }

  #log(source: LogSource): FollowedLog {
    const known = this.#logs.get(source.key);
    if (known !== undefined) return known;
    const log: FollowedLog = { source, position: new LogPosition(), state: "found", problem: undefined };
    this.#logs.set(source.key, log);
    return log;
  }

  async #open(log: FollowedLog, signal: AbortSignal): Promise<void> {
    const { client, writer, query } = this.#options;
    const { source, position } = log;
    log.state = "open";
    const { stamp } = position;
    const from = stamp === undefined ? query : { sinceTime: stamp };
    try {
      const lines = openLog(client, source, { ...from, follow: true, signal });
      for await (const line of position.onlyNew(lines)) {
        position.moveTo(line);
        log.problem = undefined;
        writer.line(source, line);
      }
    } catch (thrown) {
      // It is opened again soon; only a person who waits for its lines has to know.
      const { message } = BowlineError.from(thrown);
      if (!signal.aborted && message !== log.problem) writer.note(`${source.label}: ${message}`);
      log.problem = message;
    }
    log.state = "paused";
  }
}

function withReason({ container }: LogSource): string {
  return container.reason === undefined ? "" : `: ${container.reason}`;
}
