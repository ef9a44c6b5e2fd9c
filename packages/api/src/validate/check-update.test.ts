import { expect, test } from "vitest";

import { Cluster } from "../kinds/cluster.ts";
import { checkUpdate } from "./check-update.ts";

test("names the fields that cannot be changed and would be", () => {
  const before = { spec: { provider: "existing", region: "eu" } };
  expect(checkUpdate(Cluster, before, { spec: { provider: "existing", region: "us" } })).toEqual([]);
  expect(checkUpdate(Cluster, before, { spec: { provider: "kind" } })).toEqual([
    { path: "spec.provider", message: "cannot be changed once the object exists" },
  ]);
});
