import { readFile } from "node:fs/promises";

import { createValidator, Diagnosis } from "@bowline/api";
import { expect, test } from "vitest";

import { send } from "../run/testing/https-request.ts";
import { startTestServer, tempFolder } from "../run/testing/start-test-server.ts";

test("a server tells admins what it knows of itself, without secrets", async () => {
  const data = await tempFolder();
  const server = await startTestServer({ "--data": data });
  const token = (await readFile(server.adminTokenFile, "utf8")).trim();
  const ca = await readFile(server.caFile ?? "", "utf8");
  const answer = await send(`${server.url}/api/v1/diagnosis`, { ca, token });
  expect(answer.status).toBe(200);
  const body: unknown = JSON.parse(answer.body);
  expect(createValidator(Diagnosis)(body)).toMatchObject({ ok: true });
  expect(body).toMatchObject({
    version: "1.2.3",
    certificate: { selfMade: true },
    database: { engine: "sqlite", pendingMigrations: [], unknownMigrations: [] },
    replicas: [],
    unknownWorkloads: [],
    clustersNotAsked: [],
  });
  expect(answer.body).not.toContain(token);
  const keys = await readFile(`${data}/encryption.keys`, "utf8");
  for (const line of keys.split("\n").filter((each) => /^[^#]/u.test(each))) {
    const [id = "", key = ""] = line.split(":");
    expect([answer.body.includes(id), answer.body.includes(key)]).toEqual([true, false]);
  }
});
