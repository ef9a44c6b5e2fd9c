import { Credential } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { credential } from "../sample-objects.ts";
import { newStore, openTestStore, testKey, type StoreHarness } from "../store-harness.ts";

export function secretsContract(harness: StoreHarness): void {
  describe("secrets", () => {
    test("are never returned, except to who reveals them", async () => {
      const { objects } = await newStore(harness);
      const created = await objects.create(Credential, credential("a", { token: "s3cret-value" }));
      const shown = [created, await objects.get(Credential, "a"), await objects.list(Credential)];
      expect(JSON.stringify(shown)).not.toContain("s3cret-value");
      expect(await objects.reveal(Credential, "a")).toMatchObject({
        spec: { data: { token: "s3cret-value" } },
      });
      expect(await objects.reveal(Credential, "none")).toBeUndefined();
    });

    test("stay as they are when a write leaves them out, and changing them changes the spec", async () => {
      const { objects } = await newStore(harness);
      await objects.create(Credential, credential("a", { token: "one" }));
      const without = await objects.write(Credential, "a", () => credential("a"));
      expect(without.outcome).toBe("unchanged");
      const same = await objects.write(Credential, "a", () => credential("a", { token: "one" }));
      expect(same.outcome).toBe("unchanged");
      const changed = await objects.write(Credential, "a", () => credential("a", { token: "two" }));
      expect(changed).toMatchObject({ outcome: "updated", object: { metadata: { generation: 2 } } });
      expect(await objects.reveal(Credential, "a")).toMatchObject({ spec: { data: { token: "two" } } });
    });

    test("are told apart in the status, which is not written by anybody else", async () => {
      const { objects } = await newStore(harness);
      const { object: first } = await objects.create(Credential, credential("a", { token: "one" }));
      const { keys, fingerprint } = first.status;
      expect(keys).toEqual(["token"]);
      expect(fingerprint).toMatch(/^[0-9a-f]{16}$/u);
      const { object: twin } = await objects.create(Credential, credential("b", { token: "one" }));
      expect(twin.status.fingerprint).not.toBe(fingerprint);

      const labelled = { ...credential("a"), metadata: { name: "a", labels: { app: "x" }, annotations: {} } };
      const { object: same } = await objects.write(Credential, "a", () => labelled);
      expect(same.status).toEqual(first.status);
      const forged = { conditions: [], keys: ["none"], fingerprint: "0".repeat(16) };
      const { outcome } = await objects.writeStatus(Credential, "a", () => forged);
      expect(outcome).toBe("unchanged");
      const { object: emptied } = await objects.writeStatus(Credential, "a", () => ({
        observedGeneration: 1,
        conditions: [],
        keys: [],
      }));
      expect(emptied.status).toEqual({ ...first.status, observedGeneration: 1 });

      const other = credential("a", { username: "operator", token: "two" });
      const { object: changed } = await objects.write(Credential, "a", () => other);
      expect(changed.status.keys).toEqual(["token", "username"]);
      expect(changed.status.fingerprint).not.toBe(fingerprint);
      expect((await objects.get(Credential, "a"))?.status).toEqual(changed.status);
    });

    test.runIf(harness.canReopen)(
      "can be given a new key, after which the old one is not needed",
      async () => {
        const database = await harness.newDatabase();
        const [oldKey, newKey] = [testKey("old"), testKey("new")];
        const first = await openTestStore(database, { keys: [oldKey] });
        for (const name of ["a", "b"])
          await first.objects.create(Credential, credential(name, { token: name }));
        await first.close();

        const rotating = await openTestStore(database, { keys: [newKey, oldKey] });
        await rotating.objects.create(Credential, credential("c", { token: "c" }));
        const head = await rotating.changes.head();
        expect(await rotating.objects.reveal(Credential, "a")).toMatchObject({
          spec: { data: { token: "a" } },
        });
        expect(await rotating.reencrypt()).toBe(2);
        expect(await rotating.reencrypt()).toBe(0);
        expect(await rotating.changes.head()).toBe(head);
        await rotating.close();

        const rotated = await openTestStore(database, { keys: [newKey] });
        for (const name of ["a", "b", "c"]) {
          expect(await rotated.objects.reveal(Credential, name)).toMatchObject({
            spec: { data: { token: name } },
          });
        }
        await rotated.close();

        const wrong = await openTestStore(database, { keys: [oldKey] });
        await expect(wrong.objects.reveal(Credential, "a")).rejects.toMatchObject({
          code: "DecryptionFailed",
        });
        expect(await wrong.objects.get(Credential, "a")).toBeDefined();
      },
    );
  });
}
