import { makeGpgKey, makeSshKey, type GpgKey, type SshKeyPair } from "@bowline/test-services/git";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { GitCache, type Verification, type VerificationKey, type VerifyRequest } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";
import { readVerification } from "./verification.ts";

let stage: Stage;
let cache: GitCache;
let ssh: SshKeyPair;
let stranger: SshKeyPair;
let gpg: GpgKey;
let expired: GpgKey;

beforeAll(async () => {
  stage = await createStage();
  cache = new GitCache({ folder: stage.workFolder, protocols: ["file"] });
  ssh = await makeSshKey(stage.folder, "signer");
  stranger = await makeSshKey(stage.folder, "stranger");
  gpg = await makeGpgKey(stage.folder, "gpg");
  expired = await makeGpgKey(stage.folder, "expired", { expired: true });
});
afterAll(async () => {
  await Promise.all([gpg[Symbol.asyncDispose](), expired[Symbol.asyncDispose]()]);
  await stage[Symbol.asyncDispose]();
});

const verify = (request: VerifyRequest): Promise<Verification> =>
  cache.verify({ url: `file://${stage.repository.folder}`, ...request });

const sshKey = (
  key: SshKeyPair,
  more: { principal?: string; expiresAtMs?: number } = {},
): VerificationKey => ({
  type: "ssh",
  publicKey: key.publicKey,
  ...more,
});
const gpgKey = (key: GpgKey): VerificationKey => ({ type: "gpg", publicKey: key.publicKey });

describe("a signed commit", () => {
  it("names its signer and the fingerprint of an SSH key", async () => {
    const commit = await stage.repository.commit({ files: { a: "1" }, sign: ssh });
    expect(
      await verify({ commit, keys: [sshKey(stranger), sshKey(ssh, { principal: "release bot" })] }),
    ).toEqual({
      verified: true,
      type: "ssh",
      signer: "release-bot",
      fingerprint: ssh.fingerprint,
    });
    expect(await verify({ commit, keys: [sshKey(ssh), gpgKey(gpg)] })).toMatchObject({
      signer: "test@example.com",
    });
  });

  it("names its signer and the fingerprint of a gpg key", async () => {
    const commit = await stage.repository.commit({ files: { a: "2" }, sign: gpg });
    expect(await verify({ commit, keys: [gpgKey(gpg), sshKey(ssh)] })).toEqual({
      verified: true,
      type: "gpg",
      signer: "test <test@example.com>",
      fingerprint: gpg.fingerprint,
    });
  });

  it("is not verified without a signature", async () => {
    expect(await verify({ commit: stage.first, keys: [sshKey(ssh), gpgKey(gpg)] })).toMatchObject({
      verified: false,
      reason: "unsigned",
      error: { code: "NotVerified" },
    });
  });

  it("is not verified by an unknown key, which is named", async () => {
    const bySsh = await stage.repository.commit({ files: { a: "3" }, sign: stranger });
    expect(await verify({ commit: bySsh, keys: [sshKey(ssh), gpgKey(gpg)] })).toMatchObject({
      reason: "unknownKey",
      fingerprint: stranger.fingerprint,
    });
    const byGpg = await stage.repository.commit({ files: { a: "4" }, sign: gpg });
    const found = await verify({ commit: byGpg, keys: [sshKey(ssh)] });
    expect(found).toMatchObject({ reason: "unknownKey" });
    expect(gpg.fingerprint.endsWith(String(found.fingerprint))).toBe(true);
    expect(await verify({ commit: byGpg, keys: [] })).toMatchObject({ reason: "unknownKey" });
  });

  it("is not verified by a key that has expired, whatever date the commit has", async () => {
    const byGpg = await stage.repository.commit({ files: { a: "5" }, sign: expired });
    expect(await verify({ commit: byGpg, keys: [gpgKey(expired)] })).toMatchObject({ reason: "expiredKey" });
    const bySsh = await stage.repository.commit({ files: { a: "6" }, sign: ssh });
    const keys = [sshKey(ssh, { expiresAtMs: Date.now() - 1 })];
    expect(await verify({ commit: bySsh, keys })).toMatchObject({
      reason: "expiredKey",
      fingerprint: ssh.fingerprint,
    });
  });

  it("is not verified when its content is not what was signed", async () => {
    const signed = await stage.repository.commit({ files: { a: "7" }, sign: ssh });
    const text = await stage.repository.git("cat-file", "commit", signed);
    const forged = await stage.repository.forge("commit", text.replace("change", "forged"));
    expect(await verify({ commit: forged, keys: [sshKey(ssh)] })).toMatchObject({ reason: "badSignature" });
  });

  it("needs keys that are keys", async () => {
    const commit = await stage.repository.commit({ files: { a: "8" }, sign: ssh });
    for (const type of ["ssh", "gpg"] as const) {
      await expect(verify({ commit, keys: [{ type, publicKey: "nonsense" }] })).rejects.toMatchObject({
        code: "InvalidArgument",
      });
    }
  });
});

describe("a signed tag", () => {
  it("is verified for the commit and the name that it was signed for", async () => {
    const commit = await stage.repository.commit({ files: { a: "9" } });
    const id = await stage.repository.tag("v1", { commit, message: "one", sign: ssh });
    const keys = [sshKey(ssh)];
    expect(await verify({ commit, tag: { id, name: "v1" }, keys })).toMatchObject({
      verified: true,
      fingerprint: ssh.fingerprint,
    });
    const other = await stage.repository.commit({ files: { a: "10" } });
    expect(await verify({ commit: other, tag: { id, name: "v1" }, keys })).toMatchObject({
      reason: "tagElsewhere",
    });
    expect(await verify({ commit, tag: { id, name: "v2" }, keys })).toMatchObject({ reason: "tagElsewhere" });
  });

  it("is not verified without an object of its own, or without a signature", async () => {
    const commit = await stage.repository.commit({ files: { a: "11" } });
    const light = await stage.repository.tag("light", { commit });
    const keys = [sshKey(ssh)];
    expect(await verify({ commit, tag: { id: light, name: "light" }, keys })).toMatchObject({
      reason: "unsigned",
    });
    const plain = await stage.repository.tag("plain", { commit, message: "m" });
    expect(await verify({ commit, tag: { id: plain, name: "plain" }, keys })).toMatchObject({
      reason: "unsigned",
    });
  });
});

describe("words that say less than verified", () => {
  it.each([
    ["a good signature and a failure", 1, 'Good "git" signature for me with ED25519 key SHA256:x'],
    ["a signer in the middle of a line", 0, 'x Good "git" signature for me with ED25519 key SHA256:x'],
    ["a good signature of gpg without a fingerprint", 0, "[GNUPG:] GOODSIG 1 me"],
    ["a good and a bad signature", 0, "[GNUPG:] GOODSIG 1 me\n[GNUPG:] VALIDSIG A B\n[GNUPG:] BADSIG 2 you"],
  ])("are not taken for it: %s", (_, exitCode, said) => {
    expect(readVerification("The commit", exitCode, said).verified).toBe(false);
  });
});
