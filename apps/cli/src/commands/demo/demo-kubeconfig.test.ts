import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { fakeContext } from "../../testing/fake-context.ts";
import { writeDemoKubeconfig } from "./demo-kubeconfig.ts";

test("kubectl that is not told a context asks the first cluster", async () => {
  await using folder = await createTempFolder("demo-kubeconfig");
  const path = join(folder.path, "kubeconfig");
  const entry = { name: "demo", server: "https://127.0.0.1:7443", tokenFile: "/demo/admin.token" };
  await writeDemoKubeconfig(fakeContext({ client: {} }), path, { entry, clusters: ["edge", "cloud"] });
  expect(parse(await readFile(path, "utf8"))).toMatchObject({
    "current-context": "bowline-edge",
    contexts: [{ name: "bowline-edge" }, { name: "bowline-cloud" }],
  });
});
