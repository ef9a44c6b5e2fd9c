import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";

import { descendantPids } from "@bowline/test-services";
import { makeSshKey, startGitSsh } from "@bowline/test-services/git";
import { describe, expect, it } from "vitest";

import { GitCache, GitError, RefClient, type GitCredential } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";

const canary = "canary-7f3a9c";
const forms = [
  canary,
  Buffer.from(canary).toString("base64").slice(0, 16),
  Buffer.from(`git:${canary}`).toString("base64"),
];

const showsCanary = (text: string): boolean => forms.some((form) => text.includes(form));

/** Arguments of all processes that run below this one. */
async function argumentsBelow(): Promise<string[]> {
  const pids = await descendantPids(process.pid);
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
}

interface HeldPort extends AsyncDisposable {
  readonly port: number;
  /** Lets the clients through. */
  open(): void;
}

/** A port whose clients wait until they are let through to another: what they do meanwhile can be looked at. */
async function holdPort(target: number): Promise<HeldPort> {
  const gate = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connect(target, "127.0.0.1");
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    void gate.promise.then(() => client.pipe(onward).pipe(client));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    open: gate.resolve,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.map((name) => join(folder, name));
  const found = await Promise.all(paths.map((path) => stat(path)));
  return paths.filter((_, at) => found[at]?.isFile() === true);
}

async function expectNothingLeft(stage: Stage): Promise<void> {
  const files = await filesBelow(stage.workFolder);
  const texts = await Promise.all(files.map((file) => readFile(file, "latin1")));
  expect(files.filter((_, at) => showsCanary(texts[at] ?? ""))).toEqual([]);
  expect(
    (await readdir(join(stage.workFolder), { recursive: true })).filter((name) => name.includes("private-")),
  ).toEqual([]);
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a secret", () => {
  it.each<[string, GitCredential]>([
    ["password", { type: "basic", fingerprint: "f", username: "git", password: canary }],
    ["token", { type: "token", fingerprint: "f", token: canary }],
  ])("as a %s over HTTP is in no argument, no error and no file", async (_, credential) => {
    await using stage = await createStage();
    stage.server.account = { username: "git", password: canary };
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    const request = { url: stage.url, credential, commit: stage.first };
    stage.server.fault = { kind: "silent", on: "objects" };
    const stop = new AbortController();
    const fetching = failureOf(cache.fetchCommit({ ...request, signal: stop.signal }));
    await expect.poll(() => stage.server.requests.length).toBe(2);
    const running = await argumentsBelow();
    expect(running.some((line) => line.includes("fetch"))).toBe(true);
    expect(running.some((line) => line.includes("remote-http"))).toBe(true);
    expect(running.filter(showsCanary)).toEqual([]);
    stop.abort();
    const errors = [await fetching];
    stage.server.fault = undefined;
    await cache.fetchCommit(request);
    stage.server.account = { username: "git", password: "revoked" };
    const commit = await stage.repository.commit({ files: { x: "1" } });
    errors.push(await failureOf(cache.fetchCommit({ ...request, commit })));
    await using client = new RefClient({ folder: stage.workFolder, protocols: ["http"] });
    errors.push(await failureOf(client.listRefs({ url: stage.url, credential, prefixes: [] })));
    expect(errors.map((error) => error instanceof GitError && error.code)).toEqual([
      "Cancelled",
      "AuthFailed",
      "AuthFailed",
    ]);
    expect(errors.filter((error) => showsCanary(inspect(error, { depth: 9 })))).toEqual([]);
    await expectNothingLeft(stage);
  });

  it("as a key of SSH or its passphrase is in no argument, no error and no file that stays", async () => {
    await using stage = await createStage();
    const key = await makeSshKey(stage.folder, "client", { passphrase: canary });
    await using server = await startGitSsh({ authorizedKeys: [key.publicKey] });
    await using held = await holdPort(server.port);
    const atHeld = (text: string): string => text.replace(`:${server.port}`, `:${held.port}`);
    const credential = {
      type: "ssh-key",
      fingerprint: "f",
      privateKey: key.privateKey,
      passphrase: canary,
      knownHosts: atHeld(server.knownHosts),
    } as const;
    const url = atHeld(server.url(stage.repository.folder));
    await using client = new RefClient({ folder: stage.workFolder });
    const listing = client.listRefs({ url, credential, prefixes: ["refs/heads/"] });
    const isSsh = (line: string): boolean => line.startsWith("ssh\0");
    await expect.poll(async () => (await argumentsBelow()).some(isSsh)).toBe(true);
    const seen = await argumentsBelow();
    held.open();
    expect(await listing).toHaveLength(1);
    const keyLine = key.privateKey.split("\n")[1] ?? "";
    expect(seen.some(isSsh)).toBe(true);
    expect(seen.filter((line) => showsCanary(line) || line.includes(keyLine))).toEqual([]);
    const wrong = { ...credential, passphrase: `${canary}-wrong` };
    const error = await failureOf(client.listRefs({ url, credential: wrong, prefixes: [] }));
    expect(error).toMatchObject({ code: "AuthFailed" });
    expect(showsCanary(inspect(error, { depth: 9 }))).toBe(false);
    await expectNothingLeft(stage);
  });
});
