import { makeSshKey } from "@bowline/test-services/git";
import { beforeEach, expect, test } from "vitest";

import { configMap, SourceHarness } from "./testing/source-harness.ts";

const good = "Ready True Resolved, UpToDate True Resolved";

let harness: SourceHarness;

beforeEach(async () => {
  harness = await SourceHarness.open();
});

test("a branch that is deleted leaves the last revision, and is followed again when it is back", async () => {
  const first = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define();
  await harness.start();
  await harness.until(good);
  await harness.repository.git("branch", "-m", "main", "trunk");
  await harness.untilPolled(2);
  await harness.until("Ready True Resolved, UpToDate False RefNotFound");
  expect((await harness.definition()).status.revision?.commit).toBe(first);
  await harness.repository.git("branch", "-m", "trunk", "main");
  const second = await harness.repository.commit({ files: { "a.yaml": configMap("b") } });
  await harness.untilPolled(2);
  await harness.untilCommit(second);
  await harness.until(good);
});

test("a branch that is set back by force is followed back, where that is not forbidden", async () => {
  const first = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  const second = await harness.repository.commit({ files: { "a.yaml": configMap("b") } });
  await harness.define();
  await harness.start();
  await harness.untilCommit(second);
  await harness.repository.git("update-ref", "refs/heads/main", first);
  await harness.untilPolled(2);
  await harness.untilCommit(first);
  expect(await harness.objects()).toEqual(["a"]);
});

test("a tag that is moved is followed, and read once for each place that it has been at", async () => {
  const first = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.repository.tag("stable", { commit: first, message: "stable" });
  await harness.define({ ref: "stable" });
  await harness.start();
  await harness.untilCommit(first);
  const second = await harness.repository.commit({ files: { "a.yaml": configMap("b") } });
  await harness.repository.tag("stable", { commit: second, message: "stable" });
  await harness.untilPolled(2);
  await harness.untilCommit(second);
  expect(await harness.objects()).toEqual(["b"]);
});

test("an older commit is not taken because it is signed, where only fast-forwards are", async () => {
  const key = await makeSshKey(harness.folder, "ada");
  const old = await harness.repository.commit({ files: { "a.yaml": configMap("a") }, sign: key });
  const newer = await harness.repository.commit({ files: { "a.yaml": configMap("b") }, sign: key });
  const verify = { mode: "commit" as const, keys: [{ publicKey: key.publicKey, signer: "ada" }] };
  await harness.define({ verify, history: "fastForwardOnly" });
  await harness.start();
  await harness.untilCommit(newer);
  await harness.until(good);
  await harness.repository.git("update-ref", "refs/heads/main", old);
  await harness.untilPolled(2);
  await harness.until("Ready True Resolved, UpToDate False NotDescendant");
  expect((await harness.definition()).status.revision?.commit).toBe(newer);
  expect(await harness.objects()).toEqual(["b"]);
});
