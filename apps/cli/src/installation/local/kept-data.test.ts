import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { fakeContext } from "../../testing/fake-context.ts";
import { openTarget } from "../open-target.ts";
import type { Target } from "../target.ts";
import { newPhaseContext } from "../testing/phase-context.ts";

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "bowline-data-"));
});
afterEach(() => rm(data, { recursive: true }));

function open(service?: string): Promise<Target> {
  const flags = { data, ...(service === undefined ? {} : { service }) };
  return openTarget(fakeContext({ client: {} }), { name: "local", type: "local", flags, before: undefined });
}

test("data that compose left in its volume is gone on with, and taken away, by compose", async () => {
  expect((await open()).record).toMatchObject({ service: "process" });
  await writeFile(join(data, "compose.yaml"), "services: {}\n");
  expect((await open()).record).toMatchObject({ service: "compose" });
});

test.each([
  ["process", "compose.yaml", /compose\.yaml says that compose ran a server here.*use --service compose/u],
  ["systemd", "compose.yaml", /compose\.yaml says that compose ran a server here.*use --service compose/u],
  ["compose", "bowline.db", /holds the database of a server that ran without compose/u],
])("%s does not begin anew beside %s", async (service, file, message) => {
  await writeFile(join(data, file), "");
  const { preflight } = (await open(service)).phases;
  await expect(preflight(newPhaseContext("i"))).rejects.toThrow(message);
});
