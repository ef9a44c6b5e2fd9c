import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

/** A program that says what ends it. */
const program = `
  const { EndSignals } = await import(${JSON.stringify(new URL("end-signals.ts", import.meta.url).href)});
  const { systemClock } = await import("@bowline/core");
  const end = (signal) => { console.log(signal); process.exit(0); };
  process.once("SIGTERM", end);
  globalThis.signals = new EndSignals(systemClock, process.env);
  setInterval(() => {}, 60_000);
  console.log("pid", process.pid);
`;

/** As npm starts it: with a shell in between that waits for it. */
async function startBelowShell(environment: Readonly<Record<string, string>>) {
  const script = '"$0" --input-type=module -e "$1"; true';
  const shell = spawn("sh", ["-c", script, process.execPath, program], {
    env: { PATH: process.env["PATH"], ...environment },
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line]: unknown[] = await once(shell.stdout, "data");
  const pid = Number(String(line).replace("pid ", ""));
  return { shell, pid, out: text(shell.stdout) };
}

test("a process of npm ends with the shell that npm started it by", async () => {
  const { shell, out } = await startBelowShell({ npm_lifecycle_event: "start" });
  shell.kill("SIGKILL");
  expect(await out).toBe("SIGTERM\n");
});

test("a terminal that is closed ends it in order", async () => {
  const { pid, out } = await startBelowShell({});
  process.kill(pid, "SIGHUP");
  expect(await out).toBe("SIGTERM\n");
});
