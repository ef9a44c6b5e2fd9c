import { readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";

import { expect, onTestFinished, test } from "vitest";

import { readConfig } from "../../connection/config-file.ts";
import { TestHome } from "../../testing/test-home.ts";
import { addDemoContext } from "./demo-context.ts";

const access = { server: "https://127.0.0.1:7443", caPem: "PEM", tokenFile: "/folder/admin.token" };

async function home(config?: string): Promise<{ environment: { BOWLINE_CONFIG: string }; file: string }> {
  const own = await TestHome.create();
  onTestFinished(() => own[Symbol.asyncDispose]());
  if (config !== undefined) await writeFile(own.configFile, config);
  return { environment: { BOWLINE_CONFIG: own.configFile }, file: own.configFile };
}

test("who has no context has that of the demo for as long as it runs", async () => {
  const { environment, file } = await home();
  {
    await using context = await addDemoContext(environment, access);
    expect(context).toMatchObject({ name: "demo", isCurrent: true });
    expect((await readConfig(environment)).context("demo")).toMatchObject(access);
  }
  expect(existsSync(file)).toBe(false);
});

test("who has one keeps it, and every other line", async () => {
  const before =
    "currentContext: prod # mine\ncontexts:\n  - name: prod\n    server: https://bowline.example.com\n";
  const { environment, file } = await home(before);
  {
    await using context = await addDemoContext(environment, access);
    expect(context).toMatchObject({ name: "demo", isCurrent: false });
    expect((await readConfig(environment)).currentContext).toBe("prod");
  }
  expect(await readFile(file, "utf8")).toBe(before);
});

const entry = (name: string, tokenFile: string): string =>
  `  - name: ${name}\n    server: https://127.0.0.1:1\n    tokenFile: ${tokenFile}\n`;

test("a context of the same name stays, unless an earlier demo of this folder has left it", async () => {
  const { environment, file } = await home();
  await writeFile(file, `contexts:\n${entry("demo", file)}${entry("demo-2", access.tokenFile)}`);
  {
    await using context = await addDemoContext(environment, access);
    expect(context.name).toBe("demo-2");
    expect((await readConfig(environment)).context("demo-2")).toMatchObject(access);
  }
  expect((await readConfig(environment)).contexts().map(({ name }) => name)).toEqual(["demo"]);
});

test("what a demo has left whose folder is gone is taken over, and commands find the new one", async () => {
  const { environment } = await home(
    `currentContext: demo\ncontexts:\n${entry("demo", "/gone/admin.token")}`,
  );
  await using context = await addDemoContext(environment, access);
  expect(context).toMatchObject({ name: "demo", isCurrent: true });
  expect((await readConfig(environment)).context("demo")).toMatchObject(access);
});
