import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

import type { SecretTraces } from "./secret-traces.ts";

const everyMs = 200;

export interface ProcessWatch extends AsyncDisposable {
  /** How often the program was seen that is given secrets, with them in its environment. */
  readonly seen: number;
}

/** Looks at the arguments and the environment of all processes of this machine, again and again. */
export function watchProcesses(traces: SecretTraces, allowed: string): ProcessWatch {
  const stop = new AbortController();
  let seen = 0;
  const look = async (pid: string): Promise<void> => {
    // The arguments on both sides: the program may begin, or end, just then.
    const before = await read(`/proc/${pid}/cmdline`);
    const environment = await read(`/proc/${pid}/environ`);
    const args = Buffer.concat([before, await read(`/proc/${pid}/cmdline`)]);
    traces.search("arguments of a process", args);
    if (!args.includes(allowed)) traces.search("environment of a process", environment);
    else if (traces.in(environment).length > 0) seen += 1;
  };
  const watching = (async () => {
    while (!stop.signal.aborted) {
      const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
      await Promise.all(pids.map(look));
      await setTimeout(everyMs);
    }
  })();
  return {
    get seen() {
      return seen;
    },
    [Symbol.asyncDispose]: () => {
      stop.abort();
      return watching;
    },
  };
}

/** A process may end while it is looked at. */
function read(path: string): Promise<Buffer> {
  return readFile(path).catch(() => Buffer.alloc(0));
}
