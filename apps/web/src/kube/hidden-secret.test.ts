import type { KubeObject } from "@bowline/kube/shapes";
import { expect, test } from "vitest";

import {
  hiddenSecret,
  hiddenValue,
  hideValues,
  markChanged,
  secretKeys,
  secretText,
} from "./hidden-secret.ts";

const canary = "c2VjcmV0LWNhbmFyeQ==";
const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "db",
    annotations: {
      note: "kept",
      "kubectl.kubernetes.io/last-applied-configuration": `{"data":{"password":"${canary}"}}`,
    },
    managedFields: [
      {
        manager: "kubectl",
        fieldsV1: { "f:data": { ".": {}, "f:password": {}, "f:user": {} }, "f:type": {} },
      },
      { manager: "other", fieldsV1: { "f:data": { "f:password": {} } } },
    ],
  },
  type: "Opaque",
  data: { password: canary, user: canary },
  stringData: { more: canary },
};

test("no value of a Secret is left in what is shown of it, and its keys are", () => {
  const hidden = hideValues(secret);
  expect(JSON.stringify(hidden)).not.toContain(canary);
  expect(secretKeys(hidden)).toEqual(["password", "user"]);
  expect(hidden.metadata.annotations?.["note"]).toBe("kept");
});

test("a Secret that was never read has its keys from who wrote its fields", () => {
  expect(hiddenSecret(secret.metadata, "Opaque")).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...secret.metadata, annotations: { ...hideValues(secret).metadata.annotations } },
    type: "Opaque",
    data: { password: hiddenValue, user: hiddenValue },
  });
  expect(hiddenSecret({ name: "db" }, undefined)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db" },
  });
});

test("after a change it is told which values are other ones", () => {
  const marked = markChanged(hideValues(secret), {
    data: { password: hiddenValue },
    stringData: { user: "new" },
  });
  expect(marked["data"]).toEqual({ password: hiddenValue, user: "(hidden, written anew)" });
});

test.each([
  ["ZMOkaWds", "däigl"],
  ["AP8A/w==", "(4 bytes that are no text)"],
  ["%%%", "(no base64)"],
])("the value %s is %s", (base64, text) => {
  expect(secretText(base64)).toBe(text);
});
