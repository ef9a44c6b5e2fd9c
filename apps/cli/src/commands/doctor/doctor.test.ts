import { rm } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { startServerForAdmin } from "../../testing/real-server.ts";
import { runBowline } from "../../testing/run-bowline.ts";
import { tempFolder } from "../../testing/server-client.ts";

describe("bowline doctor", () => {
  test("finds nothing wrong with a new server, and says what is worth knowing", async () => {
    const { bowline } = await startServerForAdmin();
    const { code, out } = await bowline("doctor");
    expect([code, out]).toEqual([0, expect.stringMatching(/^note: The audit log knows of no backup/u)]);
    expect(out).toMatch(/\n\nNothing is wrong\.\n$/u);
    const file = join(await tempFolder(), "a.backup");
    expect(await bowline("backup", "create", file)).toMatchObject({ code: 0 });
    await expect
      .poll(async () => JSON.parse((await bowline("doctor", "-o", "json")).out))
      .toEqual({ problems: 0, findings: [] });
  });

  test("says what is wrong with one that is dead, and looks at its data folder", async () => {
    const { data, server, bowline } = await startServerForAdmin();
    await server[Symbol.asyncDispose]();
    const address = server.address;
    const { code, out } = await bowline("doctor", "--data", data, "--listen", address);
    expect(code).toBe(1);
    expect(out).toMatch(/^error: .*127\.0\.0\.1/u);
    expect(out).toContain("No server runs on the data in");
    await rm(join(data, "encryption.keys"));
    expect((await bowline("doctor", "--data", data, "--listen", address)).out).toContain(
      "There is no file with encryption keys",
    );
    expect((await bowline("doctor", "--data", join(data, "none"))).out).toContain(
      "There is no data folder at",
    );
  });

  test("without a server to ask it says how to name one", async () => {
    const { code, out } = await runBowline(["doctor"], { environment: { HOME: await tempFolder() } });
    expect([code, out]).toEqual([1, expect.stringContaining("error: You are not logged in to a server")]);
  });
});
