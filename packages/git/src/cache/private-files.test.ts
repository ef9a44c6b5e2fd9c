import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { descendantPids, livingPids } from "@bowline/test-services";
import { TestAuthority } from "@bowline/test-services/certificates";
import { describe, expect, it } from "vitest";

import { GitCache } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";

const cacheOf = (stage: Stage): GitCache =>
  new GitCache({ folder: stage.workFolder, protocols: ["http", "https"] });

describe("a fetch over TLS", () => {
  it("trusts the authority of the credential and shows the client's certificate, and nothing else will do", async () => {
    const authority = await TestAuthority.create();
    const stranger = await TestAuthority.create("stranger");
    const { cert, key } = await authority.issue({ commonName: "server" });
    const client = await authority.issue({ commonName: "client" });
    await using stage = await createStage({ cert, key, clientCa: authority.cert });
    const base = { type: "none", clientCert: client.cert, clientKey: client.key } as const;
    const fetch = async (caPem: string, fingerprint: string): Promise<boolean> => {
      const credential = { ...base, caPem, fingerprint };
      return cacheOf(stage).fetchCommit({ url: stage.url, credential, commit: stage.first });
    };
    expect(await fetch(authority.cert, "a")).toBe(true);
    await expect(fetch(stranger.cert, "b")).rejects.toMatchObject({ code: "CertificateUntrusted" });
    const anonymous = { type: "none", caPem: authority.cert, fingerprint: "c" } as const;
    const refused = cacheOf(stage).fetchCommit({
      url: stage.url,
      credential: anonymous,
      commit: stage.first,
    });
    await expect(refused).rejects.toThrow(stage.url);
  });

  it("refuses a certificate that has expired", async () => {
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server", notAfter: new Date(Date.now() - 86_400_000) });
    await using stage = await createStage(tls);
    const credential = { type: "none", caPem: authority.cert, fingerprint: "a" } as const;
    const refused = cacheOf(stage).fetchCommit({ url: stage.url, credential, commit: stage.first });
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^Certificate/u) });
  });
});

describe("private files", () => {
  it("are for their owner only while a command runs, and go with it and all its processes", async () => {
    await using stage = await createStage();
    stage.server.fault = { kind: "silent", on: "objects" };
    const stop = new AbortController();
    const credential = { type: "none", caPem: "not read over HTTP", fingerprint: "a" } as const;
    const request = { url: stage.url, credential, commit: stage.first, signal: stop.signal };
    const fetching = cacheOf(stage).fetchCommit(request);
    await expect.poll(() => stage.server.requests.length).toBe(2);
    const run = join(stage.workFolder, "run");
    const folder = (await readdir(run)).find((name) => name.startsWith("private-")) ?? "";
    const modeOf = async (...path: string[]): Promise<number> =>
      (await stat(join(run, ...path))).mode & 0o777;
    expect([await modeOf(folder), await modeOf(folder, "ca.pem")]).toEqual([0o700, 0o600]);
    const pids = await gitProcesses();
    expect(pids.length).toBeGreaterThan(1);
    stop.abort();
    await expect(fetching).rejects.toMatchObject({ code: "Cancelled" });
    expect(await livingPids(pids)).toEqual([]);
    expect(await readdir(run)).toEqual(["home"]);
  });

  it("that a killed process left are removed on the first use", async () => {
    await using stage = await createStage();
    const left = join(stage.workFolder, "run", "private-left");
    await mkdir(left, { recursive: true });
    await writeFile(join(left, "key"), "secret");
    await cacheOf(stage).fetchCommit({ url: stage.url, commit: stage.first });
    expect(await readdir(join(stage.workFolder, "run"))).toEqual(["home"]);
  });
});

/** The fetch and what it started; the server runs nothing while it is silent. */
async function gitProcesses(): Promise<number[]> {
  const pids = await descendantPids(process.pid);
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return pids.filter((_, at) => basename(commands[at]?.split("\0")[0] ?? "").startsWith("git"));
}
