import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";

const prometheusGroup = "monitoring.coreos.com/v1";

function object(apiVersion: string, kind: string, id: string, rest: object): object {
  const [namespace, name] = id.split("/");
  return { apiVersion, kind, metadata: { namespace, name, labels: { team: "a" } }, ...rest };
}

function prometheus(id: string, spec: object = {}): object {
  const selectors = {
    serviceMonitorSelector: { matchLabels: { team: "a" } },
    serviceMonitorNamespaceSelector: {},
  };
  return object(prometheusGroup, "Prometheus", id, { spec: { ...selectors, ...spec } });
}

function monitor(id: string, endpoint: object = {}): object {
  const spec = { selector: {}, endpoints: [{ port: "web", ...endpoint }] };
  return object(prometheusGroup, "ServiceMonitor", id, { spec });
}

const main = prometheus("monitoring/main");
const web = monitor("shop/web");
const late = monitor("shop/late", { interval: "10s", scrapeTimeout: "1m" });
const other = { ...monitor("shop/other"), metadata: { namespace: "shop", name: "other" } };

function documents(objects: readonly object[]): string {
  return objects.map((each) => stringify(each)).join("---\n");
}

/** Runs a command on objects in standard input. */
function metrics(objects: readonly object[], command: string, ...flags: string[]): Promise<Ran> {
  return runBowline(["metrics", command, "-f", "-", ...flags], { stdin: documents(objects) });
}

function jobNames(config: string): string[] {
  const { scrape_configs: jobs } = parse(config) as { scrape_configs: { job_name: string }[] };
  return jobs.map((job) => job.job_name);
}

describe("bowline metrics render", () => {
  test("prints the configuration and nothing else", async () => {
    const { code, out, error } = await metrics([main, web], "render");
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out).toMatch(/^global:\n/u);
    expect(jobNames(out)).toEqual(["serviceMonitor/shop/web/0"]);
  });

  test("goes on without what is wrong, says so, and fails unless that is allowed", async () => {
    const { code, out, error } = await metrics([main, web, late], "render");
    expect(code).toBe(1);
    expect(jobNames(out)).toEqual(["serviceMonitor/shop/web/0"]);
    expect(error).toBe(
      "rejected: ServiceMonitor shop/late: spec.endpoints[0].scrapeTimeout is 1m, longer than the interval of 10s. Make the timeout 10s or shorter, or the interval longer.\n",
    );
    const allowed = await metrics([main, web, late], "render", "--allow-rejected");
    expect(allowed).toMatchObject({ code: 0, out, error });
  });

  test("prints a document for each of several roots, or the one that is asked for", async () => {
    const set = [prometheus("b/main"), prometheus("a/main"), web];
    const { out } = await metrics(set, "render");
    expect(out.match(/^# .*$/gmu)).toEqual(["# Prometheus a/main", "# Prometheus b/main"]);
    expect(parseAllDocuments(out)).toHaveLength(2);
    const one = await metrics(set, "render", "--root", "prometheus/b/main");
    expect(one.out).toMatch(/^global:\n[^]*prometheus: b\/main\n/u);
  });

  test.each([
    [
      ["--root", "Prometheus/c/main"],
      "There is no Prometheus/c/main among the objects; there are Prometheus/monitoring/main.",
    ],
    [["--daemon-set=maybe"], "--daemon-set must be true or false"],
    [["--mode", "both"], "--mode"],
    [["--prometheus-version", "new"], "«new» is no version of Prometheus"],
  ])("with %j is wrong usage", async (flags, message) => {
    const { code, out, error } = await metrics([main], "render", ...flags);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(message);
  });

  test.each([
    [
      [web],
      "There is no MetricsAgent, Prometheus or PrometheusAgent among the objects; add one to the files.",
    ],
    [
      [object("monitoring.grafana.com/v1alpha1", "GrafanaAgent", "a/b", {})],
      "for a GrafanaAgent, add --compat grafana-agent.",
    ],
    [[main, main], "Prometheus monitoring/main is there twice"],
    [[{ kind: "Probe" }], "standard input, line 1: metadata.name is missing."],
    [[{ kind: "Probe", metadata: { name: 1 } }], "metadata.name must be a string; put it in quotes."],
    [
      [{ ...main, metadata: { name: "a", labels: { on: true } } }],
      "metadata.labels must have strings only; put that of on in quotes.",
    ],
  ])("of what is not enough says why: %#", async (objects, message) => {
    const { code, out, error } = await metrics(objects, "render");
    expect({ isFailure: code > 0, out }).toEqual({ isFailure: true, out: "" });
    expect(error).toContain(message);
  });

  test.each(["endpoint-slice-supported", "topology-sharding", "retention-policies", "daemon-set"])(
    "follows --%s, which may be switched off again",
    async (name) => {
      const root = prometheus("monitoring/main", {
        shards: 4,
        serviceDiscoveryRole: "EndpointSlice",
        shardingStrategy: { mode: "Topology", topology: { values: ["a", "b"] } },
      });
      const rendered = async (...flags: string[]): Promise<string> =>
        (await metrics([root, web], "render", ...flags)).out;
      const plain = await rendered();
      const on = await rendered(`--${name}`);
      expect(on).not.toBe(plain);
      expect(await rendered(`--${name}=true`)).toBe(on);
      expect(await rendered(`--${name}=false`)).toBe(plain);
    },
  );

  test("knows modes and versions", async () => {
    const spec = { evaluationInterval: "1m", remoteWrite: [{ url: "http://a", roundRobinDNS: true }] };
    const root = prometheus("monitoring/main", spec);
    expect((await metrics([root], "render", "--mode", "server")).out).toContain("evaluation_interval");
    expect((await metrics([root], "render", "--mode", "agent")).out).not.toContain("evaluation_interval");
    expect((await metrics([root], "render")).out).toContain("round_robin_dns");
    const old = await metrics([root], "render", "--prometheus-version", "v3.0.0");
    expect(old.out).not.toContain("round_robin_dns");
  });

  test("takes values from Secrets in the files, or placeholders if told to", async () => {
    const basicAuth = { password: { name: "login", key: "password" } };
    const root = prometheus("monitoring/main", { remoteWrite: [{ url: "http://a", basicAuth }] });
    const secret = object("v1", "Secret", "monitoring/login", { stringData: { password: "hush" } });
    expect((await metrics([root, secret], "render")).out).toContain("password: hush");
    expect(await metrics([root], "render")).toMatchObject({
      code: 1,
      error: expect.stringContaining("Secret monitoring/login, which does not exist"),
    });
    const { code, out } = await metrics([root], "render", "--placeholders");
    expect(code).toBe(0);
    expect(out).toContain("(Secret monitoring/login, key password)");
  });

  test("takes a kind whole of which nothing is selected, with a warning, unless told otherwise", async () => {
    const auto = await metrics([main, other], "render");
    expect(jobNames(auto.out)).toEqual(["serviceMonitor/shop/other/0"]);
    expect(auto.error).toContain("warning: No ServiceMonitor is selected by anything in the files");
    const strict = await metrics([main, other], "render", "--selection", "selectors");
    expect(jobNames(strict.out)).toEqual([]);
    expect(strict.error).toBe("");
    const some = await metrics([main, other, web], "render");
    expect(jobNames(some.out)).toEqual(["serviceMonitor/shop/web/0"]);
    const all = await metrics([main, other, web], "render", "--selection", "all");
    expect(jobNames(all.out)).toHaveLength(2);
  });

  test("reads the objects of the Grafana Agent Operator, and names what has no meaning", async () => {
    const group = "monitoring.grafana.com/v1alpha1";
    const agent = object(group, "GrafanaAgent", "monitoring/main", {
      spec: { image: "grafana/agent:v0.40.0", metrics: { instanceSelector: {} } },
    });
    const instance = object(group, "MetricsInstance", "monitoring/all", {
      spec: { serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {} },
    });
    const { code, out, error } = await metrics([agent, instance, web], "render", "--compat", "grafana-agent");
    expect(code).toBe(0);
    expect(jobNames(out)).toEqual(["serviceMonitor/shop/web/0"]);
    expect(error).toBe(
      "warning: GrafanaAgent monitoring/main: spec.image means nothing here. It is about the Grafana Agent, and Prometheus is what runs here.\n",
    );
  });

  const list = { apiVersion: "v1", kind: "List", items: [main, web] };

  test.each([
    ["yaml", stringify(list)],
    ["json", JSON.stringify(list)],
  ])("takes lists, as kubectl prints them with -o %s", async (_, stdin) => {
    const { out } = await runBowline(["metrics", "render", "-f", "-"], { stdin });
    expect(jobNames(out)).toEqual(["serviceMonitor/shop/web/0"]);
  });

  test("passes over what tells kustomize about a folder", async () => {
    const kustomization = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      resources: [],
    };
    const { code, out } = await metrics([kustomization, main, web], "render");
    expect({ code, jobs: jobNames(out) }).toEqual({ code: 0, jobs: ["serviceMonitor/shop/web/0"] });
  });

  test("names the place in JSON as well", async () => {
    const stdin = JSON.stringify({ ...list, items: [main, { kind: "Probe" }] }, undefined, 2);
    const { error } = await runBowline(["metrics", "render", "-f", "-"], { stdin });
    expect(error).toMatch(/^error: standard input, line \d{2}: metadata.name is missing\.$/mu);
  });
});

describe("bowline metrics explain", () => {
  test("says of each monitor what selected it and what it became, and fails when one is rejected", async () => {
    const { code, out } = await metrics([main, web, late, other], "explain");
    expect(code).toBe(1);
    expect(out).toContain("Prometheus monitoring/main: 1 job\n");
    expect(out).toContain(
      [
        "ServiceMonitor shop/web",
        "  selected by Prometheus monitoring/main: Its labels match the selector «team=a».",
        "  job serviceMonitor/shop/web/0",
      ].join("\n"),
    );
    expect(out).toContain(
      "ServiceMonitor shop/other\n  not selected by Prometheus monitoring/main: Its labels do not match the selector «team=a».\n",
    );
    expect(out).toMatch(
      /ServiceMonitor shop\/late\n {2}selected by .*\n {2}rejected: .*Make the timeout 10s/u,
    );
  });

  test("says how many targets a job finds among the objects in the files, or why none", async () => {
    const ports = [{ name: "web", port: 80 }];
    const service = object("v1", "Service", "shop/web", {});
    const endpoints = (id: string): object =>
      object("v1", "Endpoints", id, {
        subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports }],
      });
    const pods = monitor("shop/pods", { port: undefined, targetPort: 80 });
    const given = [main, web, monitor("shop/typo", { port: "wbe" }), pods, service, endpoints("shop/web")];
    const { code, out } = await metrics(given, "explain");
    expect(code).toBe(0);
    expect(out).toContain("\n  job serviceMonitor/shop/web/0: 2 targets\n");
    expect(out).toContain(
      "\n  job serviceMonitor/shop/typo/0: no target. The Service shop/web has no port called «wbe»; there is web.\n",
    );
    // Nobody knows without the pods.
    expect(out).toContain("\n  job serviceMonitor/shop/pods/0\n");
    const json = await metrics(
      [...given, { ...service, apiVersion: "other.example/v1" }],
      "explain",
      "-o",
      "json",
    );
    expect(JSON.parse(json.out)).toMatchObject([
      {
        targets: [
          { job: "serviceMonitor/shop/typo/0", targets: 0 },
          { job: "serviceMonitor/shop/web/0", targets: 2 },
        ],
      },
    ]);
  });

  test("says which instances an agent took", async () => {
    const group = "monitoring.bowline.dev/v1alpha1";
    const agent = object(group, "MetricsAgent", "shop/main", {
      spec: { instanceSelector: { matchLabels: { run: "yes" } } },
    });
    const instance = object(group, "MetricsInstance", "shop/all", { spec: { serviceMonitorSelector: {} } });
    const { out } = await metrics([agent, instance, web], "explain");
    expect(out).toContain(
      "MetricsInstance shop/all\n  not selected by MetricsAgent shop/main: Its labels do not match the selector «run=yes».\n",
    );
    expect(out).toContain(
      "ServiceMonitor shop/web\n  not selected: nothing that was selected looks for monitors.\n",
    );
  });

  test("is data for programs as well, without any value", async () => {
    const token = { authorization: { credentials: { name: "login", key: "token" } } };
    const secret = object("v1", "Secret", "shop/login", { stringData: { token: "hush" } });
    const { out } = await metrics([main, monitor("shop/web", token), secret], "explain", "-o", "json");
    expect(JSON.parse(out)).toMatchObject([
      {
        root: { kind: "Prometheus", namespace: "monitoring", name: "main" },
        monitors: [{ monitor: { name: "web" }, jobs: ["serviceMonitor/shop/web/0"] }],
        references: [{ kind: "Secret", name: "login", key: "token", found: true }],
      },
    ]);
    expect(out).not.toContain("hush");
  });
});

describe("bowline metrics diff", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bowline-metrics-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function file(name: string, objects: readonly object[]): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, documents(objects));
    return path;
  }

  test("names what comes, goes and changes, and never a value", async () => {
    const secret = (token: string): object => object("v1", "Secret", "shop/login", { stringData: { token } });
    const login = { authorization: { credentials: { name: "login", key: "token" } } };
    const before = await file("before.yaml", [main, web, monitor("shop/api", login), secret("hush")]);
    const after = await file("after.yaml", [
      main,
      monitor("shop/api", login),
      monitor("shop/new"),
      late,
      secret("rotated"),
    ]);
    const { code, out } = await runBowline(["metrics", "diff", before, after]);
    expect(code).toBe(1);
    expect(out).toBe(
      [
        "Prometheus monitoring/main",
        "  - job serviceMonitor/shop/web/0",
        "  + job serviceMonitor/shop/new/0",
        "  ~ job serviceMonitor/shop/api/0: authorization",
        "  - ServiceMonitor shop/late is rejected now",
        "",
      ].join("\n"),
    );
  });

  test("says nothing and exits with 0 when nothing differs, whatever the order", async () => {
    const before = await file("a.yaml", [main, web, monitor("shop/api")]);
    const after = await file("b.yaml", [monitor("shop/api"), web, main]);
    expect(await runBowline(["metrics", "diff", "-f", before, "-f", after])).toMatchObject({
      code: 0,
      out: "",
    });
  });

  test("compares one root with another of any name, and several by their names", async () => {
    const one = await file("one.yaml", [prometheus("a/main"), web]);
    const renamed = await file("renamed.yaml", [prometheus("a/other"), web]);
    const { out } = await runBowline(["metrics", "diff", one, renamed]);
    expect(out).toBe("Prometheus a/main → Prometheus a/other\n  ~ global external_labels: prometheus\n");
    const two = await file("two.yaml", [prometheus("a/main"), prometheus("b/main"), web]);
    const grown = await runBowline(["metrics", "diff", one, two]);
    expect(grown).toMatchObject({ code: 1, out: "+ Prometheus b/main\n" });
    const json = await runBowline(["metrics", "diff", two, one, "-o", "json"]);
    expect(JSON.parse(json.out)).toMatchObject([
      { root: "Prometheus b/main", change: "removed" },
      { root: "Prometheus a/main", change: "none" },
    ]);
  });

  test.each([
    [[]],
    [["a.yaml"]],
    [["a.yaml", "b.yaml", "c.yaml"]],
    [["-", "-"]],
    [["gone.yaml", "gone.yaml"]],
  ])("of %j cannot tell, and exits with 2", async (paths) => {
    const { code, out } = await runBowline(["metrics", "diff", ...paths]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });
});
