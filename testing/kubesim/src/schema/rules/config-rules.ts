import { isRecord } from "@bowline/core";

import { invalid, required } from "../field-problem.ts";
import type { JsonObject } from "../json-value.ts";
import { type Check, type Problems, type Rule, text } from "./check.ts";

const keys: Check = function* (value, path) {
  if (!isRecord(value)) return;
  for (const key of Object.keys(value)) {
    const at = `${path}[${key}]`;
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
      const why =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
      yield invalid(at, key, why);
    } else if (key.length > 253) {
      yield invalid(at, key, "must be no more than 253 characters");
    } else if (key === "." || key.startsWith("..")) {
      yield invalid(
        at,
        key,
        key === "." ? "must not be '.'" : key === ".." ? "must not be '..'" : "must not start with '..'",
      );
    }
  }
};

const configMap: Rule = function* (object) {
  yield* keys(object["data"], "data");
  yield* keys(object["binaryData"], "binaryData");
  const binary = isRecord(object["binaryData"]) ? object["binaryData"] : {};
  for (const key of isRecord(object["data"]) ? Object.keys(object["data"]) : []) {
    if (Object.hasOwn(binary, key))
      yield invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
  }
};

/** What the types of secrets that the server knows must hold. */
const secretKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ["kubernetes.io/tls", ["tls.crt", "tls.key"]],
  ["kubernetes.io/dockerconfigjson", [".dockerconfigjson"]],
  ["kubernetes.io/dockercfg", [".dockercfg"]],
  ["kubernetes.io/ssh-auth", ["ssh-privatekey"]],
]);

const secret: Rule = function* (object) {
  yield* keys(object["data"], "data");
  for (const key of secretKeys.get(text(object["type"])) ?? []) {
    const data = object["data"];
    if (!isRecord(data) || !Object.hasOwn(data, key)) yield required(`data[${key}]`);
  }
};

export const configRules: ReadonlyMap<string, Rule> = new Map([
  ["io.k8s.api.core.v1.ConfigMap", configMap],
  ["io.k8s.api.core.v1.Secret", secret],
]);

/** A ConfigMap or Secret that was made immutable stays as it is. */
export function* frozenContents(before: JsonObject, changed: (name: string) => boolean): Problems {
  if (before["immutable"] !== true) return;
  for (const name of ["data", "binaryData", "immutable"]) {
    if (!changed(name)) continue;
    const message = "Forbidden: field is immutable when `immutable` is set";
    yield { field: name, reason: "FieldValueForbidden", message };
  }
}
