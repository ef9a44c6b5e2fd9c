import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startRealServer, type RealServer } from "../testing/real-server.ts";
import { TestHome } from "../testing/test-home.ts";

/** The steps of somebody who works with a real server. */
let home: TestHome;
let server: RealServer;

beforeAll(async () => {
  home = await TestHome.create();
  server = await startRealServer(join(home.folder, "data"));
  const login = [
    "login",
    server.url,
    ...server.caFlag,
    "--token-file",
    server.adminTokenFile,
    "--name",
    "admin",
  ];
  await succeed(login);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** For what a test stands on. */
async function succeed(args: readonly string[], stdin = ""): Promise<string> {
  const { code, out, error } = await home.run(args, { stdin });
  if (code !== 0) throw new Error(`bowline ${args.join(" ")} failed: ${error}`);
  return out;
}

async function addUser(name: string, role: string): Promise<void> {
  const manifest = JSON.stringify({ kind: "User", metadata: { name }, spec: { role } });
  await succeed(["apply", "-f", "-"], manifest);
}

/** Makes a token and signs in with it, under the user's name. */
async function signIn(user: string, ...flags: string[]): Promise<string> {
  const out = await succeed([
    "token",
    "create",
    `${user}-laptop`,
    "--for",
    user,
    "--context",
    "admin",
    ...flags,
  ]);
  await succeed(["login", server.url, ...server.caFlag, "--token-stdin", "--name", user], out);
  await succeed(["context", "use", "admin"]);
  return out.trim();
}

test("whoami tells who one is", async () => {
  const { code, out } = await home.run(["whoami"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^User: +admin\nRole: +admin\n/);
  const json = await home.run(["whoami", "-o", "json"]);
  expect(JSON.parse(json.out)).toMatchObject({ user: "admin", role: "admin" });
});

test("version asks the server too", async () => {
  expect(await home.run(["version"])).toMatchObject({ code: 0, out: "Client: 1.2.3\nServer: 1.2.3\n" });
});

describe("a token", () => {
  test("is made for a program, shown once, listed, and works until it is revoked", async () => {
    await addUser("editor", "editor");
    const secret = await signIn("editor", "--expires", "30d", "--description", "the laptop");
    expect(await home.run(["whoami", "--context", "editor"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/User: +editor\nRole: +editor\n[^]*token editor-laptop\n/),
    });
    const list = await home.run(["token", "list", "--for", "editor", "-o", "wide"]);
    expect(list.out).toMatch(/^NAME +USER .*\neditor-laptop +editor .*29d.* the laptop .*\n$/);
    expect(list.out).not.toContain(secret);

    expect(await home.run(["token", "revoke", "editor-laptop"])).toMatchObject({
      code: 0,
      out: "token/editor-laptop revoked\n",
    });
    const revoked = await home.run(["whoami", "--context", "editor"]);
    expect(revoked.code).toBe(1);
    expect(revoked.error).toMatch(/^error: .*revoked/);
    expect(await home.run(["token", "delete", "editor-laptop"])).toMatchObject({ code: 0 });
    expect(await home.run(["token", "list", "--for", "editor"])).toMatchObject({
      error: "No tokens found.\n",
    });
  });

  test("goes to standard output alone, so that a file can hold it", async () => {
    const { out, error } = await home.run(["token", "create", "for-a-file", "--role", "viewer"]);
    expect(out).toMatch(/^bwl_\S+\n$/);
    expect(error).toBe('Token "for-a-file" for admin never expires. It is shown only this once:\n');
    await writeFile(join(home.folder, "token"), out);
    const asViewer = await home.run(["whoami", "-o", "json", "--token-file", join(home.folder, "token")]);
    expect(JSON.parse(asViewer.out)).toMatchObject({ user: "admin", role: "viewer" });
  });

  test("is a whole object in JSON, with the secret in it", async () => {
    const { out } = await home.run(["token", "create", "as-json", "-o", "json"]);
    expect(JSON.parse(out)).toMatchObject({
      kind: "Token",
      status: { secret: expect.stringMatching(/^bwl_/) },
    });
  });

  test.each([
    [["create", "x", "--expires", "soon"], 2, '"soon" is not a duration'],
    [["create", "x", "--role", "king"], 2, "Allowed choices are viewer, editor, admin"],
    [["create", "Not A Name"], 1, "metadata.name"],
    [["create", "x", "--for", "nobody"], 1, "nobody"],
    [["revoke", "not-there"], 1, "not-there"],
  ])("%j fails", async (args, code, message) => {
    const failed = await home.run(["token", ...args]);
    expect(failed.code).toBe(code);
    expect(failed.error).toContain(message);
  });
});

test("somebody who may not is told so", async () => {
  await addUser("viewer", "viewer");
  await signIn("viewer");
  const { code, error } = await home.run([
    "token",
    "create",
    "more",
    "--for",
    "admin",
    "--context",
    "viewer",
  ]);
  expect(code).toBe(1);
  expect(error).toMatch(/^error: .+\.\n$/);
});

test("the audit log tells who did what, and what was refused", async () => {
  await addUser("auditor", "editor");
  await signIn("auditor");
  expect(await home.run(["delete", "user", "auditor", "--context", "auditor"])).toMatchObject({ code: 1 });
  // Refusals are written in batches, a moment later.
  let audit = "";
  await expect
    .poll(async () => {
      audit = (await home.run(["audit", "--kind", "users", "--name", "auditor"])).out;
      return audit;
    })
    .toContain("denied");
  expect(audit).toMatch(/^TIME +USER +VERB +OBJECT +REQUEST +OUTCOME +MESSAGE\n/);
  expect(audit).toMatch(/ auditor +delete +user\/auditor +denied /);
  expect(audit).toMatch(/ admin +create +user\/auditor +allowed\n/);
  const logins = await home.run(["audit", "--user", "auditor", "--limit", "1", "-o", "json"]);
  expect(JSON.parse(logins.out)).toHaveLength(1);
  expect((await home.run(["audit", "--limit", "1"])).error).toMatch(
    /^Showing 1 of \d+ records; --limit shows more\.\n$/,
  );
});
