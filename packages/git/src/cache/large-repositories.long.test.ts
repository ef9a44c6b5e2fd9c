import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { GitCache, RefClient } from "../index.ts";
import { createStage } from "../testing/stage.ts";

const manyRefs = 50_000;
const manyFiles = 100_000;
const longTestMs = 180_000;

describe("a repository of 50,000 refs", () => {
  it(
    "is listed at the limit, is refused above it, and answers for one branch alone",
    async () => {
      await using stage = await createStage();
      const lines = Array.from({ length: manyRefs - 1 }, (_, at) => `${stage.first} refs/heads/b${at}\n`);
      const header = "# pack-refs with: peeled fully-peeled sorted \n";
      const packed = [...lines, `${stage.first} refs/heads/main\n`].toSorted((a, b) =>
        a.slice(41) < b.slice(41) ? -1 : 1,
      );
      await writeFile(join(stage.repository.folder, "packed-refs"), header + packed.join(""));
      await using client = new RefClient({ folder: stage.workFolder, protocols: ["http"] });
      const all = { url: stage.url, prefixes: ["refs/heads/"] };
      expect(await client.listRefs(all)).toHaveLength(manyRefs);
      expect(await client.listRefs({ ...all, prefixes: ["refs/heads/main"] })).toHaveLength(1);
      await stage.repository.tag("one-more", { commit: stage.first });
      await expect(client.listRefs({ ...all, prefixes: [] })).rejects.toMatchObject({
        code: "TooLarge",
        details: { limit: manyRefs },
      });
      expect(await client.listRefs(all)).toHaveLength(manyRefs);
    },
    longTestMs,
  );
});

describe("a repository of 100,000 files", () => {
  it(
    "is refused as a whole with the number, and read by a folder, by a choice or with a higher limit",
    async () => {
      await using stage = await createStage();
      const files = Object.fromEntries(
        Array.from({ length: manyFiles }, (_, at) => [`d${at % 100}/f${at}.yaml`, `n: ${at}\n`]),
      );
      const commit = await stage.repository.commit({ branch: "many", files, orphan: true });
      const cache = new GitCache({ folder: stage.workFolder, protocols: ["http"] });
      const request = { url: stage.url, commit, path: "." };
      await cache.fetchCommit(request);
      await expect(cache.readTree(request)).rejects.toMatchObject({
        code: "TooLarge",
        details: { actual: manyFiles, limit: 2_000 },
      });
      expect((await cache.readTree({ ...request, path: "d7" })).files).toHaveLength(1_000);
      const select = (path: string): boolean => path.endsWith("00.yaml");
      expect((await cache.readTree({ ...request, select })).files).toHaveLength(999);
      const all = await cache.readTree({ ...request, limits: { maxFiles: manyFiles } });
      expect(all.files).toHaveLength(manyFiles);
    },
    longTestMs,
  );
});
