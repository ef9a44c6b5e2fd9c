import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { changeConfig, configPath, readConfig } from "./config-file.ts";

let folder: string;
let path: string;
const environment = (): Record<string, string> => ({ BOWLINE_CONFIG: path });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bowline-config-"));
  path = join(folder, "deep", "config.yaml");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test.each([
  [{ BOWLINE_CONFIG: "/a.yaml", HOME: "/home/x" }, "/a.yaml"],
  [{ XDG_CONFIG_HOME: "/xdg", HOME: "/home/x" }, "/xdg/bowline/config.yaml"],
  [{ BOWLINE_CONFIG: "", XDG_CONFIG_HOME: "", HOME: "/home/x" }, "/home/x/.config/bowline/config.yaml"],
])("%j is %s", (given, expected) => {
  expect(configPath(given)).toBe(expected);
});

test("is made for its owner alone, and a file that is not there is empty", async () => {
  expect((await readConfig(environment())).contexts()).toEqual([]);
  await changeConfig(environment(), (config) => {
    config.put({ name: "prod", server: "https://prod.example", token: "t" });
    config.currentContext = "prod";
  });
  const config = await readConfig(environment());
  expect(config.currentContext).toBe("prod");
  expect(config.context("prod")).toEqual({
    name: "prod",
    server: "https://prod.example",
    token: "t",
    caPem: undefined,
    tokenFile: undefined,
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "deep"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, "deep"))).toEqual(["config.yaml"]);
});

test("keeps comments, and fields it does not know", async () => {
  await mkdir(join(folder, "deep"));
  const before = `# My servers
currentContext: prod
theme: dark # of a newer version
contexts:
  - name: prod
    server: https://prod.example
    token: old
    color: red
`;
  await writeFile(path, before, { mode: 0o644 });
  await changeConfig(environment(), (config) => {
    config.put({ name: "prod", server: "https://prod.example", token: "new" });
    config.rename("prod", "live");
  });
  expect(await readFile(path, "utf8")).toBe(
    before.replace("token: old", "token: new").replaceAll(/(name|currentContext): prod/g, "$1: live"),
  );
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("forgets a context, also as the current one", async () => {
  await changeConfig(environment(), (config) => {
    config.put({ name: "a", server: "https://a" });
    config.put({ name: "b", server: "https://b" });
    config.currentContext = "b";
  });
  await changeConfig(environment(), (config) => config.remove("b"));
  const config = await readConfig(environment());
  expect(config.contexts().map(({ name }) => name)).toEqual(["a"]);
  expect(config.currentContext).toBeUndefined();
});

test("changes the file behind a link, not the link", async () => {
  await mkdir(join(folder, "deep"));
  await writeFile(join(folder, "kept-in-git.yaml"), "");
  await symlink(join(folder, "kept-in-git.yaml"), path);
  await changeConfig(environment(), (config) => config.put({ name: "a", server: "https://a" }));
  expect(await readFile(join(folder, "kept-in-git.yaml"), "utf8")).toContain("name: a");
});

test("a change that fails leaves the file as it was, and nothing beside it", async () => {
  await changeConfig(environment(), (config) => config.put({ name: "a", server: "https://a" }));
  const before = await readFile(path, "utf8");
  const failing = changeConfig(environment(), () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await readFile(path, "utf8")).toBe(before);
  expect(await readdir(join(folder, "deep"))).toEqual(["config.yaml"]);
});

describe("a file that is not what it should be is named, with what is wrong", () => {
  test.each([
    ["contexts: [", "is not valid YAML"],
    ["- a", "should be a map"],
    ["contexts: prod", "are not a list"],
    ["contexts: [prod]", "contexts[0]"],
    ["contexts: [{server: x}]", "contexts[0].name"],
    ["contexts: [{name: 'a b', server: x}]", "contexts[0].name"],
    ["contexts: [{name: a}]", "contexts[0].server"],
    ["contexts: [{name: a, server: x, token: 5}]", "contexts[0].token"],
  ])("%s", async (text, problem) => {
    await mkdir(join(folder, "deep"));
    await writeFile(path, text);
    const reading = readConfig(environment()).then((config) => config.contexts());
    await expect(reading).rejects.toMatchObject({ code: "ConfigFileInvalid" });
    await expect(reading).rejects.toThrow(problem);
    await expect(reading).rejects.toThrow(path);
  });

  test("a folder", async () => {
    await mkdir(path, { recursive: true });
    await expect(readConfig(environment())).rejects.toMatchObject({ code: "ConfigFileInvalid" });
  });
});
