import { readFile, writeFile } from "node:fs/promises";

import { afterEach, beforeEach, expect, test } from "vitest";

import { TestHome } from "../testing/test-home.ts";

let home: TestHome;

beforeEach(async () => {
  home = await TestHome.create();
  await writeFile(
    home.configFile,
    `currentContext: prod
contexts:
  - {name: prod, server: "https://prod.example", token: bwl_s3cr3t}
  - {name: dev, server: "https://dev.example", tokenFile: /run/token}
  - {name: new, server: "https://new.example"}
`,
  );
});

afterEach(() => home[Symbol.asyncDispose]());

test("lists them, the current one with a star, and no token", async () => {
  const { out } = await home.run(["context", "list"]);
  expect(out).toBe(
    [
      "CURRENT   NAME   SERVER                 TOKEN",
      "*         prod   https://prod.example   saved",
      "          dev    https://dev.example    /run/token",
      "          new    https://new.example    none",
      "",
    ].join("\n"),
  );
  expect(await home.run(["context", "ls", "-o", "name"])).toMatchObject({ out: "prod\ndev\nnew\n" });
  const json = await home.run(["context", "list", "-o", "json"]);
  expect(JSON.parse(json.out)).toHaveLength(3);
  expect(json.out).not.toContain("bwl_s3cr3t");
});

test("shows one without its token", async () => {
  const { out } = await home.run(["context", "show"]);
  expect(out).toBe("name: prod\nserver: https://prod.example\ncurrent: true\ntoken: saved\n");
});

test("makes another one current", async () => {
  expect(await home.run(["context", "use", "dev"])).toMatchObject({
    code: 0,
    out: 'The current context is now "dev".\n',
  });
  expect(await readFile(home.configFile, "utf8")).toContain("currentContext: dev");
  expect(await home.run(["context", "use", "stage"])).toMatchObject({
    code: 1,
    error: 'error: There is no context "stage"; there are prod, dev, new.\n',
  });
});

test("renames and forgets them", async () => {
  expect(await home.run(["context", "rename", "prod", "live"])).toMatchObject({ code: 0 });
  expect(await home.run(["context", "rename", "dev", "live"])).toMatchObject({ code: 1 });
  expect(await home.run(["context", "rename", "dev", "a b"])).toMatchObject({ code: 2 });
  expect(await home.run(["context", "delete", "dev"])).toMatchObject({ code: 0 });
  expect(await home.run(["context", "list", "-o", "name"])).toMatchObject({ out: "live\nnew\n" });
  expect(await readFile(home.configFile, "utf8")).toContain("currentContext: live");
});
