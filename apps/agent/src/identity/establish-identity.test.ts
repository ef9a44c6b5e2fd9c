import { createPublicKey, verify } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { BowlineError, createLogger, systemClock } from "@bowline/core";
import { connect, KubeClient, loadKubeconfig } from "@bowline/kube";
import { startKubesim } from "@bowline/kubesim";
import { encodeJoinToken, joinStatement, type JoinHello } from "@bowline/protocol";
import { describe, expect, onTestFinished, test } from "vitest";

import type { PresentedCertificate } from "../dial/server-dialer.ts";
import {
  dialPlainly,
  startScriptedServer,
  type JoinAnswer,
  type ScriptedServer,
} from "../testing/scripted-server.ts";
import { publicBytesOf, privateKeyOf, parseRecord, type IdentityStore } from "./identity-record.ts";
import { establishIdentity, type EstablishOptions } from "./establish-identity.ts";
import { FileIdentityStore } from "./file-identity-store.ts";
import { SecretIdentityStore } from "./secret-identity-store.ts";

const silent = createLogger({ name: "test", level: "silent" });
const facts = { clusterUid: "3e1c1a2f-0000-4000-8000-000000000001", kubernetesVersion: "v1.36.0" };

/** Registers whoever proves that a key is theirs, as the real server does. */
class Registrar {
  readonly hellos: JoinHello[] = [];
  /** Breaks the connection after so many registrations, before the answer. */
  losesAnswers = 0;
  refusal: BowlineError | undefined;
  server: ScriptedServer | undefined;

  readonly join = async (call: JoinAnswer): Promise<void> => {
    const hello = (await call.messages.next()).value?.message;
    if (hello?.case !== "hello") throw new Error("No hello.");
    if (this.refusal !== undefined) return call.fail(this.refusal);
    const nonce = Buffer.alloc(32, 7);
    call.send({ message: { case: "challenge", value: { nonce } } });
    const proof = (await call.messages.next()).value?.message;
    if (proof?.case !== "proof") throw new Error("No proof.");
    const x = Buffer.from(hello.value.publicKey).toString("base64url");
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
    if (!verify(null, joinStatement(nonce, hello.value), key, proof.value.signature)) {
      return call.fail(new BowlineError("Unauthorized", "That is not your key."));
    }
    this.hellos.push(hello.value);
    if (this.losesAnswers > 0) {
      this.losesAnswers -= 1;
      return this.server?.cut();
    }
    const value = { agentId: `agent-of-${x}`, clusterId: "c1", clusterName: "edge" };
    call.send({ message: { case: "accepted", value } });
    call.end();
  };
}

async function startRegistrar(): Promise<Registrar & { readonly url: string }> {
  const registrar = new Registrar();
  const server = await startScriptedServer({ join: registrar.join });
  registrar.server = server;
  return Object.assign(registrar, { url: server.url });
}

const tokenFor = (url: string, secret = "secret"): string => encodeJoinToken({ secret, servers: [url] });

function establish(store: IdentityStore, joinToken?: string, more: Partial<EstablishOptions> = {}) {
  return establishIdentity({
    store,
    joinToken,
    caPem: undefined,
    facts,
    agentVersion: "1.2.3",
    dialer: {
      dial: ({ server, signal }) => dialPlainly(server, signal),
      presentedChain: () => Promise.resolve([]),
    },
    clock: systemClock,
    random: () => 0.999,
    logger: silent,
    signal: new AbortController().signal,
    ...more,
  });
}

async function fileStore(): Promise<FileIdentityStore> {
  const folder = await mkdtemp(join(tmpdir(), "bowline-agent-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return new FileIdentityStore(join(folder, "data"));
}

describe("an agent joins", () => {
  test("with a key of its own, and keeps what it was told, without the token", async () => {
    const registrar = await startRegistrar();
    const store = await fileStore();
    const token = tokenFor(registrar.url);
    const identity = await establish(store, token);
    const publicKey = publicBytesOf(privateKeyOf(identity.privateKey));
    expect(identity).toMatchObject({
      agentId: `agent-of-${publicKey.toString("base64url")}`,
      clusterId: "c1",
      clusterName: "edge",
      servers: [registrar.url],
    });
    expect(registrar.hellos).toMatchObject([{ ...facts, joinToken: token, agentVersion: "1.2.3" }]);
    expect((await stat(store.place)).mode & 0o777).toBe(0o600);
    const kept = await readFile(store.place, "utf8");
    expect(kept).not.toContain(token);
    expect(parseRecord(kept, "").pending).toBeUndefined();
  });

  test("once: the same token again, or none, means who it was", async () => {
    const registrar = await startRegistrar();
    const store = await fileStore();
    const first = await establish(store, tokenFor(registrar.url));
    expect(await establish(store, tokenFor(registrar.url))).toEqual(first);
    expect(await establish(store)).toEqual(first);
    expect(registrar.hellos).toHaveLength(1);
  });

  test("with the same key again when the answer was lost, in this life or the next", async () => {
    const registrar = await startRegistrar();
    registrar.losesAnswers = 1;
    const store = await fileStore();
    const dying = new AbortController();
    // It dies while it waits to try again.
    const random = (): number => {
      dying.abort(new Error("killed"));
      return 0;
    };
    const token = tokenFor(registrar.url);
    await expect(establish(store, token, { signal: dying.signal, random })).rejects.toThrow("killed");
    registrar.losesAnswers = 1;
    const identity = await establish(store, token);
    const keys = registrar.hellos.map(({ publicKey }) => Buffer.from(publicKey).toString("base64url"));
    expect(keys).toHaveLength(3);
    expect(new Set(keys)).toEqual(new Set([identity.agentId.replace("agent-of-", "")]));
  });

  test("at the next server when the first is not there", async () => {
    const registrar = await startRegistrar();
    const servers = ["http://127.0.0.1:1", registrar.url];
    const identity = await establish(await fileStore(), encodeJoinToken({ secret: "s", servers }));
    expect(identity.servers).toEqual(servers);
  });

  test("again with a new key when there is a new token", async () => {
    const registrar = await startRegistrar();
    const store = await fileStore();
    const first = await establish(store, tokenFor(registrar.url));
    const second = await establish(store, tokenFor(registrar.url, "another"));
    expect(second.privateKey).not.toBe(first.privateKey);
    expect(await establish(store)).toEqual(second);
  });

  test("not when it is refused: it says why, and goes on as who it was", async () => {
    const registrar = await startRegistrar();
    const store = await fileStore();
    registrar.refusal = new BowlineError("Forbidden", "The join token was used before.");
    await expect(establish(store, tokenFor(registrar.url))).rejects.toMatchObject({
      code: "Forbidden",
      message: "The join token was used before.",
    });
    registrar.refusal = undefined;
    const first = await establish(store, tokenFor(registrar.url));
    registrar.refusal = new BowlineError("Unauthorized", "The join token has run out.");
    expect(await establish(store, tokenFor(registrar.url, "another"))).toEqual(first);
  });

  test("not with a server whose certificates are of another CA", async () => {
    const registrar = await startRegistrar();
    const caFingerprint = `sha256:${"0".repeat(64)}`;
    const token = encodeJoinToken({ secret: "s", servers: [registrar.url], caFingerprint });
    await expect(establish(await fileStore(), token)).rejects.toMatchObject({
      code: "CertificateUntrusted",
      message: expect.stringContaining("somebody is in between"),
    });
    expect(registrar.hellos).toEqual([]);
  });

  test("with the CA that the token names, and no other that is shown", async () => {
    const registrar = await startRegistrar();
    const leaf = { pem: "pem 1", fingerprint: `sha256:${"1".repeat(64)}` };
    const ca = { pem: "pem 2", fingerprint: `sha256:${"2".repeat(64)}` };
    const dialled: unknown[] = [];
    const joinWith = async (shown: readonly PresentedCertificate[]) => {
      const token = encodeJoinToken({
        secret: "s",
        servers: [registrar.url],
        caFingerprint: ca.fingerprint,
      });
      return establish(await fileStore(), token, {
        dialer: {
          dial: ({ server, caPem, signal }) => {
            dialled.push(caPem);
            return dialPlainly(server, signal);
          },
          presentedChain: ({ trusts }) => {
            dialled.push(trusts(shown));
            return Promise.resolve([...shown]);
          },
        },
      });
    };
    await expect(joinWith([leaf])).rejects.toMatchObject({ code: "CertificateUntrusted" });
    expect(dialled).toEqual([false]);
    expect(await joinWith([ca, leaf])).toMatchObject({ caPem: "pem 2" });
    expect(dialled).toEqual([false, true, "pem 2"]);
  });

  test("not without a token, or with half of one", async () => {
    const store = await fileStore();
    await expect(establish(store)).rejects.toThrow("This agent has not joined a server yet");
    await expect(establish(store, tokenFor("https://x").slice(0, -5))).rejects.toThrow("not complete");
  });

  test("not with an identity that is damaged, which stays as it is", async () => {
    const store = await fileStore();
    await establish(store, tokenFor((await startRegistrar()).url));
    await writeFile(store.place, '{"joined":{"agentId":1}}');
    await expect(establish(store, tokenFor("https://x"))).rejects.toMatchObject({
      code: "ConfigFileInvalid",
    });
    expect(await readFile(store.place, "utf8")).toBe('{"joined":{"agentId":1}}');
  });
});

describe("in a cluster", () => {
  async function secretStores(count: number) {
    const cluster = await startKubesim({ controllers: false });
    onTestFinished(() => cluster.stop());
    const folder = await mkdtemp(join(tmpdir(), "bowline-agent-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "kubeconfig");
    await writeFile(path, cluster.kubeconfig());
    const connection = await loadKubeconfig({ paths: [path] });
    const stores = Array.from({ length: count }, () => {
      const transport = connect(connection);
      onTestFinished(() => transport.close());
      const client = new KubeClient(transport);
      const { signal } = new AbortController();
      return new SecretIdentityStore({ client, namespace: "default", name: "bowline-agent", signal });
    });
    return { cluster, stores };
  }

  test("agents that start at once end with one key", async () => {
    const registrar = await startRegistrar();
    const { stores } = await secretStores(4);
    const token = tokenFor(registrar.url);
    const identities = await Promise.all(stores.map((store) => establish(store, token)));
    expect(new Set(identities.map(({ agentId }) => agentId)).size).toBe(1);
    const keys = registrar.hellos.map(({ publicKey }) => Buffer.from(publicKey).toString("hex"));
    expect(new Set(keys).size).toBe(1);
  });

  test("a Secret that was made beforehand is filled, and keeps what else is in it", async () => {
    const registrar = await startRegistrar();
    const { cluster, stores } = await secretStores(1);
    cluster.api.create("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "bowline-agent", namespace: "default", labels: { keep: "me" } },
      data: { other: "eA==" },
    });
    const [store] = stores;
    if (store === undefined) throw new Error("There is no store.");
    const identity = await establish(store, tokenFor(registrar.url));
    expect((await store.read())?.joined).toEqual(identity);
    const secret = cluster.api.get("secrets", "default", "bowline-agent");
    expect(secret).toMatchObject({ metadata: { labels: { keep: "me" } }, data: { other: "eA==" } });
  });
});
