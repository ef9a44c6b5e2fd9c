import { join } from "node:path";

import { expect, test } from "vitest";

import { startServerForAdmin } from "../../testing/real-server.ts";

test("bowline upgrade --check says what stands against it, and changes nothing", async () => {
  const { data, bowline } = await startServerForAdmin();
  const first = await bowline("upgrade", "--check");
  expect([first.code, first.out]).toEqual([
    1,
    expect.stringMatching(/^From 1\.2\.3 to 1\.2\.3:\n\nwarning: The audit log knows of no backup/u),
  ]);
  await bowline("backup", "create", join(data, "a.backup"));
  await expect
    .poll(async () => (await bowline("upgrade", "--check")).out)
    .toBe("From 1.2.3 to 1.2.3:\n\nNothing stands against it.\n");
  const far = await bowline("upgrade", "--check", "--to", "1.9.0", "-o", "json");
  expect(JSON.parse(far.out)).toMatchObject({
    from: "1.2.3",
    to: "1.9.0",
    problems: 1,
    findings: [{ check: "target" }],
  });
  expect(await bowline("upgrade", "--check", "--to", "newest")).toMatchObject({ code: 2 });
  expect(await bowline("upgrade")).toMatchObject({ code: 1, error: expect.stringContaining("bowline up") });
});
