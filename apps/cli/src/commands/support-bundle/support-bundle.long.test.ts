import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { expect, onTestFinished, test } from "vitest";

import { startRealServer } from "../../testing/real-server.ts";
import { runBowline, type Ran } from "../../testing/run-bowline.ts";
import { tempFolder } from "../../testing/server-client.ts";

/** Each place in which somebody keeps a secret has one of its own, so that a leak names its place. */
const canaries = {
  credential: "canary-credential-4711",
  environment: "canary-environment-4711",
  parameter: "canary-parameter-4711",
  argument: "canary-argument-4711",
  clusterParameter: "canary-cluster-parameter-4711",
  variable: "canary-variable-4711",
  annotation: "canary-annotation-4711",
  address: "canary-address-4711",
  webhook: "canary-webhook-4711",
  webhookSecret: "canary-webhook-secret-4711",
};

const manifests = `apiVersion: bowline.dev/v1
kind: Credential
metadata: { name: git }
spec: { type: opaque, data: { password: ${canaries.credential} } }
---
apiVersion: bowline.dev/v1
kind: Cluster
metadata: { name: prod, annotations: { note: ${canaries.annotation} } }
spec: {}
---
apiVersion: bowline.dev/v1
kind: Cluster
metadata: { name: made }
spec: { provider: exec, protect: true, exec: { command: make, args: ["--key=${canaries.argument}"] } }
---
apiVersion: bowline.dev/v1
kind: Cluster
metadata: { name: templated }
spec:
  provider: clusterapi
  clusterapi: { managementCluster: prod, template: { definition: web, parameters: { key: ${canaries.clusterParameter} } } }
---
apiVersion: bowline.dev/v1
kind: Cluster
metadata: { name: classy }
spec:
  provider: clusterapi
  clusterapi:
    managementCluster: prod
    topology: { class: quick, kubernetesVersion: 1.36.1, variables: { key: ${canaries.variable} } }
---
apiVersion: bowline.dev/v1
kind: WorkloadDefinition
metadata: { name: web }
spec:
  parameters: [{ name: key }]
  source:
    inline:
      manifests: |
        apiVersion: v1
        kind: Pod
        metadata: { name: web }
        spec: { containers: [{ name: a, image: b, env: [{ name: KEY, value: ${canaries.environment} }] }] }
---
apiVersion: bowline.dev/v1
kind: WorkloadInstance
metadata: { name: web }
spec: { definition: web, placement: { clusters: [prod] }, parameters: { key: ${canaries.parameter} }, paused: { reason: "see https://me:${canaries.address}@wiki.example.com/" } }
---
apiVersion: bowline.dev/v1
kind: GraphQuestion
metadata: { name: exposed }
spec:
  question: search
  parameters: { text: web }
  webhook: { url: "https://hooks.example.com/${canaries.webhook}", secret: ${canaries.webhookSecret} }
`;

test("a support bundle says much, and holds no secret, wherever somebody has put one", async () => {
  const data = await tempFolder();
  const server = await startRealServer(data);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const token = (await readFile(server.adminTokenFile, "utf8")).trim();
  const environment = {
    HOME: data,
    BOWLINE_SERVER: server.url,
    BOWLINE_TOKEN: token,
    BOWLINE_CA_FILE: join(data, "tls", "ca.crt"),
  };
  const bowline = (args: readonly string[], stdin = ""): Promise<Ran> =>
    runBowline(args, { environment, stdin });
  expect(await bowline(["apply", "-f", "-"], manifests)).toMatchObject({ code: 0, error: "" });
  const issued = (await bowline(["token", "create", "ci", "--role", "viewer"])).out.trim();
  expect(issued).toMatch(/^bwl_/u);
  const keys = (await readFile(join(data, "encryption.keys"), "utf8"))
    .split("\n")
    .filter((line) => /^[^#]/u.test(line));

  const file = join(data, "bundle.tar.gz");
  const made = await bowline(["support-bundle", file, "--data", data]);
  expect(made).toMatchObject({ code: 0, error: expect.stringContaining("Look at it before you send it") });
  for (const part of [
    "versions.json",
    "doctor.json",
    "settings.json",
    "events.json",
    "metrics.txt",
    "agents.json",
  ]) {
    expect(made.out).toContain(part);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = gunzipSync(await readFile(file)).toString();
  for (const [place, canary] of Object.entries(canaries)) {
    expect([place, text.includes(canary)]).toEqual([place, false]);
    expect([place, text.includes(Buffer.from(canary).toString("base64").slice(0, 20))]).toEqual([
      place,
      false,
    ]);
  }
  for (const secret of [token, issued, ...keys.map((line) => line.split(":")[1] ?? "none")]) {
    expect(text).not.toContain(secret);
  }
  // It is worth sending all the same.
  expect(text).toContain('"definition": "web"');
  expect(text).toContain('"name": "git"');
  expect(text).toContain('"exec.command": "make"');
  expect(text).toContain("bowline_build_info");
  expect(text).toContain('"database.url"');

  expect(await bowline(["support-bundle", file])).toMatchObject({ code: 1 });
  expect(await bowline(["support-bundle", file, "--force"])).toMatchObject({ code: 0 });
});

test("of a server that is dead there is what can be seen from outside", async () => {
  const folder = await tempFolder();
  const file = join(folder, "bundle.tar.gz");
  const environment = { HOME: folder, BOWLINE_SERVER: "http://127.0.0.1:9", BOWLINE_TOKEN: "bwl_token" };
  expect(await runBowline(["support-bundle", file], { environment })).toMatchObject({ code: 0 });
  const text = gunzipSync(await readFile(file)).toString();
  expect(text).toContain('"check": "connection"');
  expect(text).toContain("bowline-support/README.txt");
});
