import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
  await mkdir(join(data, "secrets/admin"), { recursive: true });
  for (const file of ["bowline.db", "secrets/admin/token", "secrets/theirs", "compose.yaml"]) {
    await writeFile(join(data, file), "");
  }
  expect((await deleteData(data)).toSorted()).toEqual(["compose.yaml", "secrets"]);
  expect(await readdir(join(data, "secrets"))).toEqual(["theirs"]);
  await rm(join(data, "secrets/theirs"));
  await writeFile(join(data, "compose.yaml"), ours);
  expect(await deleteData(data)).toEqual([]);
  await expect(readdir(data)).rejects.toMatchObject({ code: "ENOENT" });
  await mkdir(data);
});
