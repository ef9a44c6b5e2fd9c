import { makeSshKey, startGitSsh, type GitSshServer, type SshKeyPair } from "@bowline/test-services/git";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { GitCache, RefClient, type GitCredential } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";

let stage: Stage;
let server: GitSshServer;
let key: SshKeyPair;
let locked: SshKeyPair;
let stranger: SshKeyPair;
let url: string;

beforeAll(async () => {
  stage = await createStage();
  key = await makeSshKey(stage.folder, "client");
  locked = await makeSshKey(stage.folder, "locked", { passphrase: "open sesame" });
  stranger = await makeSshKey(stage.folder, "stranger");
  server = await startGitSsh({ authorizedKeys: [key.publicKey, locked.publicKey] });
  url = server.url(stage.repository.folder);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const credential = (more: Partial<Extract<GitCredential, { type: "ssh-key" }>> = {}): GitCredential => ({
  type: "ssh-key",
  fingerprint: "f",
  privateKey: key.privateKey,
  knownHosts: server.knownHosts,
  ...more,
});

const list = async (given: GitCredential | undefined): Promise<string[]> => {
  await using client = new RefClient({ folder: stage.workFolder });
  const refs = await client.listRefs({ url, credential: given, prefixes: ["refs/heads/"] });
  return refs.map(({ id }) => id);
};

describe("over SSH", () => {
  it("refs are listed and a commit is fetched and read", async () => {
    expect(await list(credential())).toEqual([stage.first]);
    const cache = new GitCache({ folder: stage.workFolder });
    await cache.fetchCommit({ url, credential: credential(), commit: stage.first });
    const tree = await cache.readTree({ url, credential: credential(), commit: stage.first, path: "app" });
    expect(tree.files.map(({ path }) => path)).toEqual(["web.yaml"]);
  });

  it("a key with a passphrase is opened", async () => {
    const { privateKey } = locked;
    expect(await list(credential({ privateKey, passphrase: "open sesame" }))).toEqual([stage.first]);
    const wrong = list(credential({ privateKey, passphrase: "close sesame" }));
    await expect(wrong).rejects.toMatchObject({ code: "AuthFailed" });
    await expect(list(credential({ privateKey }))).rejects.toMatchObject({ code: "AuthFailed" });
  });

  it("a key that the server does not know, or none, is refused", async () => {
    const { privateKey } = stranger;
    await expect(list(credential({ privateKey }))).rejects.toMatchObject({ code: "AuthFailed" });
    await expect(list(credential({ privateKey: "no key" }))).rejects.toMatchObject({ code: "AuthFailed" });
  });

  it("a host that shows another key than it should is refused, with both fingerprints", async () => {
    const knownHosts = `[127.0.0.1]:${server.port} ${stranger.publicKey}\n`;
    const refused = list(credential({ knownHosts }));
    await expect(refused).rejects.toMatchObject({ code: "HostKeyMismatch" });
    await expect(refused).rejects.toThrow(server.hostFingerprint);
    await expect(refused).rejects.toThrow(stranger.fingerprint);
  });

  it("a host that nobody knows is refused, with the fingerprint that it showed", async () => {
    for (const given of [credential({ knownHosts: undefined }), credential({ knownHosts: "" }), undefined]) {
      const refused = list(given);
      await expect(refused).rejects.toMatchObject({ code: "HostKeyUnknown" });
      await expect(refused).rejects.toThrow(server.hostFingerprint);
    }
  });

  it("a repository that is not there, and a host that is not, have errors of their own", async () => {
    await using client = new RefClient({ folder: stage.workFolder });
    const request = { credential: credential(), prefixes: [] };
    await expect(client.listRefs({ ...request, url: server.url("/nowhere.git") })).rejects.toMatchObject({
      code: "RepositoryNotFound",
    });
    await expect(client.listRefs({ ...request, url: "ssh://git@127.0.0.1:1/x" })).rejects.toMatchObject({
      code: "Unreachable",
    });
  });
});
