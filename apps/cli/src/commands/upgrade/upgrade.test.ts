import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { startRealServer } from "../../testing/real-server.ts";
import { runBowline, type Ran } from "../../testing/run-bowline.ts";
import { tempFolder } from "../../testing/server-client.ts";

test("bowline upgrade --check says what stands against it, and changes nothing", async () => {
  const data = await tempFolder();
  const server = await startRealServer(data);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const environment = {
    HOME: data,
    BOWLINE_SERVER: server.url,
    BOWLINE_TOKEN: (await readFile(server.adminTokenFile, "utf8")).trim(),
    BOWLINE_CA_FILE: join(data, "tls", "ca.crt"),
  };
  const bowline = (...args: string[]): Promise<Ran> => runBowline(args, { environment });
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
