/** Writes to a store as fast as it can and prints every write once it is acknowledged, until it is killed. */
import { Cluster } from "@bowline/api";

import { openStore } from "../store.ts";
import { cluster } from "./sample-objects.ts";
import { testKey } from "./store-harness.ts";

const [file = "", prefix = ""] = process.argv.slice(2);
const store = await openStore({ database: { type: "sqlite", file }, encryptionKeys: [testKey("k1")] });
const writers = Array.from({ length: 8 }, async (_, writer) => {
  for (let count = 0; ; count += 1) {
    const name = `${prefix}-${writer}-${Math.floor(count / 2)}`;
    const { object } = await store.objects.write(Cluster, name, () =>
      cluster(name, { region: `eu-${count}` }),
    );
    process.stdout.write(`${name} ${object.metadata.resourceVersion}\n`);
  }
});
await Promise.all(writers);
