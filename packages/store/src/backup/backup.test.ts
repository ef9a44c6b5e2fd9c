import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";

import { Cluster, Credential } from "@bowline/api";
import { canonicalJson, systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { createTempFolder } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import type { Row, Transaction } from "../engine/transaction.ts";
import { migrations } from "../schema/migrations.ts";
import { openEngine, restoreDatabase, type DatabaseOptions, type Store } from "../store.ts";
import { addPlaces, configMaps } from "../testing/contract/inventory.ts";
import { addMadeCluster, resourceRecord } from "../testing/contract/provider-resources.ts";
import { postgresSchemas } from "../testing/postgres-schemas.ts";
import { cluster, credential } from "../testing/sample-objects.ts";
import { openTestStore, testKey } from "../testing/store-harness.ts";
import { backupParts } from "./backup-tables.ts";
import { readHeader, verifyBackup } from "./read-backup.ts";
import { revisionJump } from "./restore-backup.ts";

const schemas = postgresSchemas();
const keys = [testKey("k1")];

const databases = {
  async sqlite(): Promise<DatabaseOptions> {
    const folder = await createTempFolder("backup");
    onTestFinished(() => folder[Symbol.asyncDispose]());
    return { type: "sqlite", file: join(folder.path, "bowline.db") };
  },
  postgres: async (): Promise<DatabaseOptions> => ({ type: "postgres", url: await schemas.create() }),
} as const;

const bytesOf = (content: Buffer) => () => Readable.from([content]);

async function backupOf(store: Store, { history = true } = {}): Promise<Buffer> {
  return buffer(await store.backup({ version: "1.2.3", history }));
}

/** A store with something in every table that a backup has. */
async function filled(database: DatabaseOptions): Promise<{ readonly store: Store; readonly bytes: Buffer }> {
  const store = await openTestStore(database);
  const { web, east, first } = await addPlaces(store);
  await store.objects.create(Credential, credential("git", { password: "s3cret" }));
  await store.inventory.intend({ instanceId: web, clusterId: east }, configMaps("a", "b"), {
    revision: first,
  });
  await store.agents.createJoinToken({ hash: "t1", cluster: "east", expiresAtMs: Date.now() + 1_000_000 });
  await store.agents.join({ tokenHash: "t1", publicKey: "key-1", clusterUid: "uid-1" });
  await store.agents.sessions.open([{ id: "s1", clusterId: east, lease: "gone", openedAtMs: 1 }]);
  const made = store.resources.of(await addMadeCluster(store, "made"));
  await made.put(resourceRecord("disk", { id: "disk-1", attributes: { password: "s3cret" } }));
  await store.installation.remember("ca", "the CA");
  await store.audit.append([
    { actor: { user: "a" }, verb: "read", outcome: "allowed", httpStatus: 200, requestId: "1" },
  ]);
  await store.events.record([
    {
      type: "Normal",
      reason: "Tested",
      message: "It was.",
      regarding: { kind: "Cluster", name: "east" },
      source: "test",
    },
  ]);
  await store.objects.create(Cluster, cluster("north"));
  await store.objects.delete(Cluster, "north");
  return { store, bytes: await backupOf(store) };
}

async function tableRows(database: DatabaseOptions, table: string): Promise<unknown[]> {
  const engine = openEngine(database, systemClock);
  onTestFinished(() => engine.close());
  const rows = await engine.read(function* (): Transaction<readonly Row[]> {
    return yield { sql: `select * from "${table}"`, parameters: [] };
  });
  await engine.close();
  return rows.map((row) => canonicalJson(row)).toSorted();
}

describe.each([
  ["sqlite", "sqlite"],
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
  ["postgres", "postgres"],
] as const)("a backup of %s", (from, to) => {
  test(`is restored to ${to} as it was, and goes on with higher numbers`, async () => {
    const [source, target] = [await databases[from](), await databases[to]()];
    const { store, bytes } = await filled(source);
    const before = await store.objects.list(Cluster);
    const head = await store.changes.head();
    await store.close();

    const { header, trailer } = await restoreDatabase({
      database: target,
      encryptionKeys: keys,
      open: bytesOf(bytes),
    });
    expect(header).toMatchObject({
      version: "1.2.3",
      engine: from,
      revision: head,
      history: true,
      encryptionKeys: ["k1"],
      migrations: migrations.map(({ name }) => name),
    });
    expect(trailer.rows).toMatchObject({
      installation: 2,
      join_tokens: 1,
      agents: 1,
      inventory: 2,
      audit: 1,
    });
    for (const [table, part] of Object.entries(backupParts)) {
      if (part === "never" || ["store_state", "changes", "report_cursors"].includes(table)) continue;
      expect([table, await tableRows(target, table)]).toEqual([table, await tableRows(source, table)]);
    }

    const restored = await openTestStore(target);
    expect((await restored.objects.list(Cluster)).items).toEqual(before.items);
    expect(await restored.changes.head()).toBe(head + revisionJump);
    // A number that the server gave out after the backup, and one from before it.
    for (const after of [head + 5, head, 1]) {
      await expect(restored.changes.read({ after })).rejects.toMatchObject({ code: "Expired" });
    }
    expect(await restored.objects.reveal(Credential, "git")).toMatchObject({
      spec: { data: { password: "s3cret" } },
    });
    expect(await restored.installation.recall("ca")).toBe("the CA");
    expect(await restored.agents.sessions.listAbandoned(10)).toMatchObject([
      { id: "s1", clusterName: "east" },
    ]);
    const written = await restored.objects.create(Cluster, cluster("new"));
    expect(Number(written.object.metadata.resourceVersion)).toBe(head + revisionJump + 1);
    const later = await restored.changes.read({ after: head + revisionJump });
    expect(later.items.map(({ name }) => name)).toEqual(["new"]);
    const labelled = await restored.objects.write(Cluster, "east", () =>
      cluster("east", { labels: { a: "b" } }),
    );
    const next = await restored.changes.read({ after: Number(written.object.metadata.resourceVersion) });
    expect(next.items[0]?.previous).toMatchObject({ metadata: { name: "east", labels: {} } });
    expect(labelled.outcome).toBe("updated");
  });
});

describe("making a backup", () => {
  test.each(["sqlite", "postgres"] as const)(
    "on %s sees one moment, and holds up nobody who writes",
    async (type) => {
      const store = await openTestStore(await databases[type]());
      await store.objects.create(Cluster, cluster("before"));
      const reading = await store.backup({ version: "1.2.3", history: true });
      await store.objects.create(Cluster, cluster("after"));
      const bytes = await buffer(reading);
      const names: unknown[] = [];
      await verifyBackup(
        bytesOf(bytes)(),
        (table, row) => void (table === "objects" && names.push(row["name"])),
      );
      expect(names).toEqual(["before"]);
      expect(await store.objects.get(Cluster, "after")).toBeDefined();
    },
  );

  test("leaves the past out when told so, and holds no secret and no key", async () => {
    const { store } = await filled(await databases.sqlite());
    const bytes = await backupOf(store, { history: false });
    const { header, trailer } = await verifyBackup(bytesOf(bytes)());
    expect(header.history).toBe(false);
    expect(Object.keys(trailer.rows)).not.toContain("audit");
    const text = gunzipSync(bytes).toString();
    for (const secret of ["s3cret", "the CA", Buffer.from(keys[0]?.key ?? []).toString("base64")]) {
      expect(text).not.toContain(secret);
    }
  });

  test("is given up with its reader", async () => {
    const { store } = await filled(await databases.sqlite());
    const reading = await store.backup({ version: "1.2.3", history: true });
    reading.destroy();
    await new Promise((resolve) => reading.once("close", resolve));
    const { outcome } = await store.objects.create(Cluster, cluster("later"));
    expect(outcome).toBe("created");
  });

  test("names every key that is needed", async () => {
    const database = await databases.sqlite();
    const { store } = await filled(database);
    await store.close();
    const rotated = await openTestStore(database, { keys: [testKey("k2"), testKey("k1")] });
    await rotated.objects.create(Credential, credential("other", { password: "x" }));
    const header = await readHeader(bytesOf(await backupOf(rotated))());
    expect(header.encryptionKeys).toEqual(["k1", "k2"]);
  });
});

describe("a file that is no whole backup", () => {
  test("is refused wherever it was cut off, and whatever was changed", async () => {
    const { bytes } = await filled(await databases.sqlite());
    const failure = { code: "BackupInvalid" };
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 50)) {
      await expect(verifyBackup(bytesOf(bytes.subarray(0, length))())).rejects.toMatchObject(failure);
    }
    const lines = linesIn(bytes);
    for (let kept = 0; kept < lines.length; kept += 1) {
      const cut = gzipSync(lines.slice(0, kept).join(""));
      await expect(verifyBackup(bytesOf(cut)())).rejects.toMatchObject(failure);
      const without = gzipSync([...lines.slice(0, kept), ...lines.slice(kept + 1)].join(""));
      await expect(verifyBackup(bytesOf(without)())).rejects.toMatchObject(failure);
    }
    const changed = gzipSync(lines.join("").replace('"east"', '"west"'));
    await expect(verifyBackup(bytesOf(changed)())).rejects.toMatchObject(failure);
    const longer = gzipSync(`${lines.join("")}[1]\n`);
    await expect(verifyBackup(bytesOf(longer)())).rejects.toMatchObject(failure);
  });

  test.each([
    ["text", Buffer.from("hello"), "This is no backup of Bowline, or it is damaged."],
    ["nothing", Buffer.alloc(0), "The backup ends in the middle"],
    ["something compressed", gzipSync("hello\n"), "The backup is damaged"],
    ["other JSON", gzipSync("{}\n"), "This is no backup of Bowline."],
    ["a deep hole", gzipSync(`${"[".repeat(1_000_000)}\n`), "The backup is damaged"],
    [
      "a newer format",
      gzipSync('{"format":"bowline-backup","formatVersion":2}\n'),
      "use the version that made it",
    ],
    [
      "half a header",
      gzipSync('{"format":"bowline-backup","formatVersion":1}\n'),
      "The header of the backup lacks",
    ],
  ])("%s is refused with a sentence", async (_name, bytes, message) => {
    await expect(verifyBackup(bytesOf(bytes)())).rejects.toThrow(message);
  });

  test("a line without an end is refused before it fills the memory", async () => {
    const bomb = gzipSync(Buffer.alloc(140 * 1_024 * 1_024, "x"));
    await expect(verifyBackup(bytesOf(bomb)())).rejects.toThrow("The backup is damaged");
  });
});

describe("restoring", () => {
  test("takes an empty database only, and leaves another as it is", async () => {
    const database = await databases.sqlite();
    const { store, bytes } = await filled(database);
    await store.close();
    const before = await tableRows(database, "objects");
    const restoring = restoreDatabase({ database, encryptionKeys: keys, open: bytesOf(bytes) });
    await expect(restoring).rejects.toMatchObject({ code: "AlreadyExists" });
    expect(await tableRows(database, "objects")).toEqual(before);
  });

  test("needs the keys, and says so before anything is written", async () => {
    const { bytes } = await filled(await databases.sqlite());
    const target = await databases.sqlite();
    const restore = (encryptionKeys: typeof keys): Promise<unknown> =>
      restoreDatabase({ database: target, encryptionKeys, open: bytesOf(bytes) });
    await expect(restore([testKey("k2")])).rejects.toThrow('The backup needs the encryption key "k1"');
    const sameName = { id: "k1", key: Buffer.alloc(32, "other") };
    await expect(restore([sameName])).rejects.toMatchObject({ code: "DecryptionFailed" });
    expect(existsSync(target.type === "sqlite" ? `${target.file}-wal` : "")).toBe(false);
    await restore(keys);
  });

  test("refuses a backup of a newer version, and one from the future", async () => {
    const { bytes } = await filled(await databases.sqlite());
    const target = await databases.sqlite();
    const newer = changeLines(bytes, (line) =>
      line.replace('"],"installation"', '","9999-later"],"installation"'),
    );
    const database = { database: target, encryptionKeys: keys };
    await expect(restoreDatabase({ ...database, open: bytesOf(newer) })).rejects.toThrow(
      "whose tables this version does not know",
    );
    const clock = new ManualClock();
    await expect(restoreDatabase({ ...database, clock, open: bytesOf(bytes) })).rejects.toThrow(
      "set the clock first",
    );
  });

  test.each(["sqlite", "postgres"] as const)(
    "to %s brings a backup of an older version up to date",
    async (type) => {
      const { bytes } = await filled(await databases.sqlite());
      // Columns and a table that it did not have.
      const newColumns = new Map([
        ["revisions", "signer"],
        ["inventory", "resource_version"],
      ]);
      let isNewTable = false;
      let columnAt = -1;
      const older = changeLines(bytes, (line) => {
        const value = JSON.parse(line);
        if (value.format !== undefined)
          value.migrations.splice(value.migrations.indexOf("0017-revision-signers"));
        if (value.table !== undefined) {
          isNewTable = value.table === "provider_resources";
          columnAt = value.columns.findIndex(([name]: [string]) => name === newColumns.get(value.table));
          newColumns.delete(value.table);
          if (columnAt >= 0) value.columns.splice(columnAt, 1);
        } else if (Array.isArray(value) && columnAt >= 0) value.splice(columnAt, 1);
        if (isNewTable && (value.table !== undefined || Array.isArray(value))) return "";
        return `${JSON.stringify(value)}\n`;
      });
      expect(newColumns.size).toBe(0);
      const target = await databases[type]();
      // Somebody has made the tables already, as `bowline server migrate up` does.
      if (type === "postgres") await (await openTestStore(target)).close();
      await restoreDatabase({ database: target, encryptionKeys: keys, open: bytesOf(older) });
      expect(await tableRows(target, "revisions")).toHaveLength(2);
      const restored = await openTestStore(target);
      expect((await restored.objects.list(Cluster)).items).toHaveLength(3);
    },
  );

  test.each(["sqlite", "postgres"] as const)(
    "to %s leaves nothing when it ends early, and can be begun again",
    async (type) => {
      const { bytes } = await filled(await databases.sqlite());
      const target = await databases[type]();
      const lines = linesIn(bytes);
      for (let kept = 1; kept < lines.length; kept += 3) {
        // Whole when it is looked at, and cut off when it is put in.
        let opened = 0;
        const open = (): Readable => {
          opened += 1;
          return Readable.from([opened < 3 ? bytes : gzipSync(lines.slice(0, kept).join(""))]);
        };
        await expect(restoreDatabase({ database: target, encryptionKeys: keys, open })).rejects.toMatchObject(
          {
            code: "BackupInvalid",
          },
        );
        expect(await tableRows(target, "objects")).toEqual([]);
        expect(await tableRows(target, "installation")).toEqual([]);
      }
      await restoreDatabase({ database: target, encryptionKeys: keys, open: bytesOf(bytes) });
      expect(await tableRows(target, "objects")).not.toEqual([]);
    },
  );
});

/** The lines of a backup, with their ends. */
function linesIn(bytes: Buffer): string[] {
  return gunzipSync(bytes)
    .toString()
    .split(/(?<=\n)/u);
}

/** A backup with other lines, and a trailer that fits them. */
function changeLines(bytes: Buffer, change: (line: string) => string): Buffer {
  const lines = linesIn(bytes);
  const { rows: all, ...trailer } = JSON.parse(lines.pop() ?? "{}");
  const text = lines.map(change).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  const tablesLeft = Object.entries(all).filter(([table]) => text.includes(`"table":"${table}"`));
  const rows = Object.fromEntries(tablesLeft);
  return gzipSync(`${text}${JSON.stringify({ ...trailer, rows, sha256 })}\n`);
}
