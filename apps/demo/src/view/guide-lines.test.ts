import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { wrapCommand } from "./guide-lines.ts";

const command =
  'printf %s, kubectl --context bowline-edge -H "Authorization: Bearer $(printf token)" get pods -A';

test.each([200, 95, 60, 40, 10])("in %i columns, a shell reads the same command", (columns) => {
  const run = (script: string): string => execFileSync("sh", ["-c", script], { encoding: "utf8" });
  const lines = wrapCommand(command, columns);
  expect(run(lines.join("\n"))).toBe(run(command));
});

test("lines fit, but for words that cannot", () => {
  expect(wrapCommand(command, 40)).toEqual([
    "printf %s, kubectl --context \\",
    "  bowline-edge -H \\",
    '  "Authorization: Bearer $(printf token)" \\',
    "  get pods -A",
  ]);
  expect(wrapCommand("kubectl get pods", 16)).toEqual(["kubectl get pods"]);
});
