import { TestAuthority } from "@bowline/test-services/certificates";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { GitCache, RefClient, refPrefixes, resolveRef, type RefClientOptions } from "../index.ts";
import { createStage, type Stage } from "../testing/stage.ts";

const clientOf = (stage: Stage, options: Partial<RefClientOptions> = {}): RefClient =>
  new RefClient({ folder: stage.workFolder, protocols: ["http", "https", "file"], ...options });

const account = { username: "reader", password: "p4ss-canary-w0rd" };
const basic = { type: "basic", fingerprint: "f1", ...account } as const;
const allHeads = ["refs/heads/"];

describe("refs over HTTP", () => {
  it("are those below the prefixes, with targets and peeled tags, in one request from the second time on", async () => {
    await using stage = await createStage();
    const tagId = await stage.repository.tag("v1", { commit: stage.first, message: "one" });
    await stage.repository.commit({ branch: "other", files: { x: "1" } });
    await using client = clientOf(stage);
    const request = { url: stage.url, prefixes: ["HEAD", "refs/heads/main", "refs/tags/v1"] };
    const expected = [
      { name: "HEAD", id: stage.first, target: "refs/heads/main" },
      { name: "refs/heads/main", id: stage.first },
      { name: "refs/tags/v1", id: tagId, peeled: stage.first },
    ];
    expect(await client.listRefs(request)).toEqual(expected);
    const before = stage.server.requests.length;
    expect(await client.listRefs(request)).toEqual(expected);
    expect(stage.server.requests.slice(before).map(({ method }) => method)).toEqual(["POST"]);
  });

  it("are the same from a server that speaks only the first protocol", async () => {
    await using stage = await createStage();
    const tagId = await stage.repository.tag("v1", { commit: stage.first, message: "one" });
    stage.server.onlyOldProtocol = true;
    await using client = clientOf(stage);
    expect(await client.listRefs({ url: stage.url, prefixes: ["HEAD", "refs/tags/"] })).toEqual([
      { name: "HEAD", id: stage.first, target: "refs/heads/main" },
      { name: "refs/tags/v1", id: tagId, peeled: stage.first },
    ]);
  });

  it("are found again when the server changed to the first protocol", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    await client.listRefs({ url: stage.url, prefixes: allHeads });
    stage.server.onlyOldProtocol = true;
    expect(await client.listRefs({ url: stage.url, prefixes: allHeads })).toHaveLength(1);
  });

  it("of an empty repository are none", async () => {
    await using stage = await createStage();
    await stage.repository.git("update-ref", "-d", "refs/heads/main");
    await using client = clientOf(stage);
    expect(await client.listRefs({ url: stage.url, prefixes: [] })).toEqual([]);
    stage.server.onlyOldProtocol = true;
    await using other = clientOf(stage);
    expect(await other.listRefs({ url: stage.url, prefixes: [] })).toEqual([]);
  });

  it("need the account, and a revoked one is refused without naming the password", async () => {
    await using stage = await createStage();
    stage.server.account = account;
    await using client = clientOf(stage);
    expect(await client.listRefs({ url: stage.url, credential: basic, prefixes: allHeads })).toHaveLength(1);
    stage.server.account = { username: "reader", password: "another" };
    const refused = client.listRefs({ url: stage.url, credential: basic, prefixes: allHeads });
    await expect(refused).rejects.toMatchObject({ code: "AuthFailed", retryable: false });
    await expect(refused).rejects.not.toThrow(/canary/u);
    await expect(client.listRefs({ url: stage.url, prefixes: [] })).rejects.toThrow(/asks for a credential/u);
  });

  it("never follow a redirect, and name the new address", async () => {
    await using stage = await createStage();
    await using elsewhere = await createStage();
    stage.server.fault = { kind: "redirect", to: `http://user:pw@127.0.0.1:${elsewhere.server.port}` };
    await using client = clientOf(stage);
    await expect(client.listRefs({ url: stage.url, credential: basic, prefixes: [] })).rejects.toMatchObject({
      code: "Redirected",
      details: { location: elsewhere.url },
    });
    expect(elsewhere.server.requests).toEqual([]);
  });
});

describe("a server that fails", () => {
  it.each([
    [401, "AuthFailed"],
    [403, "AuthFailed"],
    [404, "RepositoryNotFound"],
    [429, "TooManyRequests"],
    [500, "ServerError"],
    [503, "ServerError"],
    [418, "NotGit"],
  ])("with status %i is %s", async (status, code) => {
    await using stage = await createStage();
    stage.server.fault = { kind: "status", status, headers: { "retry-after": "7" } };
    await using client = clientOf(stage);
    const failed = client.listRefs({ url: stage.url, credential: basic, prefixes: [] });
    await expect(failed).rejects.toMatchObject({ code, details: { status } });
  });

  it("says how long to wait", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    for (const [header, retryAfterMs] of [
      ["7", 7_000],
      [new Date(0).toUTCString(), 0],
    ] as const) {
      stage.server.fault = { kind: "status", status: 429, headers: { "retry-after": header } };
      const failed = client.listRefs({ url: stage.url, prefixes: [] });
      await expect(failed).rejects.toMatchObject({ details: { retryAfterMs } });
    }
  });

  it("by a page for people is no git server", async () => {
    await using stage = await createStage();
    stage.server.fault = { kind: "garbage" };
    await using client = clientOf(stage);
    await expect(client.listRefs({ url: stage.url, prefixes: [] })).rejects.toMatchObject({ code: "NotGit" });
  });

  it.each([0, 1, 30, 60, 100])("by ending its answer after %i bytes was cut off", async (afterBytes) => {
    await using stage = await createStage();
    stage.server.fault = { kind: "truncate", afterBytes: afterBytes + 1 };
    await using client = clientOf(stage);
    await expect(client.listRefs({ url: stage.url, prefixes: [] })).rejects.toMatchObject({
      code: "ResponseInvalid",
      retryable: true,
    });
  });

  it("by saying nothing runs into the limit, and ends at once when the caller gives up", async () => {
    await using stage = await createStage();
    stage.server.fault = { kind: "silent" };
    await using patient = clientOf(stage);
    const stop = new AbortController();
    const waiting = patient.listRefs({ url: stage.url, prefixes: [], signal: stop.signal });
    await expect.poll(() => stage.server.requests.length).toBe(1);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "Cancelled" });
    // It may be over before the server has heard anything.
    await using hasty = clientOf(stage, { timeoutMs: 50 });
    await expect(hasty.listRefs({ url: stage.url, prefixes: [] })).rejects.toMatchObject({
      code: "Timeout",
    });
  });

  it("by not being there is unreachable, as is a host that nobody knows", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    await stage.server[Symbol.asyncDispose]().catch(() => {});
    await expect(client.listRefs({ url: stage.url, prefixes: [] })).rejects.toMatchObject({
      code: "Unreachable",
    });
    await expect(
      client.listRefs({ url: "https://no-such-host.invalid/x", prefixes: [] }),
    ).rejects.toMatchObject({
      code: "Unreachable",
      message: expect.stringContaining("by no proxy, whatever HTTPS_PROXY says"),
    });
  });

  it("is asked by no proxy that the environment names", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) vi.stubEnv(name, "http://127.0.0.1:1");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await client.listRefs({ url: stage.url, prefixes: [] })).not.toEqual([]);
    expect(await cache.fetchCommit({ url: stage.url, commit: stage.first })).toBe(true);
  });

  it("by having too many refs is named with the limit, whatever the protocol", async () => {
    await using stage = await createStage();
    for (const name of ["a", "b", "c"]) await stage.repository.tag(name, { commit: stage.first });
    await using client = clientOf(stage, { maxRefs: 3 });
    const all = { url: stage.url, prefixes: [] };
    await expect(client.listRefs(all)).rejects.toMatchObject({ code: "TooLarge", details: { limit: 3 } });
    stage.server.onlyOldProtocol = true;
    await expect(client.listRefs(all)).rejects.toMatchObject({ code: "TooLarge" });
    await using small = clientOf(stage, { maxBytes: 100 });
    await expect(small.listRefs(all)).rejects.toMatchObject({ code: "TooLarge", details: { limit: 100 } });
  });
});

describe("TLS", () => {
  it("needs the server's authority, and shows the certificate of the client", async () => {
    const authority = await TestAuthority.create();
    const { cert, key } = await authority.issue({ commonName: "server" });
    const client = await authority.issue({ commonName: "client" });
    await using stage = await createStage({ cert, key, clientCa: authority.cert });
    await using refs = clientOf(stage);
    const credential = {
      type: "none",
      fingerprint: "f2",
      caPem: authority.cert,
      clientCert: client.cert,
      clientKey: client.key,
    } as const;
    expect(await refs.listRefs({ url: stage.url, credential, prefixes: allHeads })).toHaveLength(1);
    await expect(refs.listRefs({ url: stage.url, prefixes: [] })).rejects.toMatchObject({
      code: "CertificateUntrusted",
    });
    const { clientCert: _, clientKey: _key, ...anonymous } = credential;
    await expect(
      refs.listRefs({ url: stage.url, credential: anonymous, prefixes: [] }),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:AuthFailed|ResponseInvalid)$/u),
    });
  });

  it("refuses a certificate that has expired", async () => {
    const authority = await TestAuthority.create();
    const tls = await authority.issue({ commonName: "server", notAfter: new Date(Date.now() - 86_400_000) });
    await using stage = await createStage(tls);
    await using client = clientOf(stage);
    const credential = { type: "none", fingerprint: "f3", caPem: authority.cert } as const;
    await expect(client.listRefs({ url: stage.url, credential, prefixes: [] })).rejects.toMatchObject({
      code: "CertificateExpired",
    });
  });
});

describe("a credential", () => {
  it("is refused for a host that it does not list, before anything is sent", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    const list = (hosts: string[]) =>
      client.listRefs({ url: stage.url, credential: { ...basic, hosts }, prefixes: allHeads });
    await expect(list(["git.example.com"])).rejects.toMatchObject({ code: "CredentialRefused" });
    await expect(list(["127.0.0.1:1"])).rejects.toMatchObject({ code: "CredentialRefused" });
    await expect(list([])).rejects.toMatchObject({ code: "CredentialRefused" });
    expect(stage.server.requests).toEqual([]);
    expect(await list([`127.0.0.1:${stage.server.port}`])).toHaveLength(1);
    expect(await list(["127.0.0.1"])).toHaveLength(1);
  });

  it("is not sent where everybody can read it", async () => {
    await using stage = await createStage();
    await using client = clientOf(stage);
    const request = { url: "http://git.example.com/app", credential: basic, prefixes: [] };
    await expect(client.listRefs(request)).rejects.toMatchObject({ code: "CredentialRefused" });
  });
});

describe("a ref", () => {
  const [one, two] = ["1".repeat(40), "2".repeat(40)];
  const refs = [
    { name: "refs/heads/main", id: one },
    { name: "refs/heads/main-2", id: two },
    { name: "refs/heads/both", id: one },
    { name: "refs/tags/both", id: two },
    { name: "refs/tags/v1", id: two, peeled: one },
  ];

  it("is a branch, a tag, a full name or an id", () => {
    expect(resolveRef(refs, "main")).toEqual({ name: "refs/heads/main", commit: one });
    expect(resolveRef(refs, "v1")).toEqual({ name: "refs/tags/v1", commit: one, tagId: two });
    expect(resolveRef(refs, "refs/tags/both")).toEqual({ name: "refs/tags/both", commit: two });
    expect(resolveRef([], two)).toEqual({ name: undefined, commit: two });
    expect(refPrefixes("main")).toEqual(["refs/heads/main", "refs/tags/main"]);
  });

  it("that is gone, or that means two commits, is refused", () => {
    expect(() => resolveRef(refs, "mai")).toThrow(expect.objectContaining({ code: "RefNotFound" }));
    expect(() => resolveRef(refs, "both")).toThrow(expect.objectContaining({ code: "RefAmbiguous" }));
  });
});

it("lists refs of a folder through the git command, where that is allowed", async () => {
  await using stage = await createStage();
  await using client = clientOf(stage);
  const url = `file://${stage.repository.folder}`;
  await stage.repository.commit({ branch: "main-2", files: { x: "1" } });
  const listed = await client.listRefs({ url, prefixes: ["HEAD", "refs/heads/main"] });
  expect(listed.map(({ name }) => name)).toEqual(["HEAD", "refs/heads/main", "refs/heads/main-2"]);
  expect(listed[0]?.target).toBe("refs/heads/main");
  await using strict = clientOf(stage, { protocols: ["https"] });
  await expect(strict.listRefs({ url, prefixes: [] })).rejects.toMatchObject({ code: "InvalidArgument" });
});
