import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createTempFolder, type TempFolder } from "../temp-folder.ts";
import { startGitDaemon } from "./git-daemon.ts";
import { GitHttpServer } from "./git-http-server.ts";
import { runGit } from "./run-git.ts";
import { makeGpgKey, makeSshKey } from "./signing-keys.ts";
import { startGitSsh } from "./ssh-server.ts";
import { TestRepository } from "./test-repository.ts";

let temp: TempFolder;
let repository: TestRepository;
let head: string;

beforeAll(async () => {
  temp = await createTempFolder("git-servers");
  repository = await TestRepository.create(temp.path);
  head = await repository.commit({ files: { "a.yaml": "a: 1\n", "b/link": { symlink: "../a.yaml" } } });
});
afterAll(() => temp[Symbol.asyncDispose]());

const remoteHead = async (url: string, env: Record<string, string> = {}): Promise<string> => {
  const listed = await runGit(["ls-remote", url, "refs/heads/main"], { folder: temp.path, env });
  return listed.split("\t")[0] ?? "";
};

describe("a repository for tests", () => {
  it("has what was written, with the modes that were asked for", async () => {
    const listed = await repository.git("ls-tree", "-r", head);
    expect(listed).toMatch(/100644 blob \w+\ta\.yaml\n120000 blob \w+\tb\/link/u);
  });

  it("gives signed commits the signature of their key", async () => {
    const key = await makeSshKey(temp.path, "signer");
    await using gpg = await makeGpgKey(temp.path, "gpg");
    const ssh = await repository.commit({ branch: "ssh", files: { x: "1" }, sign: key });
    const pgp = await repository.commit({ branch: "pgp", files: { x: "1" }, sign: gpg });
    expect(await repository.git("cat-file", "commit", ssh)).toContain("BEGIN SSH SIGNATURE");
    expect(await repository.git("cat-file", "commit", pgp)).toContain("BEGIN PGP SIGNATURE");
  });
});

describe("the server behind HTTP", () => {
  it("is one that git fetches from, and counts the requests", async () => {
    await using server = await GitHttpServer.start({ folder: temp.path });
    expect(await remoteHead(server.url())).toBe(head);
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it("refuses those who do not sign in, and fails as it is told", async () => {
    await using server = await GitHttpServer.start({ folder: temp.path });
    server.account = { username: "u", password: "p" };
    await expect(remoteHead(server.url())).rejects.toThrow(/could not read Username/u);
    server.account = undefined;
    server.fault = { kind: "status", status: 503 };
    await expect(remoteHead(server.url())).rejects.toThrow(/503/u);
    server.fault = undefined;
    expect(await remoteHead(server.url())).toBe(head);
  });
});

describe("the daemon", () => {
  it("lets everybody fetch, and counts them", async () => {
    await using daemon = await startGitDaemon(temp.path);
    expect(daemon.requests()).toBe(0);
    expect(await remoteHead(daemon.url())).toBe(head);
    await expect.poll(() => daemon.requests()).toBe(1);
  });
});

describe("the server behind SSH", () => {
  it("lets the owners of its keys fetch", async () => {
    const key = await makeSshKey(temp.path, "client");
    await using server = await startGitSsh({ authorizedKeys: [key.publicKey] });
    const options = `-F none -i ${key.privateKeyFile} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null`;
    const url = server.url(join(temp.path, "repository.git"));
    expect(await remoteHead(url, { GIT_SSH_COMMAND: `ssh ${options}` })).toBe(head);
  });
});
