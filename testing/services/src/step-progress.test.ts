import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { elapsedText, showStep, stepLine } from "./step-progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function collector(isTTY: boolean): { text: () => string; write: (text: string) => void; isTTY: boolean } {
  let all = "";
  return { isTTY, write: (text) => (all += text), text: () => all };
}

it("numbers the steps so that they line up", () => {
  expect(stepLine(3, 11, "Unpack it")).toBe("[ 3/11] Unpack it");
  expect(stepLine(11, 11, "Link etcd")).toBe("[11/11] Link etcd");
});

it.each([
  [400, "0 s"],
  [59_400, "59 s"],
  [59_600, "1 min 0 s"],
  [212_000, "3 min 32 s"],
])("shows %i ms as %s", (elapsedMs, text) => {
  expect(elapsedText(elapsedMs)).toBe(text);
});

it("writes one line into a log", async () => {
  const output = collector(false);
  expect(await showStep(output, "[1/1] Work", async () => 42)).toBe(42);
  expect(output.text()).toBe("[1/1] Work … done in 0 s\n");
});

it("says that a step failed", async () => {
  const output = collector(false);
  await expect(showStep(output, "Work", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(output.text()).toBe("Work … failed after 0 s\n");
});

it("ticks on a terminal, and stops ticking", async () => {
  const output = collector(true);
  const done = Promise.withResolvers<void>();
  const shown = showStep(output, "Work", () => done.promise);
  await vi.advanceTimersByTimeAsync(2000);
  done.resolve();
  await shown;
  await vi.advanceTimersByTimeAsync(5000);
  expect(output.text()).toBe("Work\rWork … 1 s\rWork … 2 s\rWork … done in 2 s\n");
});
