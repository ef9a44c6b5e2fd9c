import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { fakeContext } from "../../testing/fake-context.ts";
import { writeDemoKubeconfig } from "./demo.ts";

test("kubectl that is not told a context asks the first cluster", async () => {
  await using folder = await createTempFolder("demo-kubeconfig");
  const path = join(folder.path, "kubeconfig");
  const entry = { name: "demo", server: "https://127.0.0.1:7443", tokenFile: "/demo/admin.token" };
  await writeDemoKubeconfig(fakeContext({ client: {} }), path, { entry, clusters: ["edge", "cloud"] });
  expect(parse(await readFile(path, "utf8"))).toMatchObject({
    "current-context": "bowline-edge",
    contexts: [{ name: "bowline-edge" }, { name: "bowline-cloud" }],
  });
});

/** A program that says what ends it. */
const program = `
  const { EndSignals } = await import(${JSON.stringify(new URL("demo.ts", import.meta.url).href)});
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
