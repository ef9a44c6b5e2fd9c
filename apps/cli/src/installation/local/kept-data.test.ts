import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { openTarget } from "../open-target.ts";
import type { Target } from "../target.ts";
import { deleteData } from "./delete-data.ts";
import { newPhaseContext } from "../testing/phase-context.ts";

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "bowline-data-"));
});
afterEach(() => rm(data, { recursive: true }));

const ours = "services: { server: { labels: { bowline.dev/installation: i-1 } } }\n";

function open(service?: string): Promise<Target> {
  const flags = { data, ...(service === undefined ? {} : { service }) };
  return openTarget(fakeContext({ client: {} }), { name: "local", type: "local", flags, before: undefined });
}

test("data that compose left in its volume is gone on with, and taken away, by compose", async () => {
  expect((await open()).record).toMatchObject({ service: "process" });
  await writeFile(join(data, "compose.yaml"), "services: {}\n");
  expect((await open()).record).toMatchObject({ service: "process" });
  await writeFile(join(data, "compose.yaml"), ours);
  expect((await open()).record).toMatchObject({ service: "compose" });
});

test.each([
  ["process", "compose.yaml", /compose\.yaml says that compose ran a server here.*use --service compose/u],
  ["systemd", "compose.yaml", /compose\.yaml says that compose ran a server here.*use --service compose/u],
  ["compose", "bowline.db", /holds the database of a server that ran without compose/u],
])("%s does not begin anew beside %s", async (service, file, message) => {
  await writeFile(join(data, file), ours);
  const { preflight } = (await open(service)).phases;
  await expect(preflight(newPhaseContext("i"))).rejects.toThrow(message);
});

test("what others have in the data folder stays when the data goes", async () => {
  const theirs = [
    "git/shop/README.md",
    "tls/theirs.key",
    "render/scene",
    "secrets/admin/token",
    "secrets/theirs",
    "compose.yaml",
  ];
  const own = [
    "bowline.db",
    "bowline.db-wal",
    "encryption.keys",
    "tls/ca.crt",
    "git/repositories/a/b.git/HEAD",
  ];
  await write(...theirs, ...own);
  const left = ["compose.yaml", "git", "render", "secrets", "tls"];
  expect((await deleteData(data)).toSorted()).toEqual(left);
  expect(await filesIn(data)).toEqual(theirs.toSorted());
});

test("a token goes with the compose file that it was made for, and with the last thing the folder", async () => {
  await write(
    "bowline.db",
    "tls/server.pem",
    "git-12/render/x",
    "git/run/home/.gitconfig",
    "secrets/admin/token",
  );
  await writeFile(join(data, "compose.yaml"), ours);
  expect(await deleteData(data)).toEqual([]);
  await expect(readdir(data)).rejects.toMatchObject({ code: "ENOENT" });
  await mkdir(data);
});

test("nothing of a folder that no server ever had is deleted", async () => {
  const theirs = ["git/run/first", "secrets/admin/token", "tls/ca.crt", "tls/server.pem"];
  await write(...theirs);
  expect((await deleteData(data)).toSorted()).toEqual(["git", "secrets", "tls"]);
  expect(await filesIn(data)).toEqual(theirs);
});

async function write(...files: readonly string[]): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(data, file)), { recursive: true });
    await writeFile(join(data, file), "");
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
}
