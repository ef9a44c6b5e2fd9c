import { expect, test } from "vitest";

import { diff } from "../index.ts";
import { prometheus, renderObjects, secret, serviceMonitor } from "../testing/sample-objects.ts";

const none = { added: [], removed: [], changed: [] };
const same = {
  equal: true,
  jobs: none,
  remoteWrites: none,
  global: none,
  rejected: { added: [], removed: [] },
  reordered: false,
};

test("equal sets do not differ", () => {
  const result = renderObjects(prometheus(), [serviceMonitor("shop/web")]);
  expect(diff(result, renderObjects(prometheus(), [serviceMonitor("shop/web")]))).toEqual(same);
});

test("names what came, went and changed, and what in it", () => {
  const before = renderObjects(
    prometheus({ remoteWrite: [{ url: "http://a" }, { url: "http://b" }], externalLabels: { a: "1" } }),
    [serviceMonitor("shop/gone"), serviceMonitor("shop/web"), serviceMonitor("shop/broken")],
  );
  const after = renderObjects(
    prometheus({
      remoteWrite: [{ url: "http://a", remoteTimeout: "1s" }],
      externalLabels: { a: "2" },
      sampleLimit: 5,
    }),
    [
      serviceMonitor("shop/new"),
      serviceMonitor("shop/web", { endpoints: [{ port: "web", interval: "5s" }] }),
      serviceMonitor("shop/broken", { endpoints: 1 }),
    ],
  );
  expect(diff(before, after)).toEqual({
    equal: false,
    jobs: {
      added: ["serviceMonitor/shop/new/0"],
      removed: ["serviceMonitor/shop/broken/0", "serviceMonitor/shop/gone/0"],
      changed: [{ name: "serviceMonitor/shop/web/0", keys: ["scrape_interval"] }],
    },
    remoteWrites: {
      added: [],
      removed: ["http://b"],
      changed: [{ name: "http://a", keys: ["remote_timeout"] }],
    },
    global: { added: ["sample_limit"], removed: [], changed: [{ name: "external_labels", keys: ["a"] }] },
    rejected: { added: ["ServiceMonitor shop/broken"], removed: [] },
    reordered: false,
  });
});

test("shows no secrets", () => {
  const monitor = serviceMonitor("shop/web", {
    endpoints: [{ bearerTokenSecret: { name: "login", key: "t" } }],
  });
  const [before, after] = ["hush", "secret"].map((t) =>
    renderObjects(prometheus(), [monitor, secret("shop/login", { t })]),
  );
  if (before === undefined || after === undefined) throw new Error("both are there");
  const found = diff(before, after);
  expect(found.jobs.changed).toEqual([{ name: "serviceMonitor/shop/web/0", keys: ["bearer_token"] }]);
  expect(JSON.stringify(found)).not.toMatch(/hush|secret/u);
});

test("jobs in another order are the same jobs", () => {
  const objects = [
    serviceMonitor("shop/web"),
    { ...serviceMonitor("shop/p", { podMetricsEndpoints: [{}] }), kind: "PodMonitor" },
  ];
  const found = diff(
    renderObjects(prometheus(), objects),
    renderObjects(prometheus(), objects, { mode: "agent" }),
  );
  expect(found).toEqual({ ...same, equal: false, reordered: true });
});
