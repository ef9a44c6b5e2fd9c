import { describe, expect, test } from "vitest";

import { parseManifests } from "./parse-manifests.ts";
import { patchObjects, type ObjectPatch } from "./patch-objects.ts";

const { objects } = parseManifests(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2, template: {spec: {containers: [{name: web, image: "web:1"}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: info, colour: red}
`);

const patched = (...patches: ObjectPatch[]): ReturnType<typeof patchObjects> =>
  patchObjects(objects, patches);

describe("Patches of rendered objects", () => {
  test("change those that they name, one after the other", () => {
    const { objects: found, refused } = patched(
      {
        target: { kind: "Deployment" },
        patch: { json: [{ op: "replace", path: "/spec/replicas", value: 5 }] },
      },
      {
        target: { kind: "ConfigMap", name: "settings" },
        patch: { merge: { data: { level: "debug", colour: null } } },
      },
      { target: { kind: "Deployment", group: "apps" }, patch: { merge: { spec: { paused: true } } } },
      {
        target: { kind: "Deployment", group: "other.example.com" },
        patch: { merge: { spec: { replicas: 9 } } },
      },
      { target: { kind: "Secret" }, patch: { merge: { data: {} } } },
    );
    expect(refused).toEqual([]);
    expect(found).toMatchObject([{ spec: { replicas: 5, paused: true } }, { data: { level: "debug" } }]);
    expect(found[1]).not.toHaveProperty("data.colour");
    expect(objects[0]).toMatchObject({ spec: { replicas: 2 } });
  });

  test.each<[string, ObjectPatch, string]>([
    [
      "do not fit",
      { target: { kind: "Deployment" }, patch: { json: [{ op: "remove", path: "/spec/nothing" }] } },
      "a patch of its overrides does not fit: there is nothing at /spec/nothing that could be changed so",
    ],
    [
      "would make another object",
      { target: { kind: "Deployment" }, patch: { merge: { metadata: { name: "other" } } } },
      "a patch of its overrides would make another object of it",
    ],
    [
      "take away what makes it one",
      { target: { kind: "Deployment" }, patch: { json: [{ op: "remove", path: "/metadata/name" }] } },
      "after the patches of its overrides, metadata.name is missing",
    ],
  ])("that %s refuse the object, and the others go on", (_, patch, message) => {
    const { objects: found, refused } = patched(patch);
    expect(found.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
    expect(refused).toMatchObject([{ problems: [{ object: "Deployment shop/web", message }] }]);
  });
});
