import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestAuthority } from "@bowline/test-services/certificates";
import { sendJson, testConnection, TestServer, textOfBody } from "../testing/test-server.ts";
import { connect } from "../transport/connect.ts";
import type { TLSSocket } from "node:tls";
import type { ExecPlugin } from "./cluster-connection.ts";
import { ExecCredentials, type ExecEnvironment } from "./exec-credentials.ts";

const v1 = "client.authentication.k8s.io/v1";
let directory: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "exec-plugin-"));
  cleanups.push(() => rm(directory, { recursive: true }));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A real program that counts its runs in a file and then does what the test says. */
async function plugin(script: string, parts: Partial<ExecPlugin> = {}): Promise<ExecPlugin> {
  const command = join(directory, "login");
  const source = [
    `#!${process.execPath}`,
    'const fs = require("node:fs");',
    `fs.appendFileSync(${JSON.stringify(join(directory, "runs"))}, "x");`,
    `const run = fs.statSync(${JSON.stringify(join(directory, "runs"))}).size;`,
    `const give = (status) => console.log(JSON.stringify({ kind: "ExecCredential", apiVersion: "${v1}", status }));`,
    script,
  ];
  await writeFile(command, source.join("\n"));
  await chmod(command, 0o755);
  return {
    apiVersion: v1,
    command,
    args: [],
    env: {},
    interactiveMode: "Never",
    provideClusterInfo: false,
    ...parts,
  };
}

const runs = async (): Promise<number> => (await readFile(join(directory, "runs"))).length;

function credentials(
  source: ExecPlugin,
  { clock = new ManualClock(), ...environment }: Partial<ExecEnvironment & { clock: ManualClock }> = {},
): ExecCredentials {
  const created = new ExecCredentials(
    source,
    testConnection("https://api:6443", { user: "deputy", ca: { pem: "PEM" } }),
    {
      env: { PATH: process.env["PATH"] },
      interactive: false,
      timeoutMs: 20_000,
      clock,
      ...environment,
    },
  );
  cleanups.push(() => Promise.resolve(created.close()));
  return created;
}

describe("running the plugin", () => {
  it("runs it once for all who wait, and keeps the credential until it expires", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
    const source = await plugin('give({ token: "t" + run, expirationTimestamp: "2026-01-01T01:00:00Z" });');
    const exec = credentials(source, { clock });
    const many = await Promise.all([exec.current(), exec.current(), exec.current()]);
    expect(many.map((each) => each.authorization)).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
    await clock.advance(3_580_000);
    expect((await exec.current()).authorization).toBe("Bearer t1");
    await clock.advance(15_000);
    expect((await exec.current()).authorization).toBe("Bearer t2");
    expect(await runs()).toBe(2);
  });

  it("uses what a plugin issued too late for a moment, instead of running it for every request", async () => {
    const clock = new ManualClock(Date.parse("2026-01-01T00:00:00Z"));
    const source = await plugin('give({ token: "t" + run, expirationTimestamp: "2025-12-31T00:00:00Z" });');
    const exec = credentials(source, { clock });
    expect((await exec.current()).authorization).toBe("Bearer t1");
    expect((await exec.current()).authorization).toBe("Bearer t1");
    await clock.advance(5_000);
    expect((await exec.current()).authorization).toBe("Bearer t2");
  });

  it("passes arguments, environment and what it should know about the cluster", async () => {
    const source = await plugin(
      'give({ token: Buffer.from(JSON.stringify([process.argv.slice(2), process.env.PROFILE, process.env.SECRET, process.env.KUBERNETES_EXEC_INFO])).toString("base64url") });',
      {
        args: ["--for", "a b"],
        env: { PROFILE: "dev" },
        provideClusterInfo: true,
        clusterConfig: { audience: "x" },
      },
    );
    const { authorization = "" } = await credentials(source).current();
    const [argv, profile, secret, info] = JSON.parse(
      Buffer.from(authorization.slice("Bearer ".length), "base64url").toString(),
    ) as [string[], string, null, string];
    expect(argv).toEqual(["--for", "a b"]);
    expect(profile).toBe("dev");
    expect(secret).toBeNull();
    expect(JSON.parse(info)).toEqual({
      kind: "ExecCredential",
      apiVersion: v1,
      spec: {
        interactive: false,
        cluster: {
          server: "https://api:6443",
          "insecure-skip-tls-verify": false,
          "certificate-authority-data": Buffer.from("PEM").toString("base64"),
          config: { audience: "x" },
        },
      },
    });
  });

  it("says which program is missing and how to get it", async () => {
    const source: ExecPlugin = {
      ...(await plugin("")),
      command: "no-such-login-program",
      installHint: "Run `brew install login`.",
    };
    await expect(credentials(source).current()).rejects.toMatchObject({
      code: "ExecPluginMissing",
      message:
        'The user "deputy" needs the program "no-such-login-program" for its credentials, and it is not installed: ' +
        "Run `brew install login`.",
    });
  });

  it.each([
    [
      "fails",
      'console.error("please log in first"); process.exit(3);',
      "ended with 3 and said: please log in first.",
    ],
    ["prints no JSON", 'console.log("s3cret");', "did not print JSON."],
    [
      "prints another kind",
      'console.log(JSON.stringify({ kind: "Token" }));',
      "did not print an ExecCredential of",
    ],
    ["prints nothing useful", "give({});", "printed neither a token nor a certificate."],
    ["prints half a pair", 'give({ clientKeyData: "x" });', "without the other."],
    ["prints a bad date", 'give({ token: "x", expirationTimestamp: "soon" });', "that is not a time."],
    [
      "prints without end",
      'for (;;) fs.writeSync(1, "x".repeat(65536));',
      "printed more than 1048576 bytes.",
    ],
  ])("reports a plugin that %s", async (_case, script, says) => {
    const failure = credentials(await plugin(script)).current();
    await expect(failure).rejects.toMatchObject({
      code: "ExecPluginFailed",
      message: expect.stringContaining(says),
    });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("s3cret") });
  });

  it("kills a plugin that does not end, and one whose owner closes", async () => {
    const source = await plugin("setInterval(() => {}, 1000);");
    await expect(credentials(source, { timeoutMs: 300 }).current()).rejects.toMatchObject({
      code: "ExecPluginFailed",
      message: expect.stringContaining("did not end within 300 ms"),
    });
    const closed = credentials(source);
    const waiting = closed.current();
    closed.close();
    await expect(waiting).rejects.toMatchObject({ code: "ExecPluginFailed" });
  });

  it("refuses a plugin that must ask questions when nobody is there", async () => {
    const source = await plugin('give({ token: "x" });', { interactiveMode: "Always" });
    await expect(credentials(source).current()).rejects.toMatchObject({
      code: "ExecPluginFailed",
      message: expect.stringContaining("needs a terminal"),
    });
  });
});

describe("with a server", () => {
  it("asks the plugin again once after a 401, and no second time", async () => {
    const source = await plugin('give({ token: "t" + run });');
    const seen: string[] = [];
    const server = await TestServer.start((request, response) => {
      seen.push(request.headers.authorization ?? "");
      sendJson(
        response,
        request.url === "/strict" || request.headers.authorization === "Bearer t1" ? 401 : 200,
        {},
      );
    });
    cleanups.push(() => server.close());
    const transport = connect(testConnection(server.url, { auth: { type: "exec", plugin: source } }));
    cleanups.push(() => transport.close());
    expect((await transport.request({ method: "GET", path: "/" })).status).toBe(200);
    expect(seen).toEqual(["Bearer t1", "Bearer t2"]);
    expect((await transport.request({ method: "GET", path: "/strict" })).status).toBe(401);
    expect(seen.slice(2)).toEqual(["Bearer t2", "Bearer t3"]);
  });

  it("shows the client certificate a plugin gives", async () => {
    const authority = await TestAuthority.create();
    const [api, deputy] = await Promise.all([
      authority.issue({ commonName: "api" }),
      authority.issue({ commonName: "deputy" }),
    ]);
    await writeFile(
      join(directory, "pair.json"),
      JSON.stringify({ clientCertificateData: deputy.cert, clientKeyData: deputy.key }),
    );
    const source = await plugin(
      `give(JSON.parse(fs.readFileSync(${JSON.stringify(join(directory, "pair.json"))})));`,
    );
    const server = await TestServer.start(
      (request, response) =>
        sendJson(response, 200, (request.socket as TLSSocket).getPeerCertificate().subject.CN),
      { tls: { ...api, clientCa: authority.cert } },
    );
    cleanups.push(() => server.close());
    const transport = connect(
      testConnection(server.url, { ca: { pem: authority.cert }, auth: { type: "exec", plugin: source } }),
    );
    cleanups.push(() => transport.close());
    expect(await textOfBody(await transport.request({ method: "GET", path: "/" }))).toBe('"deputy"');
  });
});
