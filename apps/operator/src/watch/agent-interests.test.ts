import type { Search } from "@bowline/monitoring";
import { beforeEach, describe, expect, test } from "vitest";

import { AgentInterests } from "./agent-interests.ts";
import type { SelectedObject } from "./cached-object.ts";

const by = { kind: "MetricsInstance", namespace: "own", name: "team" };
const hasTeam = [{ key: "team", operator: "exists" }] satisfies Search["labels"];

function monitor(id: string, labels: Record<string, string> = {}): SelectedObject {
  const [namespace = "", name = ""] = id.split("/");
  const metadata = { namespace, name, labels, uid: "u", resourceVersion: "1" };
  return { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata };
}

let namespaces: Map<string, Record<string, string>>;
let interests: AgentInterests;
const selected = (object: SelectedObject): string[] => [
  ...(interests.selected.get(object.kind)?.handler(object) ?? []),
];

beforeEach(() => {
  namespaces = new Map();
  interests = new AgentInterests(() => namespaces);
});

describe("what agents want to hear of", () => {
  test("is nothing before they have said so, and nothing after they are gone", () => {
    const searches = [{ kind: "ServiceMonitor", by, labels: [], namespaceLabels: [] }];
    expect(selected(monitor("own/web"))).toEqual([]);
    interests.replace("a/one", { searches, references: [] });
    interests.replace("a/two", { searches, references: [] });
    expect(selected(monitor("own/web"))).toEqual(["a/one", "a/two"]);
    interests.forget("a/one");
    expect(selected(monitor("own/web"))).toEqual(["a/two"]);
    expect(interests.dependenciesOf("a/one")).toBeUndefined();
  });

  test("follows labels, namespaces and kinds", () => {
    const searches = [{ kind: "ServiceMonitor", by, labels: hasTeam, namespaceLabels: undefined }];
    interests.replace("a/one", { searches, references: [] });
    expect(selected(monitor("own/web", { team: "x" }))).toEqual(["a/one"]);
    expect(selected(monitor("own/web"))).toEqual([]);
    expect(selected(monitor("other/web", { team: "x" }))).toEqual([]);
    expect(selected({ ...monitor("own/web", { team: "x" }), kind: "PodMonitor" })).toEqual([]);
  });

  test("takes in namespaces by the labels they have now", () => {
    const searches = [{ kind: "ServiceMonitor", by, labels: [], namespaceLabels: hasTeam }];
    interests.replace("a/one", { searches, references: [] });
    expect(selected(monitor("shop/web"))).toEqual([]);
    namespaces.set("shop", { team: "x" });
    expect(selected(monitor("shop/web"))).toEqual(["a/one"]);
    const named = (labels: Record<string, string>): string[] => [
      ...interests.namespaces.handler({ metadata: { name: "shop", labels } }),
    ];
    expect([named({ team: "y" }), named({})]).toEqual([["a/one"], []]);
  });

  test("a search that selects nothing makes no namespace interesting", () => {
    const searches = [{ kind: "ServiceMonitor", by, labels: undefined, namespaceLabels: [] }];
    interests.replace("a/one", { searches, references: [] });
    expect([...interests.namespaces.handler({ metadata: { name: "shop" } })]).toEqual([]);
  });

  test("is each referenced Secret and ConfigMap by kind, namespace and name, until something else is said", () => {
    const references = [{ kind: "Secret", namespace: "own", name: "login" }] as const;
    interests.replace("a/one", { searches: [], references });
    const login = { metadata: { namespace: "own", name: "login" } };
    expect([...interests.secrets.handler(login)]).toEqual(["a/one"]);
    expect([...interests.configMaps.handler(login)]).toEqual([]);
    expect([...interests.secrets.handler({ metadata: { namespace: "shop", name: "login" } })]).toEqual([]);
    expect(interests.isReferredTo("Secret", login)).toBe(true);
    interests.replace("a/one", { searches: [], references: [] });
    expect([...interests.secrets.handler(login)]).toEqual([]);
    expect(interests.isReferredTo("Secret", login)).toBe(false);
  });
});
