import { expect, test } from "vitest";

import { TestHome } from "../../testing/test-home.ts";

test("the policy of a cluster, and the boundary of all roles, are printed without a server", async () => {
  await using home = await TestHome.create();
  const { out } = await home.run(["cluster", "policy", "--provider", "eks", "--name", "web"]);
  const policy: { readonly Statement: readonly { readonly Sid: string; readonly Resource: unknown }[] } =
    JSON.parse(out);
  expect(policy.Statement.find(({ Sid }) => Sid === "MakeRoles")?.Resource).toEqual([
    "arn:*:iam::*:role/bowline-web-*-cluster",
    "arn:*:iam::*:role/bowline-web-*-node",
  ]);
  const boundary = await home.run(["cluster", "policy", "--provider", "eks", "--boundary"]);
  expect(JSON.parse(boundary.out)).toMatchObject({ Version: "2012-10-17" });
  expect(boundary.out).not.toContain("iam:*");
  expect(await home.run(["cluster", "policy", "--provider", "eks"])).toMatchObject({
    code: 2,
    error: expect.stringContaining("--name"),
  });
});
