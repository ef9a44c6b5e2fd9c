import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";

import { describe, expect, test } from "vitest";

import { attachProcessSignals, type SignalHost, type StopSignal } from "./process-signals.ts";

class FakeProcess extends EventEmitter implements SignalHost {
  readonly exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

function setup(): { host: FakeProcess; signals: StopSignal[]; detach: () => void } {
  const host = new FakeProcess();
  const signals: StopSignal[] = [];
  return { host, signals, detach: attachProcessSignals((signal) => void signals.push(signal), host) };
}

describe("attachProcessSignals", () => {
  test("the first signal is told, the second forces the exit", () => {
    const { host, signals } = setup();
    host.emit("SIGTERM", "SIGTERM");
    expect(signals).toEqual(["SIGTERM"]);
    expect(host.exits).toEqual([]);
    host.emit("SIGINT", "SIGINT");
    expect(signals).toEqual(["SIGTERM"]);
    expect(host.exits).toEqual([130]);
  });

  test("detaches both listeners", () => {
    const { host, detach, signals } = setup();
    detach();
    expect(host.eventNames()).toEqual([]);
    host.emit("SIGTERM", "SIGTERM");
    expect(signals).toEqual([]);
  });

  test("in a real process, a second SIGTERM ends a shutdown that hangs with 143", async () => {
    const program = `
      const { attachProcessSignals } = await import(${JSON.stringify(new URL("process-signals.ts", import.meta.url).href)});
      attachProcessSignals(() => console.log("stopping"), process);
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
