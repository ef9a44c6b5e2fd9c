/** The program behind `reapOnExit`: takes orders on standard input and carries them out when it closes. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { endProcessGroup } from "./process-group.ts";
import type { Leftover, ReaperOrder } from "./reaper-order.ts";

const graceMs = 3_000;
const commandTimeoutMs = 30_000;

const leftovers = new Map<number, Leftover>();
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as ReaperOrder;
  if (order.kind === "add") leftovers.set(order.id, order.leftover);
  else leftovers.delete(order.id);
}
// What was made last may stand on what was made first: a server on its folder, a kubelet on its API server.
for (const leftover of [...leftovers.values()].toReversed()) {
  // Nobody is left to tell of a failure; the next leftover is still worth the try.
  await remove(leftover).catch(() => undefined);
}

async function remove(leftover: Leftover): Promise<void> {
  if (leftover.kind === "process-group") {
    await endProcessGroup(leftover.pid, leftover.signal, graceMs);
  } else if (leftover.kind === "path") {
    await rm(leftover.path, { recursive: true, force: true, maxRetries: 5 });
  } else {
    const [program, ...args] = leftover.argv;
    await promisify(execFile)(program, args, { timeout: commandTimeoutMs });
  }
}
