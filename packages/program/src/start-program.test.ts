import { BowlineError, createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { expect, test } from "vitest";

import { startProgram, type ProgramOptions, type ProgramShell } from "./start-program.ts";

interface Stage {
  readonly options: ProgramOptions;
  readonly stop: AbortController;
  readonly closed: string[];
  readonly lines: string[];
  /** Opens a port, and nothing else. */
  readonly open: (shell: ProgramShell) => Promise<{ port: number }>;
}

const plan = { drainTimeMs: 1_000, heap: {}, warnings: ["BOWLINE_LISTN is no setting."] };

function stage(): Stage {
  const [closed, lines]: string[][] = [[], []];
  const stop = new AbortController();
  const destination = { write: (line: string) => void lines?.push(JSON.parse(line).msg) };
  const logger = createLogger({ name: "test", level: "info", destination });
  return {
    options: { clock: new ManualClock(), random: Math.random, logger, version: "1.2.3", signal: stop.signal },
    stop,
    closed: closed ?? [],
    lines: lines ?? [],
    open: (shell) => {
      shell.shutdown.add("a port", () => void closed?.push("a port"));
      return Promise.resolve({ port: 7443 });
    },
  };
}

test("a program runs until the signal, and tells so", async () => {
  const { options, stop, closed, lines, open } = stage();
  const program = await startProgram(options, plan, open);
  expect(program.port).toBe(7443);
  expect([closed, lines]).toEqual([[], plan.warnings]);
  stop.abort();
  await program.ended;
  expect(closed).toEqual(["a port"]);
  expect(lines).toEqual([...plan.warnings, "Stopping", "Stopped"]);
});

test("a program that is closed ends, and those who open it know that it stops", async () => {
  const { options, open } = stage();
  let stopping: AbortSignal | undefined;
  const program = await startProgram(options, plan, (shell) => {
    stopping = shell.stopping;
    return open(shell);
  });
  expect(stopping?.aborted).toBe(false);
  await program.close();
  expect(stopping?.reason).toMatchObject({ message: "Shutting down: it was closed" });
  await program.ended;
});

test("a part that gives up takes the program with it, and is the reason", async () => {
  const { options, closed, open } = stage();
  let shell: ProgramShell | undefined;
  const program = await startProgram(options, plan, (given) => {
    shell = given;
    return open(given);
  });
  const why = new BowlineError("SupervisorGaveUp", "A controller gave up.");
  shell?.end(why);
  shell?.end(new BowlineError("Internal", "And another part after it."));
  await expect(program.ended).rejects.toBe(why);
  expect(closed).toEqual(["a port"]);
});

test("a program that has nothing left to do ends without a failure", async () => {
  const { options, closed, open } = stage();
  const program = await startProgram(options, plan, (shell) => {
    shell.end();
    return open(shell);
  });
  await program.ended;
  expect(closed).toEqual(["a port"]);
});

test("a program that cannot start leaves nothing open", async () => {
  const { options, closed, open } = stage();
  const why = new BowlineError("InvalidArgument", "The port is taken.");
  const start = startProgram(options, plan, async (shell) => {
    await open(shell);
    throw why;
  });
  await expect(start).rejects.toBe(why);
  expect(closed).toEqual(["a port"]);
});

test("a program that is given up while it starts says so, whatever fails then, and closes what was opened late", async () => {
  const { options, stop, closed, open } = stage();
  const why = new BowlineError("Cancelled", "Ctrl-C");
  const start = startProgram(options, plan, async (shell) => {
    stop.abort(why);
    expect(shell.stopping.aborted).toBe(true);
    await Promise.resolve();
    expect(closed).toEqual([]);
    await open(shell);
    throw new BowlineError("Internal", "torn down");
  });
  await expect(start).rejects.toBe(why);
  expect(closed).toEqual(["a port"]);
});

test("a program that is given up as it opens ends at once", async () => {
  const { options, stop, closed, open } = stage();
  const program = await startProgram(options, plan, (shell) => {
    stop.abort();
    return open(shell);
  });
  await program.ended;
  expect(closed).toEqual(["a port"]);
});

test("a program that was given up before it started opens nothing", async () => {
  const { options, stop } = stage();
  const why = new BowlineError("Cancelled", "Ctrl-C");
  stop.abort(why);
  const start = startProgram(options, plan, () => Promise.reject(new Error("It was opened.")));
  await expect(start).rejects.toBe(why);
});

test("a drain that hangs is left behind after the drain time and a little more", async () => {
  const { options, open } = stage();
  const clock = new ManualClock();
  const program = await startProgram({ ...options, clock }, plan, (shell) => {
    expect(shell.drainLimitMs).toBe(6_000);
    shell.shutdown.add("requests", () => new Promise<never>(() => {}), { limitMs: shell.drainLimitMs });
    return open(shell);
  });
  const closing = program.close().catch((error: unknown) => error);
  await clock.advance(6_000);
  expect(await closing).toMatchObject({ code: "ShutdownTimeout" });
  await expect(program.ended).rejects.toMatchObject({ code: "ShutdownTimeout" });
});
