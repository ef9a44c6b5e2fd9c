import assert from "node:assert/strict";
import { test } from "node:test";

import app from "./app.ts";

const cluster = { name: "test", labels: {} };

test("runs as many as it is told, of the image it is told", async () => {
  const objects = await app({ parameters: { image: "web:2", replicas: 3 }, cluster });
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`),
    ["Deployment web", "Service web"],
  );
  const text = JSON.stringify(objects[0]);
  assert.match(text, /"replicas":3/u);
  assert.match(text, /"image":"web:2"/u);
});

test("tells the server which cluster it runs in", async () => {
  const [deployment] = await app({ parameters: {}, cluster });
  assert.match(JSON.stringify(deployment), /"name":"CLUSTER","value":"test"/u);
});
