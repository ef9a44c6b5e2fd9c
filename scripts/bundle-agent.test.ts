import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";

import { bundleAgent } from "./bundle-agent.ts";

test("the agent is one folder that needs nothing but Node, and has no server in it", async () => {
  await using folder = await createTempFolder("bundle");
  await bundleAgent(folder.path);
  const dockerfile = readFileSync(new URL("../deploy/agent/Dockerfile", import.meta.url), "utf8");
  const [, entrypoint = "[]"] = /^ENTRYPOINT (.*)$/mu.exec(dockerfile) ?? [];
  const [command, file] = JSON.parse(entrypoint) as [string, string];
  expect(command).toBe("node");
  const bowline = (...args: string[]): string => {
    const argv = [file.replace(/^\/app/u, folder.path), ...args];
    // A home of its own: nothing of the machine's user, such as a context of a demo, is read.
    const env = { HOME: folder.path };
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: "/", encoding: "utf8", env });
    return `${status} ${stdout}${stderr}`;
  };
  const { version } = JSON.parse(
    readFileSync(new URL("../apps/cli/package.json", import.meta.url), "utf8"),
  ) as { version: string };
  expect(bowline("--version")).toBe(`0 ${version}\n`);
  expect(bowline("version")).toBe(`0 Client: ${version}\n`);
  expect(bowline("agent", "--help")).toMatch(/^0 [^]*--join-token-file/u);
  expect(bowline("help")).not.toMatch(/^ {2}(?:server|get) /mu);
  expect(bowline("server", "--data", "/data")).toBe(
    '2 error: This is the image of the agent, which has no command "server": it has agent, version and help.\n',
  );
  expect(bowline("help", "get")).toMatch(/^2 error: This is the image of the agent/u);
  const program = join(folder.path, "dist");
  expect(readdirSync(program).filter((name) => /[\u{100}-\u{10ffff}]/u.test(textOf(program, name)))).toEqual(
    [],
  );
  const folders = foldersIn(program);
  expect(folders.filter((name) => !name.startsWith("packages/"))).toEqual(["apps/agent", "apps/cli"]);
});

/** Of the workspace; the bundler writes above each part where it comes from. */
function foldersIn(program: string): string[] {
  const origins = readdirSync(program).flatMap((name) => {
    return Array.from(
      textOf(program, name).matchAll(/^\/\/ (?:\.\.\/)*((?:apps|packages|testing)\/[^/]+)\//gmu),
      ([, folder]) => folder,
    );
  });
  return [...new Set(origins.filter((folder) => folder !== undefined))].sort();
}

function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}
