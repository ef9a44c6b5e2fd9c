import { expect, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { Credential } from "../kinds/credential.ts";
import { checkUpdate } from "./check-update.ts";

test("names the fields that cannot be changed and would be", () => {
  const before = { spec: { provider: "existing", region: "eu" } };
  expect(checkUpdate(Cluster, before, { spec: { provider: "existing", region: "us" } })).toEqual([]);
  expect(checkUpdate(Cluster, before, { spec: { provider: "kind" } })).toEqual([
    { path: "spec.provider", message: "cannot be changed once the object exists" },
  ]);
});

test("tells what a kind does not take of a change", () => {
  const before = { spec: { type: "basic" } };
  expect(checkUpdate(Credential, before, { spec: { type: "basic" } })).toEqual([]);
  expect(checkUpdate(Credential, before, { spec: { type: "token", data: { token: "s3cret" } } })).toEqual([]);
  expect(checkUpdate(Credential, before, { spec: { type: "token" } })).toEqual([
    { path: "spec.data", message: "is required when spec.type changes" },
  ]);
});
