import { createHash, X509Certificate } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { errorBody, sendJson, TestAuthority, TestServer, type TestHandler } from "@bowline/client/testing";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { TestHome } from "../../testing/test-home.ts";

const token = "bwl_s3cr3t";
let authority: TestAuthority;
let home: TestHome;
const servers: TestServer[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create("Bowline test authority");
});

beforeEach(async () => {
  home = await TestHome.create();
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const bowline: TestHandler = ({ url, headers }, response) => {
  if (url === "/version") return sendJson(response, 200, { version: "1.0.0" });
  if (headers.authorization !== `Bearer ${token}`) {
    return sendJson(response, 401, errorBody("Unauthorized", "The token is not known."));
  }
  return sendJson(response, 200, {
    user: "editor",
    role: "editor",
    groups: [],
    method: "token",
    token: "laptop",
  });
};

async function startServer(secure = false): Promise<TestServer> {
  const server = await TestServer.start(bowline, secure ? await authority.issue() : undefined);
  servers.push(server);
  return server;
}

function fingerprintOf(pem: string): string {
  return `sha256:${createHash("sha256").update(new X509Certificate(pem).raw).digest("hex")}`;
}

describe("the token", () => {
  test("is asked for without showing it, checked, and saved for its owner alone", async () => {
    const server = await startServer();
    const { code, out, terminal } = await home.run(["login", server.url], { answers: [token] });
    expect({ code, out }).toEqual({
      code: 0,
      out: `Signed in to ${server.url} as editor (editor). The current context is now "127.0.0.1:${server.port}".\n`,
    });
    expect(terminal.questions).toEqual(["Token:  (hidden)"]);
    expect(server.requests.at(-1)).toMatchObject({ method: "POST", url: "/api/v1/login" });
    expect((await stat(home.configFile)).mode & 0o777).toBe(0o600);
    expect(await home.run(["whoami"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("token laptop"),
    });
  });

  test("comes from standard input", async () => {
    const server = await startServer();
    const args = ["login", server.url, "--token-stdin", "--name", "ci"];
    expect(await home.run(args, { stdin: `${token}\n` })).toMatchObject({ code: 0 });
    expect(await readFile(home.configFile, "utf8")).toContain(`token: ${token}`);
  });

  test("stays in its file, which is read each time", async () => {
    const server = await startServer();
    const file = join(home.folder, "token");
    await writeFile(file, `${token}\n`);
    expect(await home.run(["login", server.url, "--token-file", file])).toMatchObject({ code: 0 });
    const saved = await readFile(home.configFile, "utf8");
    expect(saved).toContain(`tokenFile: ${file}`);
    expect(saved).not.toContain(token);
    await writeFile(file, "renewed-to-something-wrong");
    expect(await home.run(["whoami"])).toMatchObject({ code: 1, error: "error: The token is not known.\n" });
  });

  test("that the server does not know is not saved", async () => {
    const server = await startServer();
    const { code, error } = await home.run(["login", server.url, "--token-stdin"], { stdin: "bwl_wrong" });
    expect({ code, error }).toEqual({ code: 1, error: "error: The token is not known.\n" });
    await expect(stat(home.configFile)).rejects.toThrow("ENOENT");
  });

  test.each([
    ["", "holds no token"],
    ["two words", "is not a token"],
  ])("%j is not one", async (stdin, problem) => {
    const server = await startServer();
    const { code, error } = await home.run(["login", server.url, "--token-stdin"], { stdin });
    expect(code).toBe(2);
    expect(error).toContain(problem);
  });

  test("is not waited for when nobody is there to be asked", async () => {
    const server = await startServer();
    const { code, error } = await home.run(["login", server.url]);
    expect(code).toBe(2);
    expect(error).toContain("use --token-file or --token-stdin");
  });
});

describe("a server whose certificate nobody vouches for", () => {
  test("is trusted after a look at its fingerprint", async () => {
    const server = await startServer(true);
    const { code, error, terminal } = await home.run(["login", server.url], { answers: ["y", token] });
    expect(code).toBe(0);
    expect(terminal.questions[0]).toBe("Trust it for this server? [y/N] ");
    expect(error).toContain(`authority    Bowline test authority`);
    expect(error).toContain(`fingerprint  ${fingerprintOf(authority.pem)}`);
    expect(await home.run(["whoami"])).toMatchObject({ code: 0 });
  });

  test("is not trusted, and gets no token, by whoever says no", async () => {
    const server = await startServer(true);
    const { code, error } = await home.run(["login", server.url], { answers: ["", token] });
    expect(code).toBe(1);
    expect(error).toContain("nothing was saved");
    expect(server.requests).toEqual([]);
  });

  test("is refused where nobody can be asked, with the way out", async () => {
    const server = await startServer(true);
    const { code, error } = await home.run(["login", server.url, "--token-stdin"], { stdin: token });
    expect(code).toBe(1);
    expect(error).toContain(`--ca-fingerprint ${fingerprintOf(authority.pem)}`);
    expect(server.requests).toEqual([]);
  });

  test.each(["as the server prints it", "as openssl prints it"])(
    "is trusted by its fingerprint, %s",
    async (form) => {
      const server = await startServer(true);
      const plain = fingerprintOf(authority.pem);
      const colons = plain.slice(7).toUpperCase().match(/../g)?.join(":") ?? "";
      const fingerprint = form.includes("openssl") ? `SHA256:${colons}` : plain;
      const args = ["login", server.url, "--token-stdin", "--ca-fingerprint", fingerprint];
      expect(await home.run(args, { stdin: token })).toMatchObject({ code: 0 });
      expect(await readFile(home.configFile, "utf8")).toContain("BEGIN CERTIFICATE");
    },
  );

  test("is not trusted when the fingerprint is another one", async () => {
    const server = await startServer(true);
    const args = ["login", server.url, "--token-stdin", "--ca-fingerprint", `sha256:${"0".repeat(64)}`];
    const { code, error } = await home.run(args, { stdin: token });
    expect(code).toBe(1);
    expect(error).toContain("somebody may be in between");
    expect(server.requests).toEqual([]);
  });

  test("is trusted by a file", async () => {
    const server = await startServer(true);
    const file = join(home.folder, "ca.pem");
    await writeFile(file, authority.pem);
    expect(
      await home.run(["login", server.url, "--token-stdin", "--ca-file", file], { stdin: token }),
    ).toMatchObject({
      code: 0,
    });
  });

  test("stays trusted when somebody signs in again", async () => {
    const server = await startServer(true);
    await home.run(["login", server.url], { answers: ["yes", token] });
    expect(await home.run(["logout"])).toMatchObject({ code: 0, out: `Signed out of ${server.url}.\n` });
    expect(await readFile(home.configFile, "utf8")).not.toContain(token);
    expect((await home.run(["whoami"])).code).toBe(1);
    expect(await home.run(["login"], { answers: [token] })).toMatchObject({ code: 0 });
    expect(await home.run(["whoami"])).toMatchObject({ code: 0 });
  });
});

describe("the address", () => {
  test("means https without a scheme, and may not be left out the first time", async () => {
    const { code, error } = await home.run(["login", "no-such-host.invalid"], { answers: [token] });
    expect(code).toBe(1);
    expect(error).toContain("no-such-host.invalid:443");
    expect(await home.run(["login"])).toMatchObject({
      code: 2,
      error: 'error: Say which server to sign in to.\nRun "bowline login --help" for usage.\n',
    });
  });

  test.each(["ftp://x", "https://"])("%s is none", async (url) => {
    expect((await home.run(["login", url])).code).toBe(2);
  });
});
