import { expect, test } from "vitest";

import type { ConfigMap, ConfigValue } from "./config-value.ts";
import { emitYaml } from "./emit-yaml.ts";
import { readYaml } from "./read-yaml.ts";

function rewritten(text: string): string {
  const read = readYaml(text);
  if ("problem" in read) throw new Error(read.problem);
  return emitYaml(read.value as ConfigMap);
}

test("keeps plain scalars as they were written", () => {
  const text = "server_name: 1.10\nmodulus: 010\nenabled: yes\nnothing: null\n";
  expect(rewritten(text)).toBe(text);
});

test("resolves anchors and merges", () => {
  expect(rewritten("base: &base\n  a: 1\nused:\n  <<: *base\n  b: 2\n")).toBe(
    "base:\n  a: 1\nused:\n  a: 1\n  b: 2\n",
  );
});

test("says which line is wrong, and does not quote it", () => {
  expect(readYaml("a: 1\nb: [secret")).toEqual({
    problem: expect.stringMatching(/^line 2 is no valid YAML \(\w+\)$/u),
  });
});

test("does not unfold aliases without end", () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`);
  }
  expect(readYaml(lines.join("\n"))).toEqual({ problem: "it has more than 200000 values" });
});

test("does not follow an alias into itself", () => {
  const read: { value?: ConfigValue; problem?: string } = readYaml("a: &a [*a]");
  expect(read.problem).toBe("it is nested deeper than 64 levels");
});
