import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { matchCode } from "@bowline/api";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startRealServer, type RealServer } from "../../testing/real-server.ts";
import { TestHome } from "../../testing/test-home.ts";

let home: TestHome;
let server: RealServer;
let adminToken: string;

beforeAll(async () => {
  home = await TestHome.create();
  server = await startRealServer(join(home.folder, "data"), { "--console-listen": "127.0.0.1:0" });
  adminToken = (await readFile(server.adminTokenFile, "utf8")).trim();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** A program that is told the link and leaves it in a file. */
async function fakeBrowser(name: string): Promise<{ program: string; opened: () => Promise<URL> }> {
  const seen = join(home.folder, `${name}.link`);
  const program = join(home.folder, name);
  await writeFile(program, `#!/bin/sh\nprintf '%s' "$1" > ${seen}.part && mv ${seen}.part ${seen}\n`);
  await chmod(program, 0o755);
  const link = (): Promise<string> => readFile(seen, "utf8").catch(() => "");
  return {
    program,
    async opened() {
      await expect.poll(link).not.toBe("");
      return new URL(await link());
    },
  };
}

/** Agrees as the page does, and has the code. */
async function agree(link: URL): Promise<string> {
  const answer = await fetch(new URL("/api/v1/sessions/codes", link), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${adminToken}` },
    body: JSON.stringify({
      command: {
        challenge: link.searchParams.get("challenge"),
        description: link.searchParams.get("from"),
        role: "viewer",
      },
    }),
  });
  const { code } = (await answer.json()) as { code: string };
  return code;
}

function loopbackOf(link: URL, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ state: link.searchParams.get("state") ?? "", ...parameters });
  return `http://127.0.0.1:${link.searchParams.get("port")}/?${query.toString()}`;
}

test("who agrees in a browser gives the command a token of its own, which is listed and saved", async () => {
  const { program, opened } = await fakeBrowser("browser");
  const args = ["login", server.url, ...server.caFlag, "--browser", "--name", "here"];
  const done = home.run(args, { environment: { BROWSER: program } });
  const link = await opened();
  expect([link.protocol, link.pathname]).toEqual(["http:", "/ui/approve"]);
  // Of others, nothing counts.
  expect((await fetch(loopbackOf(link, { code: "bwc_x", state: "x" }))).status).toBe(404);
  const answer = await fetch(loopbackOf(link, { code: await agree(link) }));
  expect(await answer.text()).toContain("You are signed in at the command line.");
  const { code, out, error } = await done;
  expect({ code, out }).toEqual({
    code: 0,
    out: `Signed in to ${server.url} as admin (viewer). The current context is now "here".\n`,
  });
  expect(error).toContain(
    `if it shows this code: ${await matchCode(link.searchParams.get("challenge") ?? "")}\n`,
  );
  expect((await home.run(["get", "tokens", "-o", "wide"])).out).toMatch(/^cli-\w{8} .*bowline login: /mu);
});

test("who refuses in the browser gives nothing", async () => {
  const { program, opened } = await fakeBrowser("refusing");
  const args = ["login", server.url, ...server.caFlag, "--browser", "--name", "no"];
  const done = home.run(args, { environment: { BROWSER: program } });
  await fetch(loopbackOf(await opened(), { error: "refused" }));
  const { code, error } = await done;
  expect(code).toBe(1);
  expect(error).toContain("error: It was refused in the browser; nothing was saved.");
});

test("a code that is carried by hand works too, and none that was made for another command", async () => {
  const args = ["login", server.url, ...server.caFlag, "--no-browser", "--name", "far"];
  const { code, error } = await home.run(args, { answers: [`bwc_${"0".repeat(49)}`] });
  expect([code, error]).toEqual([
    1,
    expect.stringContaining("error: The code is unknown, was used, or is too old"),
  ]);
  expect(error).toMatch(/\/ui\/approve\?challenge=[\w-]{43}&from=[^&\n]+\n/u);
});

test("without an issuer nobody signs in there, and by a token and a browser at once neither", async () => {
  const args = ["login", server.url, ...server.caFlag];
  expect(await home.run([...args, "--oidc"])).toMatchObject({
    code: 2,
    error: expect.stringContaining("has no OIDC issuer"),
  });
  expect(await home.run([...args, "--browser", "--token-stdin"], { stdin: "x" })).toMatchObject({
    code: 2,
    error: expect.stringContaining("not by both"),
  });
});
