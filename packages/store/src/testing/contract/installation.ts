import { describe, expect, test } from "vitest";

import { newStore, openTestStore, testKey, type StoreHarness } from "../store-harness.ts";

export function installationContract(harness: StoreHarness): void {
  describe("what an installation agrees on", () => {
    test("is decided by whoever comes first", async () => {
      const { installation } = await newStore(harness);
      expect(await installation.recall("ca")).toBeUndefined();
      const kept = await Promise.all(["a", "b", "c"].map((value) => installation.remember("ca", value)));
      expect(new Set(kept).size).toBe(1);
      expect(await installation.remember("ca", "later")).toBe(kept[0]);
      expect(await installation.recall("ca")).toBe(kept[0]);
      expect(await installation.remember("other", "value")).toBe("value");
    });

    test.runIf(harness.canReopen)("is encrypted, and can be given a new key", async () => {
      const database = await harness.newDatabase();
      const first = await openTestStore(database, { keys: [testKey("old")] });
      await first.installation.remember("ca", "value");
      await first.close();

      const wrong = await openTestStore(database, { keys: [testKey("new")] });
      const failure = { code: "DecryptionFailed" };
      await expect(wrong.installation.recall("ca")).rejects.toMatchObject(failure);
      await expect(wrong.installation.remember("ca", "mine")).rejects.toMatchObject(failure);
      await wrong.close();

      const rotating = await openTestStore(database, { keys: [testKey("new"), testKey("old")] });
      expect(await rotating.reencrypt()).toBe(1);
      expect(await rotating.reencrypt()).toBe(0);
      await rotating.close();

      const rotated = await openTestStore(database, { keys: [testKey("new")] });
      expect(await rotated.installation.recall("ca")).toBe("value");
    });
  });
}
