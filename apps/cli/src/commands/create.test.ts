import { expect, test } from "vitest";

import { startObjectServer } from "../testing/object-server.ts";

test("create makes what is new and refuses what is there already", async () => {
  await using server = await startObjectServer();
  const create = (name: string, ...flags: string[]): ReturnType<typeof server.bowline> =>
    server.bowline(["create", "-f", "-", ...flags], {
      stdin: `kind: User\nmetadata: {name: ${name}}\nspec: {}\n`,
    });
  expect(await create("deputy", "--dry-run")).toMatchObject({
    code: 0,
    out: "user/deputy created (dry run)\n",
  });
  expect(await create("deputy")).toMatchObject({ code: 0, out: "user/deputy created\n", error: "" });
  const again = await create("deputy");
  expect(again).toMatchObject({ code: 1, out: "" });
  expect(again.error).toMatch(
    /^error: standard input, line 1: user\/deputy: There is a User "deputy" already/,
  );
});
