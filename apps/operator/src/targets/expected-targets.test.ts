import { ManualClock } from "@bowline/core/testing";
import { resources } from "@bowline/kube";
import type { FactKind, Job, ServiceFacts, TargetQuery } from "@bowline/monitoring";
import { expect, test } from "vitest";

import { ExpectedTargets } from "./expected-targets.ts";
import type { WatchedFacts } from "./fact-cache.ts";
import type { OnDemandState } from "./on-demand-informer.ts";
import type { AgentJobs } from "./target-report.ts";

const recountMs = 10_000;

/** A cluster in which there are as many addresses behind one Service as it is told. */
class ScriptedFacts {
  addresses = 1;
  readonly states: Partial<Record<FactKind, OnDemandState>> = {};
  readonly demands = new Map<string, string[]>();
  readonly listeners = new Set<(kind: FactKind) => void>();

  change(kind: FactKind): void {
    for (const listener of this.listeners) listener(kind);
  }

  asCache(): WatchedFacts {
    const state = (kind: FactKind) => ({ state: () => this.states[kind] ?? "ready" });
    const none = { list: () => [], get: () => undefined };
    const service: ServiceFacts = { namespace: "shop", name: "web", labels: {} };
    const group = () => ({
      ports: [{ name: "web", number: 80 }],
      addresses: Array.from({ length: this.addresses }, (_, index) => ({ ip: `10.0.0.${index}` })),
    });
    return {
      services: {
        ...state("services"),
        resource: resources.services,
        list: () => [service],
        get: () => service,
      },
      endpoints: {
        ...state("endpoints"),
        resource: resources.endpoints,
        list: () => [{ namespace: "shop", service: "web", groups: [group()] }],
        get: () => undefined,
      },
      endpointSlices: { ...state("endpointSlices"), ...none, resource: resources.endpointSlices },
      pods: { ...state("pods"), ...none, resource: resources.pods },
      ingresses: { ...state("ingresses"), ...none, resource: resources.ingresses },
      demand: (who, kinds) => void this.demands.set(who, [...kinds]),
      onChange: (listener) => {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
      },
    };
  }
}

const byName: TargetQuery = {
  from: "services",
  role: "endpoints",
  namespaces: undefined,
  labels: [],
  port: { of: "endpoint", names: ["web"] },
  keepsFinished: false,
  seesInitContainers: true,
};
const ofPods: TargetQuery = {
  from: "pods",
  namespaces: undefined,
  labels: [],
  port: undefined,
  keepsFinished: false,
};

function job(targets: TargetQuery, instance = "team"): Pick<Job, "source" | "by" | "targets"> {
  return {
    source: { kind: "ServiceMonitor", namespace: "shop", name: "web" },
    by: { kind: "MetricsInstance", namespace: "shop", name: instance },
    targets,
  };
}

function runs(...jobs: AgentJobs["jobs"]): AgentJobs {
  return { jobs, instances: ["shop/team", "shop/one", "shop/two"] };
}

function open() {
  const [clock, facts] = [new ManualClock(), new ScriptedFacts()];
  const targets = new ExpectedTargets({ family: "own", cache: facts.asCache(), clock, recountMs });
  const turns: [string, number | undefined][] = [];
  const stop = targets.start((key, options) => void turns.push([key, options?.delayMs]));
  return { clock, facts, targets, turns, stop };
}

test("an agent is counted at once, and after that at most every ten seconds, however much changes", async () => {
  const { clock, facts, targets, turns, stop } = open();
  targets.setJobs("shop/main", runs(job(byName)));
  expect(turns.splice(0)).toEqual([["shop/main", 0]]);
  expect(targets.recount("shop/main")).toBe("changed");
  expect(targets.reportOf("shop/main")?.total.expected).toBe(1);
  targets.markWritten("shop/main", targets.reportOf("shop/main"));

  await clock.advance(4_000);
  facts.addresses = 3;
  for (let change = 0; change < 100; change++) facts.change("endpoints");
  facts.change("pods");
  expect(turns.splice(0)).toEqual([["shop/main", 6_000]]);
  await clock.advance(6_000);
  expect(targets.recount("shop/main")).toBe("changed");
  expect(targets.reportOf("shop/main")?.total.expected).toBe(3);
  // What was not written is still a change.
  expect(targets.recount("shop/main")).toBe("changed");
  targets.markWritten("shop/main", targets.reportOf("shop/main"));
  expect(targets.recount("shop/main")).toBe("unchanged");

  // Nobody asks for pods.
  facts.change("pods");
  expect(turns).toEqual([]);
  stop();
  facts.change("endpoints");
  expect(turns).toEqual([]);
});

test("nothing is said before the cluster was read, and what was said stands while it is read again", () => {
  const { facts, targets } = open();
  facts.states.endpoints = "reading";
  targets.setJobs("shop/main", runs(job(byName)));
  expect(targets.recount("shop/main")).toBe("reading");
  expect(targets.reportOf("shop/main")).toBeUndefined();
  facts.states.endpoints = "ready";
  expect(targets.recount("shop/main")).toBe("changed");
  targets.setJobs("shop/main", runs(job(byName), job(ofPods)));
  facts.states.pods = "reading";
  expect(targets.recount("shop/main")).toBe("reading");
  expect(targets.reportOf("shop/main")?.total.expected).toBe(1);
});

test("kinds are watched while a job needs them", () => {
  const { facts, targets } = open();
  targets.setJobs("shop/main", runs(job(byName), job(ofPods)));
  expect(facts.demands.get("own shop/main")).toEqual(["services", "endpoints", "pods"]);
  targets.setJobs("shop/main", runs(job(byName)));
  expect(facts.demands.get("own shop/main")).toEqual(["services", "endpoints"]);
  targets.forget("shop/main");
  expect(facts.demands.get("own shop/main")).toEqual([]);
  expect(targets.recount("shop/main")).toBe("forgotten");
});

test("what may not be read costs only the instances that need it their number", () => {
  const { facts, targets } = open();
  facts.states.pods = "forbidden";
  targets.setJobs("shop/main", runs(job(byName, "one"), job(ofPods, "two")));
  targets.recount("shop/main");
  const report = targets.reportOf("shop/main");
  expect(report?.total).toMatchObject({
    expected: undefined,
    condition: { status: "Unknown", reason: "Forbidden" },
  });
  expect(report?.instances.get("shop/one")).toMatchObject({ expected: 1, condition: { status: "True" } });
  expect(report?.instances.get("shop/two")?.condition?.message).toMatch(/may not list and watch pods\./u);
  facts.states.pods = "unserved";
  targets.recount("shop/main");
  expect(targets.reportOf("shop/main")?.total.condition).toMatchObject({ reason: "NotServed" });
});

test("jobs that cannot be counted are said, and of many without a target the first are listed", () => {
  const { targets } = open();
  const elsewhere: TargetQuery = { from: "elsewhere" };
  targets.setJobs("shop/main", runs(job(byName), job(elsewhere)));
  targets.recount("shop/main");
  expect(targets.reportOf("shop/main")?.total).toMatchObject({
    expected: 1,
    condition: { status: "True", message: expect.stringMatching(/^1 job is not counted: /u) },
  });

  const empty: TargetQuery = { from: "list", count: 0 };
  const many = Array.from({ length: 30 }, (_, index) => ({
    ...job(empty),
    source: { kind: "Probe", namespace: "shop", name: `p${index}` },
  }));
  targets.setJobs("shop/main", runs(...many, ...many));
  targets.recount("shop/main");
  const total = targets.reportOf("shop/main")?.total;
  expect(total?.without).toHaveLength(20);
  expect(total?.condition?.message).toBe(
    "Probe shop/p0 finds no target: It lists no targets. Probe shop/p1 finds no target: It lists no targets. Probe shop/p2 finds no target: It lists no targets. There are 27 more.",
  );
});
