import { describe, expect, it } from "vitest";

import { runBowline } from "../testing/run-bowline.ts";

describe("bowline alone", () => {
  it("shows the commands in groups", async () => {
    const { code, out, error } = await runBowline([]);
    expect(code).toBe(0);
    expect(error).toBe("");
    expect(out).toMatch(/^Usage: bowline COMMAND/);
    expect(out).toMatch(/Connect to servers:\n +login /);
    expect(out).toContain("Examples:\n  # Sign in to a server\n  bowline login https://");
  });

  it("prints its version", async () => {
    expect(await runBowline(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n", error: "" });
  });
});

describe("help", () => {
  it.each([
    ["help", "login"],
    ["login", "--help"],
    ["--verbose", "login", "-h"],
  ])("shows a command in full with %s %s", async (...args) => {
    const { code, out } = await runBowline(args);
    expect(code).toBe(0);
    expect(out).toContain("Usage: bowline login [FLAGS] [URL]");
    expect(out).toContain("--ca-fingerprint");
    expect(out).toContain("\nGlobal flags:\n");
    expect(out).toContain("Examples:");
  });
});

it("shows help for a command of a command", async () => {
  const { code, out } = await runBowline(["help", "token", "create"]);
  expect(code).toBe(0);
  expect(out).toContain("Usage: bowline token create [FLAGS] <NAME>");
});

describe("what is wrong with a command line", () => {
  it.each([
    [["frobnicate"], 'unknown command "frobnicate".', "bowline --help"],
    [["whoamy"], 'unknown command "whoamy". Did you mean "whoami"?', "bowline --help"],
    [["context", "lsit"], 'unknown command "lsit". Did you mean "list"?', "bowline context --help"],
    [["help", "whoamy"], 'unknown command "whoamy". Did you mean "whoami"?', "bowline --help"],
    [["--verson"], 'unknown option "--verson". Did you mean "--version"?', "bowline --help"],
    [
      ["whoami", "--otuput", "json"],
      'unknown option "--otuput". Did you mean "--output"?',
      "bowline whoami --help",
    ],
    [
      ["kubectl", "prod", "get", "pods", "-A"],
      'unknown option "-A". What is passed on comes after --: bowline kubectl NAME -- ARGUMENTS...',
      "bowline kubectl --help",
    ],
    [
      ["whoami", "extra"],
      'too many arguments for "whoami". Expected 0 arguments but got 1: extra.',
      "bowline whoami --help",
    ],
  ])("%j", async (args, sentence, usage) => {
    expect(await runBowline(args)).toMatchObject({
      code: 2,
      out: "",
      error: `error: ${sentence}\nRun "${usage}" for usage.\n`,
    });
  });

  it.each(["get", "describe", "wait --for delete", "delete"])(
    "%s of nothing names the kinds",
    async (line) => {
      const { code, error } = await runBowline(line.split(" "));
      expect(code).toBe(2);
      expect(error).toMatch(/^error: Say which kind: clusters, .*, or all\.\n/);
    },
  );

  it("does not take a token from the command line, and does not repeat it", async () => {
    const { code, error } = await runBowline(["whoami", "--token", "bwl_secret"]);
    expect(code).toBe(2);
    expect(error).toContain("--token-file");
    expect(error).not.toContain("bwl_secret");
  });
});
