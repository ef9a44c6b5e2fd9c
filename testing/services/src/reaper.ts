import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Leftover, ReaperOrder } from "./reaper-order.ts";

let orders: Writable | undefined;
let lastId = 0;

/**
 * Has `leftover` removed when this process ends, however it ends: a thrown error, `process.exit()`, Ctrl-C, or SIGKILL
 * from a test runner that lost patience. The returned function takes the order back once the owner has cleaned up.
 *
 * Exit handlers do not run after SIGKILL and cannot wait for a child to die; PR_SET_PDEATHSIG (`setpriv --pdeathsig`)
 * exists on Linux only and removes no folders. So one small process of its own outlives this one: it learns of our end
 * from its standard input closing, which the kernel does in every case, and cleans up in reverse order.
 */
export function reapOnExit(leftover: Leftover): () => void {
  const id = ++lastId;
  send({ kind: "add", id, leftover });
  return () => send({ kind: "remove", id });
}

function send(order: ReaperOrder): void {
  orders ??= startReaper();
  orders.write(`${JSON.stringify(order)}\n`);
}

function startReaper(): Writable {
  const program = fileURLToPath(new URL("./reaper-main.ts", import.meta.url));
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  // Detached: Ctrl-C goes to the terminal's whole process group and must not end the reaper before its work.
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env,
  });
  const forget = (): void => {
    if (orders === child.stdin) orders = undefined;
  };
  child.once("exit", forget);
  child.once("error", forget);
  child.stdin.once("error", forget);
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return child.stdin;
}
