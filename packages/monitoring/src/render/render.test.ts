import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { testRenderedWithPromtool } from "../testing/promtool-rendered.ts";
import {
  namespace,
  object,
  parseConfig,
  podMonitor,
  probe,
  prometheus,
  renderObjects,
  secret,
  serviceMonitor,
} from "../testing/sample-objects.ts";

const withToken = {
  endpoints: [{ port: "web", authorization: { credentials: { name: "login", key: "token" } } }],
};

describe("one bad monitor", () => {
  const good = Array.from({ length: 99 }, (_, index) => serviceMonitor(`shop/good-${index}`));

  test("is left out with a reason, and the other 99 stand", () => {
    const bad = serviceMonitor("shop/bad", {
      endpoints: [{ port: "web", interval: "10s", scrapeTimeout: "1m" }],
    });
    const result = renderObjects(prometheus(), [...good, bad]);

    expect(parseConfig(result).scrape_configs).toHaveLength(99);
    expect(result.rejected).toEqual([
      {
        object: { kind: "ServiceMonitor", namespace: "shop", name: "bad" },
        problems: [
          {
            path: "spec.endpoints[0].scrapeTimeout",
            message: "spec.endpoints[0].scrapeTimeout is 1m, longer than the interval of 10s.",
            fix: "Make the timeout 10s or shorter, or the interval longer.",
          },
        ],
      },
    ]);
  });

  test.each([
    ["a missing value", withToken, "spec.endpoints[0].authorization.credentials"],
    [
      "a regex that does not compile",
      { endpoints: [{ relabelings: [{ regex: "(", targetLabel: "a" }] }] },
      "spec.endpoints[0].relabelings[0].regex",
    ],
    ["a value of another type", { endpoints: "web" }, "spec.endpoints"],
    ["two ways to authenticate", { endpoints: [{ basicAuth: {}, oauth2: {} }] }, "spec.endpoints[0].oauth2"],
    [
      "a file of the collector",
      { endpoints: [{ bearerTokenFile: "/token" }] },
      "spec.endpoints[0].bearerTokenFile",
    ],
    ["a scrape class that is none", { scrapeClass: "fast" }, "spec.scrapeClass"],
    [
      "a selector that is none",
      { selector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
      "spec.selector.matchExpressions[0].operator",
    ],
    [
      "half of a key pair",
      { endpoints: [{ tlsConfig: { keySecret: { name: "login", key: "k" } } }] },
      "spec.endpoints[0].tlsConfig",
    ],
  ])("may have %s", (_, spec, path) => {
    const result = renderObjects(prometheus(), [...good, serviceMonitor("shop/bad", spec)]);
    expect(result.jobs).toHaveLength(99);
    expect(result.rejected.map(({ object: { name } }) => name)).toEqual(["bad"]);
    expect(result.rejected[0]?.problems.map((problem) => problem.path)).toContain(path);
  });

  test("has all its problems reported at once, but never without end", () => {
    const endpoints = Array.from({ length: 100 }, () => ({ interval: "soon", path: 1 }));
    const result = renderObjects(prometheus(), [serviceMonitor("shop/bad", { endpoints })]);
    expect(result.rejected[0]?.problems).toHaveLength(20);
  });

  test("shows no secret in its reason", () => {
    const objects = [serviceMonitor("shop/bad", withToken), secret("shop/login", { other: "hush" })];
    expect(JSON.stringify(renderObjects(prometheus(), objects).rejected)).not.toContain("hush");
  });
});

describe("order of input", () => {
  const objects = [
    namespace("shop", { team: "a" }),
    secret("shop/login", { token: "t" }),
    ...Array.from({ length: 12 }, (_, index) => serviceMonitor(`shop/s${index}`, withToken)),
    ...Array.from({ length: 4 }, (_, index) => podMonitor(`shop/p${index}`)),
    ...Array.from({ length: 3 }, (_, index) => probe(`team-${index}/b`)),
    // The same name twice: which one counts must not depend on the order either.
    serviceMonitor("shop/twice", { endpoints: [{ port: "a" }] }),
    serviceMonitor("shop/twice", { endpoints: [{ port: "b" }] }),
    serviceMonitor("shop/bad", { endpoints: [{ interval: "soon" }] }),
  ];
  const root = prometheus();
  const expected = renderObjects(root, objects);

  test("changes no byte in 200 shuffles", () => {
    const shuffled = fc.shuffledSubarray(objects, { minLength: objects.length });
    fc.assert(
      fc.property(shuffled, (input) => {
        const result = renderObjects(root, input);
        expect(result.config).toBe(expected.config);
      }),
      { numRuns: 200 },
    );
  });

  test("changes nothing of what is said about it", () => {
    const result = renderObjects(root, objects.toReversed());
    expect(result.rejected).toEqual(expected.rejected);
    expect(result.references).toEqual(expected.references);
    expect(result.explanation).toEqual(expected.explanation);
  });
});

test("an object that is given twice, and not alike, is remarked on", () => {
  const twice = [
    serviceMonitor("shop/web", { jobLabel: "a" }),
    serviceMonitor("shop/web", { jobLabel: "b" }),
  ];
  const { jobs, explanation } = renderObjects(prometheus(), [...twice, ...twice]);
  expect(jobs).toHaveLength(1);
  expect(explanation.notes).toEqual([
    "ServiceMonitor shop/web is given more than once, with different content; one of them is used.",
  ]);
});

test("the order of keys in an object changes no byte", () => {
  const labels = {
    selector: { matchLabels: { a: "1", b: "2" } },
    endpoints: [{ params: { x: ["1"], y: ["2"] } }],
  };
  const other = {
    selector: { matchLabels: { b: "2", a: "1" } },
    endpoints: [{ params: { y: ["2"], x: ["1"] } }],
  };
  const one = renderObjects(prometheus({ externalLabels: { a: "1", b: "2" } }), [
    serviceMonitor("shop/web", labels),
  ]);
  const two = renderObjects(prometheus({ externalLabels: { b: "2", a: "1" } }), [
    serviceMonitor("shop/web", other),
  ]);
  expect(two.config).toBe(one.config);
});

describe("what the operator that this replaces got wrong", () => {
  test("W1: a Secret that is missing stays in the references, so that its coming is noticed", () => {
    const result = renderObjects(prometheus(), [serviceMonitor("shop/web", withToken)]);
    expect(result.rejected).toHaveLength(1);
    expect(result.references).toEqual([
      {
        kind: "Secret",
        namespace: "shop",
        name: "login",
        key: "token",
        use: "value",
        found: false,
        usedBy: [{ kind: "ServiceMonitor", namespace: "shop", name: "web" }],
      },
    ]);
    const later = renderObjects(prometheus(), [
      serviceMonitor("shop/web", withToken),
      secret("shop/login", { token: "t" }),
    ]);
    expect(later.rejected).toEqual([]);
    expect(later.references.map(({ found }) => found)).toEqual([true]);
  });

  test("W2: every search is in the result, also of those that found nothing or hold bad monitors", () => {
    const result = renderObjects(prometheus(), [serviceMonitor("shop/bad", { endpoints: 1 })]);
    expect(result.searches.map(({ kind }) => kind)).toEqual([
      "ServiceMonitor",
      "PodMonitor",
      "Probe",
      "ScrapeConfig",
    ]);
  });

  test("W3: the labels of a namespace decide, so relabelling one changes the outcome", () => {
    const root = prometheus({ serviceMonitorNamespaceSelector: { matchLabels: { team: "a" } } });
    const monitor = serviceMonitor("shop/web");
    expect(renderObjects(root, [monitor, namespace("shop", { team: "a" })]).jobs).toHaveLength(1);
    expect(renderObjects(root, [monitor, namespace("shop", { team: "b" })]).jobs).toHaveLength(0);
  });

  test("W4: jobs are sorted by namespace and name", () => {
    const monitors = ["b/a", "a/z", "a/b"].map((id) => serviceMonitor(id));
    expect(renderObjects(prometheus(), monitors).jobs.map(({ name }) => name)).toEqual([
      "serviceMonitor/a/b/0",
      "serviceMonitor/a/z/0",
      "serviceMonitor/b/a/0",
    ]);
  });

  test.each([
    ["no YAML", "a: [", "line 1 is no valid YAML"],
    ["no list", "job_name: a", "no list of jobs"],
    ["a job that exists", "- job_name: serviceMonitor/shop/web/0", "another of that name"],
  ])("W5: additional scrape configs that are %s cost nobody else a job", (_, text, message) => {
    const root = prometheus({ additionalScrapeConfigs: { name: "more", key: "jobs" } });
    const result = renderObjects(root, [
      serviceMonitor("shop/web"),
      secret("monitoring/more", { jobs: text }),
    ]);
    expect(result.jobs.map(({ name }) => name)).toEqual(["serviceMonitor/shop/web/0"]);
    expect(result.rejected.map(({ object: { kind } }) => kind)).toEqual(["Prometheus"]);
    expect(result.rejected[0]?.problems[0]?.message).toContain(message);
  });

  test("W5: a bad remote write costs no other remote write", () => {
    const root = prometheus({
      remoteWrite: [
        { url: "http://a", basicAuth: { password: { name: "gone", key: "p" } } },
        { url: "http://b" },
      ],
    });
    const result = renderObjects(root, []);
    expect(parseConfig(result).remote_write).toEqual([{ url: "http://b" }]);
    expect(result.rejected[0]?.problems[0]?.path).toBe("spec.remoteWrite[0].basicAuth.password");
  });

  test("W6: roots of one name in two namespaces look at their own namespace only", () => {
    const roots = ["a", "b"].map((at) =>
      object("PrometheusAgent", `${at}/main`, { serviceMonitorSelector: {} }),
    );
    const monitors = [serviceMonitor("a/web"), serviceMonitor("b/web")];
    expect(roots.map((root) => renderObjects(root, monitors).jobs.map(({ name }) => name))).toEqual([
      ["serviceMonitor/a/web/0"],
      ["serviceMonitor/b/web/0"],
    ]);
  });

  test("W7: every monitor has a verdict: its jobs, its problems, or why it was not selected", () => {
    const root = prometheus({ serviceMonitorSelector: { matchLabels: { team: "a" } } });
    const { explanation } = renderObjects(root, [
      serviceMonitor("shop/web", {}, { team: "a" }),
      serviceMonitor("shop/bad", { endpoints: [{ interval: "soon" }] }, { team: "a" }),
      serviceMonitor("shop/other", {}, { team: "b" }),
    ]);
    const said = explanation.monitors.map(({ monitor: { name }, jobs, problems, verdicts }) => ({
      name,
      jobs,
      problems: problems.map(({ path }) => path),
      reasons: verdicts.map(({ reason }) => reason),
    }));
    const match = "Its labels match the selector «team=a».";
    expect(said).toEqual([
      { name: "bad", jobs: [], problems: ["spec.endpoints[0].interval"], reasons: [match] },
      { name: "other", jobs: [], problems: [], reasons: ["Its labels do not match the selector «team=a»."] },
      { name: "web", jobs: ["serviceMonitor/shop/web/0"], problems: [], reasons: [match] },
    ]);
  });
});

test("a root of another kind is refused with a sentence", () => {
  expect(() => renderObjects(serviceMonitor("shop/web"), [])).toThrow("A ServiceMonitor cannot be the root");
});

test("a version that is none is refused with a sentence", () => {
  expect(() => renderObjects(prometheus({ version: "latest" }), [])).toThrow(
    "«latest» is no version of Prometheus",
  );
});

testRenderedWithPromtool();
