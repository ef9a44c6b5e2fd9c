import { expect, it } from "vitest";

import { run } from "./program.ts";

async function bowline(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  let out = "";
  let error = "";
  const terminal = {
    out: (text: string) => void (out += text),
    error: (text: string) => void (error += text),
  };
  const code = await run(args, "1.2.3", terminal);
  return { code, out, error };
}

it("says what it is and how to go on", async () => {
  const { code, out } = await bowline();
  expect(code).toBe(0);
  expect(out).toMatch(/^Bowline 1\.2\.3: one control plane/);
  expect(out).toContain("npm test");
});

it("prints its version and its help", async () => {
  expect(await bowline("--version")).toEqual({ code: 0, out: "1.2.3\n", error: "" });
  const help = await bowline("--help");
  expect(help.code).toBe(0);
  expect(help.out).toContain("Examples:");
});

it.each([["--verson"], ["depoly"]])(
  "refuses %s with exit code 2 and the way to the help",
  async (argument) => {
    const { code, out, error } = await bowline(argument);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(error).toContain("error:");
    expect(error).toContain("bowline --help");
  },
);
