import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";

import { describe, expect, test } from "vitest";

import { attachProcessSignals, type SignalHost } from "./process-signals.ts";
import { Shutdown } from "./shutdown.ts";
import { ManualClock } from "./testing/manual-clock.ts";

class FakeProcess extends EventEmitter implements SignalHost {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

function setup(): { host: FakeProcess; shutdown: Shutdown; detach: () => void } {
  const host = new FakeProcess();
  const shutdown = new Shutdown({ clock: new ManualClock(), stepLimitMs: 100, totalLimitMs: 100 });
  return { host, shutdown, detach: attachProcessSignals(shutdown, host) };
}

describe("attachProcessSignals", () => {
  test("the first signal starts the shutdown, the second forces the exit", async () => {
    const { host, shutdown } = setup();
    host.emit("SIGTERM", "SIGTERM");
    await shutdown.finished();
    expect(host.exits).toEqual([]);
    host.emit("SIGINT", "SIGINT");
    expect(host.exits).toEqual([130]);
  });

  test("detaches both listeners", () => {
    const { host, detach, shutdown } = setup();
    detach();
    expect(host.eventNames()).toEqual([]);
    expect(shutdown.signal.aborted).toBe(false);
  });

  test("in a real process, a second SIGTERM ends a shutdown that hangs with 143", async () => {
    const program = `
      const { Shutdown } = await import(${JSON.stringify(new URL("shutdown.ts", import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL("system-clock.ts", import.meta.url).href)});
      const { attachProcessSignals } = await import(${JSON.stringify(new URL("process-signals.ts", import.meta.url).href)});
      const shutdown = new Shutdown({ clock: systemClock, stepLimitMs: 60_000, totalLimitMs: 60_000 });
      shutdown.add("hangs", () => { console.log("stopping"); return new Promise(() => {}); });
      attachProcessSignals(shutdown);
      setInterval(() => {}, 60_000);
      console.log("ready");
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const exited = once(child, "exit");
      for await (const line of createInterface({ input: child.stdout })) {
        expect(["ready", "stopping"]).toContain(line);
        child.kill("SIGTERM");
      }
      expect(await exited).toEqual([143, null]);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
