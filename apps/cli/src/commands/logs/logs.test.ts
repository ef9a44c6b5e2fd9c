import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { PodsBehindServer } from "../../testing/pods-behind-server.ts";
import { runBowline, type Ran } from "../../testing/run-bowline.ts";

const at = (seconds: number, fraction: string, text: string): string =>
  `2026-01-01T00:00:${String(seconds).padStart(2, "0")}.${fraction}Z ${text}`;

const running = { running: {} };

let server: PodsBehindServer;
beforeEach(async () => {
  server = await PodsBehindServer.start("east", "west");
});
afterEach(() => server[Symbol.asyncDispose]());

function logs(...args: readonly string[]): Promise<Ran> {
  return runBowline(["logs", ...args], { environment: server.environment });
}

describe("logs", () => {
  test("of all clusters are merged by time, each line with where it is from", async () => {
    // Zeros at the end of a fraction are left out: .5 is after .123 and before .51.
    server.set("east", "a", "app", {
      id: "1",
      state: running,
      lines: [at(1, "123", "one"), at(1, "51", "three")],
    });
    server.set("west", "b", "app", {
      id: "2",
      state: running,
      lines: [at(1, "5", "two"), at(3, "0", "five")],
    });
    server.set("west", "b", "side", { id: "3", state: running, lines: [at(2, "0", "four")] });
    expect(await logs("wi/web", "--all-clusters")).toMatchObject({
      code: 0,
      out: [
        "[east/a/app] one",
        "[west/b/app] two",
        "[east/a/app] three",
        "[west/b/side] four",
        "[west/b/app] five",
        "",
      ].join("\n"),
      error: "",
    });
    expect(await logs("web", "--cluster", "west", "-c", "side", "--no-prefix", "--timestamps")).toMatchObject(
      {
        code: 0,
        out: "2026-01-01T00:00:02.0Z four\n",
      },
    );
    expect(await logs("web", "--cluster", "west", "--tail", "1")).toMatchObject({
      out: "[west/b/side] four\n[west/b/app] five\n",
    });
    await logs("web", "--cluster", "east", "--since", "90s");
    expect(server.requests.at(-1)).toContain("sinceSeconds=90");
  });

  test("are safe for a terminal, and for a program as they were written", async () => {
    server.set("east", "a", "app", {
      id: "1",
      state: running,
      lines: [at(1, "1", "\u001B[31mred\u001B[0m\u0007")],
    });
    const piped = await logs("web", "--cluster", "east");
    expect(piped.out).toBe("[east/a/app] \u001B[31mred\u001B[0m\u0007\n");
    const terminal = new FakeTerminal({ isTty: true });
    await runBowline(["logs", "web", "--cluster", "east", "--color", "never"], {
      environment: server.environment,
      terminal,
    });
    expect(terminal.written).toBe(String.raw`[east/a/app] red\u0007`.concat("\n"));
  });

  test("of a container that was started again, or has not been started", async () => {
    const previous = [at(1, "1", "panic")];
    server.set("east", "a", "app", { id: "2", state: running, restartCount: 1, lines: [], previous });
    server.set("east", "b", "app", { id: "", state: { waiting: { reason: "ImagePullBackOff" } }, lines: [] });
    expect(await logs("web", "--cluster", "east", "--previous")).toMatchObject({
      code: 0,
      out: "[east/a/app] panic\n",
      error: "",
    });
    expect(await logs("web", "--cluster", "east")).toMatchObject({
      code: 0,
      out: "",
      error: "east/b/app has not started: ImagePullBackOff\n",
    });
    expect(await logs("web", "--cluster", "west")).toMatchObject({
      code: 0,
      error: "workloadinstance/web has no pods here.\n",
    });
  });

  test("of one cluster are shown while another cannot be reached, and the command fails", async () => {
    server.set("east", "a", "app", { id: "1", state: running, lines: [at(1, "1", "here")] });
    server.offline.add("west");
    expect(await logs("web", "--all-clusters")).toMatchObject({
      code: 1,
      out: "[east/a/app] here\n",
      error: "error: west: The agent is not there.\n",
    });
  });

  test.each([
    [["web"], 2, "is in several clusters: east, west. Choose one with --cluster"],
    [["web", "--cluster", "esat"], 1, "is not in the cluster esat; did you mean «east»?"],
    [["web", "--cluster", "east", "-f", "--previous"], 2, "give -f or --previous"],
    [["web", "--cluster", "east", "--all-clusters"], 2, "--all-clusters"],
    [["cluster/a"], 2, "is no workload instance"],
  ])("refuses %j", async (args, code, message) => {
    const ran = await logs(...args);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(message);
  });

  test("refuses to merge more than it has connections for", async () => {
    for (let pod = 0; pod < 51; pod += 1) {
      server.set("east", `p${pod}`, "app", { id: `${pod}`, state: running, lines: [] });
    }
    expect((await logs("web", "--cluster", "east")).error).toContain(
      "There are 51 logs, and 50 can be merged",
    );
  });
});

interface Following {
  readonly terminal: FakeTerminal;
  readonly clock: ManualClock;
  readonly stop: () => Promise<Ran>;
  readonly lookAgain: () => Promise<void>;
}

function follow(...args: readonly string[]): Following {
  const terminal = new FakeTerminal();
  const clock = new ManualClock();
  const stopping = new AbortController();
  const ran = runBowline(["logs", "web", "-f", ...args], {
    environment: server.environment,
    terminal,
    clock,
    signal: stopping.signal,
  });
  return {
    terminal,
    clock,
    stop: () => {
      stopping.abort();
      return ran;
    },
    lookAgain: async () => {
      await clock.armed(2000);
      await clock.advance(2000);
    },
  };
}

describe("logs that are followed", () => {
  test("go on behind what was shown, without a gap and nothing twice", async () => {
    const lines = [at(1, "1", "old"), at(1, "2", "same"), at(1, "2", "time")];
    server.set("east", "a", "app", { id: "1", state: running, lines });
    const { terminal, stop, lookAgain } = follow("--cluster", "east");
    await expect.poll(() => server.followed).toBe(1);
    server.write("east", "a", "app", at(1, "2", "too"));
    await terminal.wrote("too\n");
    server.endLog("east", "a", "app", "break");
    await expect
      .poll(() => terminal.errors)
      .toBe("east/a/app: The connection was lost before the log was read to its end.\n");
    server.write("east", "a", "app", at(4, "0", "meanwhile"));
    await lookAgain();
    await terminal.wrote("meanwhile\n");
    expect(terminal.written).toBe(
      ["old", "same", "time", "too", "meanwhile", ""]
        .map((text) => text && `[east/a/app] ${text}`)
        .join("\n"),
    );
    expect((await stop()).code).toBe(130);
    await expect.poll(() => server.followed).toBe(0);
  });

  test("pick up pods that are started later, and tell of those that end", async () => {
    server.set("east", "a", "app", { id: "1", state: running, lines: [at(1, "1", "first")] });
    const { terminal, stop, lookAgain } = follow("--all-clusters");
    await expect.poll(() => server.followed).toBe(1);
    server.set("west", "b", "app", { id: "2", state: running, lines: [at(2, "1", "second")] });
    await lookAgain();
    await terminal.wrote("[west/b/app] second\n");
    server.set("west", "b", "app", {
      id: "2",
      state: { terminated: { reason: "Error", exitCode: 3 } },
      lines: [],
    });
    server.endLog("west", "b", "app", "end");
    server.delete("east", "a");
    server.endLog("east", "a", "app", "end");
    await expect.poll(() => server.followed).toBe(0);
    await lookAgain();
    await expect
      .poll(() => terminal.errors)
      .toBe("east/a/app is gone\nwest/b/app has ended: Error, exit code 3\n");
    // The same container, started again, is another log.
    server.set("west", "b", "app", {
      id: "3",
      state: running,
      restartCount: 1,
      lines: [at(5, "1", "again")],
    });
    await lookAgain();
    await terminal.wrote("[west/b/app] again\n");
    await stop();
  });

  test("wait for a cluster that comes back", async () => {
    server.offline.add("east");
    server.set("east", "a", "app", { id: "1", state: running, lines: [at(1, "1", "back")] });
    const { terminal, stop, lookAgain } = follow("--cluster", "east");
    await lookAgain();
    expect(terminal.errors).toContain("error: east: The agent is not there.\n");
    server.offline.clear();
    await lookAgain();
    await terminal.wrote("[east/a/app] back\n");
    expect(terminal.errors.match(/is not there/gu)).toHaveLength(1);
    await stop();
  });
});
