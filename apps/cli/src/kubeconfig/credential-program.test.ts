import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { describe, expect, test } from "vitest";

import type { ConnectionChoice } from "../connection/choose-connection.ts";
import {
  credentialProgram,
  hasProgram,
  installedProgram,
  needsTokenVariable,
  programName,
  thisProgram,
} from "./credential-program.ts";

const server = "https://bowline.example.com";
const context = { name: "local", server, token: "bwl_own" };

describe("how kubectl asks for the token", () => {
  const from = (connection: Partial<ConnectionChoice>): readonly string[] =>
    credentialProgram(
      ["bowline"],
      { server, token: undefined, ca: undefined, context: undefined, ...connection },
      {},
    ).args;

  test("by the context, whichever is current then", () => {
    expect(from({ context, token: { value: "bwl_own" } })).toEqual(["credential", "--context", "local"]);
    const withFile = { name: "local", server, tokenFile: "/etc/token" };
    expect(from({ context: withFile, token: { file: "/etc/token" } })).toEqual([
      "credential",
      "--context",
      "local",
    ]);
  });

  test("by the server and the file, where a flag named one", () => {
    const flags = ["credential", "--server", server, "--token-file"];
    expect(from({ context, token: { file: "/run/token" } })).toEqual([...flags, "/run/token"]);
    expect(from({ token: { file: "token" } })).toEqual([...flags, join(process.cwd(), "token")]);
  });

  test("by the server alone, where the token was in the environment; the token is in none of them", () => {
    const connection = { server, ca: undefined, context, token: { value: "bwl_other" } };
    expect(from(connection)).toEqual(["credential", "--server", server]);
    expect(needsTokenVariable(connection)).toBe(true);
    expect(needsTokenVariable({ ...connection, token: { value: "bwl_own" } })).toBe(false);
  });

  test("with the file of contexts that this command used", () => {
    const connection = { server, ca: undefined, context, token: undefined };
    const { env } = credentialProgram(["bowline"], connection, { BOWLINE_CONFIG: "/etc/bowline.yaml" });
    expect(env).toEqual([{ name: "BOWLINE_CONFIG", value: "/etc/bowline.yaml" }]);
  });
});

test("bowline is called by name where it is installed, and by where it is otherwise", async () => {
  await using folder = await createTempFolder("path");
  const installed = join(folder.path, "bin");
  const fromNpm = join(folder.path, "node_modules", ".bin");
  for (const each of [installed, fromNpm]) {
    await mkdir(each, { recursive: true });
    await writeFile(join(each, "bowline"), "");
    await chmod(join(each, "bowline"), 0o755);
  }
  expect(await installedProgram({ PATH: `/nowhere:${installed}` })).toEqual(["bowline"]);
  expect(await installedProgram({ PATH: fromNpm })).toEqual(thisProgram);
  expect(await installedProgram({})).toEqual([process.execPath, expect.stringMatching(/main\.ts$/u)]);
});

test("it is called by name where it is installed, through npx in a checkout, and else by where it is", async () => {
  await using folder = await createTempFolder("program");
  const [installed, checkout] = [join(folder.path, "bin"), join(folder.path, "checkout")];
  for (const place of [installed, join(checkout, "node_modules", ".bin")]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "bowline"), "");
    await chmod(join(place, "bowline"), 0o755);
  }
  expect(await programName({ PATH: installed }, checkout)).toBe("bowline");
  expect(await programName({ PATH: "" }, checkout)).toBe("npx bowline");
  expect(await programName({}, folder.path)).toMatch(/^\/\S+ \/\S+main\.ts$/u);
  expect(await hasProgram("bowline", { PATH: `/nowhere:${installed}` })).toBe(true);
  expect(await hasProgram("bowline", { PATH: "/nowhere" })).toBe(false);
});
