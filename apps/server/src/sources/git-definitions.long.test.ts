import { makeSshKey } from "@bowline/test-services/git";
import { beforeEach, describe, expect, test } from "vitest";

import { configMap, SourceHarness } from "./testing/source-harness.ts";

const good = "Ready True Resolved, UpToDate True Resolved";

let harness: SourceHarness;

beforeEach(async () => {
  harness = await SourceHarness.open();
});

describe("a definition from git", () => {
  test("becomes a revision with its commit, and a new commit the next one", async () => {
    const first = await harness.repository.commit({ files: { "app/a.yaml": configMap("a") } });
    await harness.define({ path: "app" });
    await harness.start();
    await harness.until(good);
    expect(await harness.definition()).toMatchObject({
      status: { revision: { commit: first }, resources: 1, source: { commit: first } },
    });
    const second = await harness.repository.commit({ files: { "app/b.yaml": configMap("b") } });
    await harness.untilPolled(2);
    await harness.untilCommit(second);
    expect(await harness.objects()).toEqual(["a", "b"]);
  });

  test("is not rendered again by a commit that changes nothing of it", async () => {
    await harness.repository.commit({ files: { "app/a.yaml": configMap("a") } });
    await harness.define({ path: "app" });
    await harness.start();
    await harness.until(good);
    const { revision } = (await harness.definition()).status;
    const second = await harness.repository.commit({ files: { "README.md": "# app\n" } });
    await harness.untilPolled(2);
    await harness.untilCommit(second);
    expect((await harness.definition()).status.revision?.id).toBe(revision?.id);
  });

  test("keeps its last revision when git is gone for an hour, and writes one row about it", async () => {
    const first = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.define();
    await harness.start();
    await harness.until(good);
    harness.server.fault = { kind: "status", status: 503 };
    await harness.untilPolled(2);
    await harness.until("Ready True Resolved, UpToDate False ServerError");
    const away = await harness.definition();
    expect(away.status.revision?.commit).toBe(first);
    const awayMs = harness.clock.monotonicMs();
    while (harness.clock.monotonicMs() - awayMs < 3_600_000) await harness.untilPolled(1);
    expect(await harness.definition()).toEqual(away);
    expect(await harness.events()).toEqual(["ServerError"]);
    harness.server.fault = undefined;
    await harness.untilPolled(1);
    await harness.until(good);
    expect((await harness.definition()).status.revision).toEqual(away.status.revision);
  });

  test("asks one question for all that follow a repository, and writes nothing while nothing changes", async () => {
    await harness.repository.commit({ files: { "a/x.yaml": configMap("a"), "b/x.yaml": configMap("b") } });
    const names = Array.from({ length: 10 }, (_, at) => `web-${at}`);
    for (const [at, name] of names.entries())
      await harness.define({ path: at % 2 === 0 ? "a" : "b" }, {}, name);
    await harness.start();
    for (const name of names) await harness.until(good, name);
    const [asked, head] = [harness.questions, await harness.store.changes.head()];
    const beganMs = harness.clock.monotonicMs();
    await harness.untilPolled(5);
    expect(harness.questions - asked).toBeLessThan(names.length);
    expect(harness.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(4 * 60_000);
    expect(await harness.store.changes.head()).toEqual(head);
  });
});

test("a definition that wants to know sooner does not wait for the others of its repository", async () => {
  await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define({ interval: "24h" }, {}, "slow");
  await harness.start();
  await harness.until(good, "slow");
  await harness.define({ interval: "1m" }, {}, "quick");
  await harness.until(good, "quick");
  const beganMs = harness.clock.monotonicMs();
  await harness.untilPolled(1);
  expect(harness.clock.monotonicMs() - beganMs).toBeLessThan(3 * 60_000);
});

describe("a commit that must not be used", () => {
  test("leaves the last good one when it is not signed", async () => {
    const key = await makeSshKey(harness.folder, "ada");
    const signed = await harness.repository.commit({ files: { "a.yaml": configMap("a") }, sign: key });
    await harness.define({ verify: { mode: "commit", keys: [{ publicKey: key.publicKey, signer: "ada" }] } });
    await harness.start();
    await harness.until(good);
    expect((await harness.definition()).status.revision).toMatchObject({ commit: signed, signer: "ada" });
    const unsigned = await harness.repository.commit({ files: { "a.yaml": configMap("a", "2") } });
    await harness.untilPolled(2);
    await harness.until("Ready True Resolved, UpToDate False NotVerified");
    const { revision, source } = (await harness.definition()).status;
    expect(revision?.commit).toBe(signed);
    expect(source?.commit).toBe(unsigned);
    const { items } = await harness.store.revisions.list((await harness.definition()).metadata.id);
    expect(items.map(({ commit, signer }) => [commit, signer])).toEqual([[signed, "ada"]]);
  });

  test("leaves the last good one when the branch was moved by force, if only fast-forwards are taken", async () => {
    await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.define({ history: "fastForwardOnly" });
    await harness.start();
    await harness.until(good);
    const { revision } = (await harness.definition()).status;
    await harness.repository.commit({ files: { "a.yaml": configMap("b") }, orphan: true });
    await harness.untilPolled(2);
    await harness.until("Ready True Resolved, UpToDate False NotDescendant");
    expect((await harness.definition()).status.revision).toEqual(revision);
  });

  test.each([
    ["RenderFailed", { "a.yaml": "kind: [\n" }],
    ["RenderFailed", { "a.yaml": configMap("a", "${{ missing }}") }],
    ["RenderFailed", { "a.yaml": null }],
    ["TooLarge", { "big.yaml": `# ${"x".repeat(2 ** 20)}` }],
  ])("leaves the last good one with %s", async (reason, files) => {
    await harness.repository.commit({ files: { "a.yaml": configMap("a"), "README.md": "# a" } });
    await harness.define();
    await harness.start();
    await harness.until(good);
    const { revision } = (await harness.definition()).status;
    await harness.repository.commit({ files });
    await harness.untilPolled(2);
    await harness.until(`Ready True Resolved, UpToDate False ${reason}`);
    const broken = await harness.definition();
    expect(broken.status.revision).toEqual(revision);
    const mended = await harness.repository.commit({
      files: { "a.yaml": configMap("a", "3"), "big.yaml": null },
    });
    await harness.untilPolled(2);
    await harness.untilCommit(mended);
    await harness.until(good);
  });
});

describe("a source that cannot be read", () => {
  test("is not ready, says why, and is read as soon as the credential is right", async () => {
    harness.server.account = { username: "reader", password: "right" };
    await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.credential({ type: "basic", data: { username: "reader", password: "wrong" } });
    await harness.define();
    await harness.start();
    await harness.until("Ready False AuthFailed, UpToDate False AuthFailed");
    await harness.credential({ type: "basic", data: { username: "reader", password: "right" } });
    await harness.until(good);
    expect(await harness.objects()).toEqual(["a"]);
  });

  test("sends no credential to a host that it does not list", async () => {
    await harness.credential({
      type: "basic",
      hosts: ["git.example.com"],
      data: { username: "a", password: "b" },
    });
    await harness.define();
    await harness.start();
    await harness.until("Ready False CredentialRefused, UpToDate False CredentialRefused");
    expect(harness.server.requests).toEqual([]);
  });

  test("shows its credential nowhere, whether it is right or wrong", async () => {
    const canary = "canary-5e0d1f";
    harness.server.account = { username: "reader", password: canary };
    await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.credential({ type: "basic", data: { username: "reader", password: `${canary}-wrong` } });
    await harness.define();
    await harness.start();
    await harness.until("Ready False AuthFailed, UpToDate False AuthFailed");
    await harness.credential({ type: "basic", data: { username: "reader", password: canary } });
    await harness.until(good);
    const { store } = harness;
    const events = await store.events.list();
    const shown = JSON.stringify([await harness.definition(), events.items, harness.logged]);
    const forms = [canary, Buffer.from(`reader:${canary}`).toString("base64")];
    expect(forms.filter((form) => shown.includes(form))).toEqual([]);
    expect(harness.logged.length).toBeGreaterThan(0);
  });

  test("of another spec is not held up by the last revision: its author has not agreed to that", async () => {
    await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.define();
    await harness.start();
    await harness.until(good);
    await harness.define({ ref: "other" });
    await harness.until("Ready False RefNotFound, UpToDate False RefNotFound");
    await harness.repository.commit({ branch: "other", files: { "b.yaml": configMap("b") } });
    await harness.untilPolled(2);
    await harness.until(good);
    expect(await harness.objects()).toEqual(["b"]);
  });

  test("that is paused is left alone", async () => {
    const first = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
    await harness.define();
    await harness.start();
    await harness.until(good);
    await harness.define({}, { paused: { reason: "a freeze" } });
    await harness.until("Ready True Resolved, UpToDate False Suspended");
    await harness.repository.commit({ files: { "a.yaml": configMap("b") } });
    await harness.clock.advance(10 * 60_000);
    expect((await harness.definition()).status.revision?.commit).toBe(first);
  });
});

describe("kustomize", () => {
  test("reads bases beside the folder, and nothing else of the repository", async () => {
    await harness.repository.commit({
      files: {
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": configMap("a"),
        "overlay/kustomization.yaml": "bases: [../base]\nnamePrefix: prod-\n",
        "other/broken.yaml": "{",
      },
    });
    await harness.define({ path: "overlay" });
    await harness.start();
    await harness.until(good);
    expect(await harness.objects()).toEqual(["prod-a"]);
    expect((await harness.definition()).status.source?.renderer).toMatch(/^ku/u);
  });
});
