import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../schema/builtin.ts";
import type { ObjectNode } from "../schema/schema-node.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";

function schemaOf(group: string, kind: string): ObjectNode {
  const schema = builtinSchema(group, kind);
  if (schema === undefined) throw new Error(`no schema for ${kind}`);
  return schema;
}

const pod = schemaOf("", "Pod");
const deployment = schemaOf("apps", "Deployment");

const patchSpec = (spec: object, patch: object): unknown =>
  applyStrategicPatch({ spec }, { spec: patch }, pod)["spec"];

describe("a strategic merge patch", () => {
  it("merges containers by name and keeps the others", () => {
    const spec = {
      containers: [
        { name: "a", image: "1", tty: true },
        { name: "b", image: "1" },
      ],
    };
    expect(
      patchSpec(spec, {
        containers: [
          { name: "a", image: "2" },
          { name: "c", image: "1" },
        ],
      }),
    ).toEqual({
      containers: [
        { name: "a", image: "2", tty: true },
        { name: "c", image: "1" },
        { name: "b", image: "1" },
      ],
    });
  });

  it("replaces lists that have no merge strategy", () => {
    const spec = { containers: [{ name: "a", args: ["1", "2"] }] };
    expect(patchSpec(spec, { containers: [{ name: "a", args: ["3"] }] })).toEqual({
      containers: [{ name: "a", args: ["3"] }],
    });
  });

  it("deletes items, replaces lists and empties objects by directive", () => {
    const spec = { containers: [{ name: "a" }, { name: "b" }], nodeSelector: { x: "1", y: "2" } };
    expect(patchSpec(spec, { containers: [{ name: "a", $patch: "delete" }] })).toMatchObject({
      containers: [{ name: "b" }],
    });
    expect(patchSpec(spec, { containers: [{ name: "c" }, { $patch: "replace" }] })).toMatchObject({
      containers: [{ name: "c" }],
    });
    expect(patchSpec(spec, { nodeSelector: { $patch: "replace", z: "3" } })).toMatchObject({
      nodeSelector: { z: "3" },
    });
    expect(patchSpec(spec, { nodeSelector: { $patch: "delete" } })).toMatchObject({ nodeSelector: {} });
  });

  it("puts lists into the order asked for; what the order does not name stays near its place", () => {
    const spec = { containers: [{ name: "a" }, { name: "live" }, { name: "b" }] };
    const patch = {
      "$setElementOrder/containers": [{ name: "b" }, { name: "new" }, { name: "a" }],
      containers: [{ name: "new" }],
    };
    expect(patchSpec(spec, patch)).toEqual({
      containers: [{ name: "live" }, { name: "b" }, { name: "new" }, { name: "a" }],
    });
  });

  it("adds to and deletes from lists of plain values", () => {
    const meta = { metadata: { finalizers: ["a", "b", "c"] } };
    expect(applyStrategicPatch(meta, { metadata: { finalizers: ["d", "a"] } }, pod)).toEqual({
      metadata: { finalizers: ["d", "a", "b", "c"] },
    });
    expect(
      applyStrategicPatch(meta, { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"] } }, pod),
    ).toEqual({
      metadata: { finalizers: ["a", "c"] },
    });
  });

  it("retains only the keys that are listed", () => {
    const live = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } };
    expect(applyStrategicPatch(live, patch, deployment)).toEqual({
      spec: { strategy: { type: "Recreate" } },
    });
    const contradiction = { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } };
    expect(() => applyStrategicPatch(live, contradiction, deployment)).toThrow(
      expect.objectContaining({ code: 400 }),
    );
  });

  it("removes fields by null", () => {
    expect(patchSpec({ nodeName: "n", hostNetwork: true }, { nodeName: null, subdomain: null })).toEqual({
      hostNetwork: true,
    });
  });

  it("merges ports by their number alone", () => {
    const live = { spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 1 }] } };
    expect(
      applyStrategicPatch(live, { spec: { ports: [{ port: 80, targetPort: 2 }] } }, schemaOf("", "Service")),
    ).toEqual({
      spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 2 }] },
    });
  });

  it.each([
    ["an unknown directive", { $patch: "frobnicate" }, 500],
    ["an item without its merge key", { spec: { containers: [{ image: "1" }] } }, 500],
    ["an order that is no list", { spec: { "$setElementOrder/containers": 1 } }, 400],
    ["a deletion that is no list", { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } }, 400],
  ])("is refused for %s", (_name, patch, code) => {
    const live = { metadata: { finalizers: ["a"] }, spec: { containers: [{ name: "a" }] } };
    expect(() => applyStrategicPatch(live, patch, pod)).toThrow(expect.objectContaining({ code }));
  });

  it("turns one map of labels into another by their difference", () => {
    const labels = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.string());
    fc.assert(
      fc.property(labels, labels, (from, to) => {
        const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
        const patch = { ...to, ...Object.fromEntries(gone.map((key) => [key, null])) };
        const live = Object.freeze({ metadata: Object.freeze({ labels: Object.freeze(from) }) });
        expect(applyStrategicPatch(live, { metadata: { labels: patch } }, pod)).toEqual({
          metadata: { labels: to },
        });
      }),
    );
  });

  it("turns one list of containers into another by deletions, additions and an order", () => {
    const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));
    fc.assert(
      fc.property(names, names, (from, to) => {
        const gone = from.filter((name) => !to.includes(name));
        const patch = {
          "$setElementOrder/containers": to.map((name) => ({ name })),
          containers: [
            ...to.map((name) => ({ name, image: "new" })),
            ...gone.map((name) => ({ name, $patch: "delete" })),
          ],
        };
        const live = { containers: from.map((name) => ({ name, image: "old" })) };
        expect(patchSpec(live, patch)).toEqual({ containers: to.map((name) => ({ name, image: "new" })) });
      }),
    );
  });
});
