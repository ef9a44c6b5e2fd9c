import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { createTempFolder, helmTest } from "@bowline/test-services";
import { describe, expect, test } from "vitest";

import { chartArchive } from "./chart-archive.ts";

const { skip, folder: helmFolder } = await helmTest(process.env);
const chart = fileURLToPath(new URL("../../../deploy/chart/bowline", import.meta.url));

describe("the chart in one file", () => {
  test("is the same bytes each time", async () => {
    expect((await chartArchive(chart)).equals(await chartArchive(chart))).toBe(true);
  });

  test.skipIf(skip)("gives the same objects as its folder", async () => {
    await using folder = await createTempFolder("chart");
    const file = join(folder.path, "bowline.tgz");
    await writeFile(file, await chartArchive(chart));
    const render = async (source: string): Promise<string> => {
      const args = ["template", "fleet", source, "--namespace", "bowline-system"];
      return (await promisify(execFile)(join(helmFolder, "helm"), args, { env: { HOME: folder.path } }))
        .stdout;
    };
    expect(await render(file)).toBe(await render(chart));
  });
});
