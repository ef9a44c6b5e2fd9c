import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { GitHttpServer, makeSshKey, TestRepository } from "@bowline/test-services/git";
import { expect, test } from "vitest";

import { GitCache, RefClient } from "../index.ts";

test("a repository whose ids are of SHA-256 is listed, fetched, read, followed and verified like any other", async () => {
  await using temp = await createTempFolder("sha256");
  const repository = await TestRepository.create(temp.path, "repository.git", "sha256");
  const sign = await makeSshKey(temp.path, "ada");
  const first = await repository.commit({ files: { "a.yaml": "a: 1\n" }, sign });
  const second = await repository.commit({ files: { "b.yaml": "b: 2\n" }, sign });
  expect(second).toHaveLength(64);
  await using server = await GitHttpServer.start({ folder: temp.path });
  const url = server.url();
  const options = { folder: join(temp.path, "work"), protocols: ["http"] as const };
  await using refs = new RefClient(options);
  expect(await refs.listRefs({ url, prefixes: ["refs/heads/main"] })).toMatchObject([{ id: second }]);
  const cache = new GitCache(options);
  await cache.fetchCommit({ url, commit: second, refName: "refs/heads/main" });
  const { files } = await cache.readTree({ url, commit: second, path: "." });
  expect(files.map(({ path }) => path)).toEqual(["a.yaml", "b.yaml"]);
  expect(await cache.isDescendant({ url, older: first, newer: second })).toBe(true);
  expect(await cache.isDescendant({ url, older: second, newer: first })).toBe(false);
  const keys = [
    { type: "ssh" as const, publicKey: sign.publicKey, principal: "ada", expiresAtMs: undefined },
  ];
  expect(await cache.verify({ url, commit: second, tag: undefined, keys })).toMatchObject({
    verified: true,
    signer: "ada",
  });
});
