import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";

import { createTempFolder } from "@bowline/test-services";
import type { LightMyRequestResponse } from "fastify";
import { expect, onTestFinished, test } from "vitest";

import { type Access, bootstrapAdmin } from "@bowline/auth";
import { LocalIssuer } from "@bowline/auth/testing";
import { openTestApi } from "../testing/test-api.ts";

test("no secret is in any log line, error, answer, record or file, whatever happens to it", async () => {
  const [data, database] = [await createTempFolder("canary"), await createTempFolder("canary")];
  onTestFinished(() => data[Symbol.asyncDispose]());
  onTestFinished(() => database[Symbol.asyncDispose]());
  const issuer = await LocalIssuer.start();
  const oidc = issuer.settings({ defaultRole: "viewer" });
  const api = await openTestApi({
    oidc,
    database: { type: "sqlite", file: join(database.path, "bowline.db") },
  });
  const { app, store, access, logLines, request } = api;

  const first = await bootstrapAdmin({ store, folder: data.path });
  const admin = first?.secret ?? "";
  const jwt = await issuer.sign();
  const forged = `${jwt.slice(0, -8)}AAAAAAAA`;
  const secrets = [admin, jwt, forged, `${admin.slice(0, -1)}_`];
  const seen: string[] = [];
  const keep = (answer: LightMyRequestResponse): LightMyRequestResponse => {
    seen.push(JSON.stringify(answer.headers), answer.body);
    return answer;
  };

  // The one place where a secret belongs.
  const body = { metadata: { name: "ci" }, spec: { user: "admin", role: "viewer" } };
  const headers = { "idempotency-key": "once" };
  const created = await request("POST", "/api/v1/tokens", { secret: admin, body, headers });
  expect(created.statusCode).toBe(201);
  const issued: string = created.json().status.secret;
  expect(issued).toMatch(/^bwl_/u);
  const repeated = await request("POST", "/api/v1/tokens", { secret: admin, body, headers });
  expect(repeated.json().status.secret).toBe(issued);
  secrets.push(issued);

  for (const secret of [...secrets, "bwl_", "e30.e30.e30"]) {
    for (const url of [
      "/api/v1/tokens",
      "/api/v1/tokens/ci",
      "/api/v1/users/admin",
      "/api/v1/whoami",
      "/nowhere",
    ])
      keep(await request("GET", url, { secret }));
    keep(await request("POST", "/api/v1/login", { secret }));
    keep(await request("PUT", "/api/v1/clusters/a/status", { secret, body: { status: {} } }));
    keep(
      await request("POST", "/api/v1/tokens", {
        secret,
        body: { metadata: { name: "ci" }, spec: { user: "admin" } },
      }),
    );
    keep(await request("GET", "/api/v1/whoami", { headers: { authorization: `Basic ${secret}` } }));
    keep(
      await request("GET", "/api/v1/whoami", { headers: { authorization: `Bearer ${secret} ${secret}` } }),
    );
  }
  keep(await request("POST", "/api/v1/tokens/ci/revoke", { secret: issued }));
  keep(await request("GET", "/api/v1/whoami", { secret: issued }));
  issuer.behaviour = "down";
  keep(await request("GET", "/api/v1/whoami", { secret: jwt }));
  for (const secret of secrets)
    seen.push(inspect(await failureOf(access, secret), { depth: 20, showHidden: true }));
  expect(seen.length).toBeGreaterThan(100);

  await app.close();
  await access.close();
  const records = await store.audit.list({ limit: 500 });
  expect(records.items.length).toBeGreaterThan(5);
  const changes = await store.changes.read({ after: 0 });
  await store.close();
  const files = await Promise.all(
    (await readdir(database.path)).map((name) => readFile(join(database.path, name), "latin1")),
  );
  expect(files.join("").length).toBeGreaterThan(10_000);

  const places: Record<string, string> = {
    "log lines": logLines.join("\n"),
    answers: seen.join("\n"),
    "audit records": JSON.stringify(records),
    "changes of objects": changes.items.map(({ json }) => json).join("\n"),
    "the database": files.join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    for (const [index, secret] of secrets.entries()) {
      // Also not a part of it: more than the prefix that is there to tell tokens apart.
      for (const part of [secret, secret.slice(0, 24), secret.slice(-24)])
        expect([place, index, text.includes(part)]).toEqual([place, index, false]);
    }
  }
});

/** An error as somebody may show it, with everything that hangs on to it. */
async function failureOf(access: Access, secret: string): Promise<unknown> {
  try {
    return await access.authenticate(`Bearer ${secret}`);
  } catch (error) {
    return error;
  }
}
