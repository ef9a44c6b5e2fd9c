import type { KubernetesObject } from "@bowline/api/agent-manifest";
import { BowlineError, isRecord } from "@bowline/core";

import { guardObjects } from "./objects/guard-objects.ts";
import { routeObjects } from "./objects/route-objects.ts";
import { deployment, statefulSet } from "./objects/server-pods.ts";
import { evaluateTemplate } from "./template/evaluate-template.ts";
import { isEmpty, type Release, type Scope } from "./template/expression.ts";
import type { ObjectTemplate } from "./template/template.ts";
import type { InstallationValues, ServerSettings } from "./values/parse-values.ts";

/** Every object that an installation can have, in an order in which they can be created. */
export function objectTemplates(settings: ServerSettings): readonly ObjectTemplate[] {
  return [...guardObjects, ...routeObjects, statefulSet(settings), deployment(settings)];
}

/** The objects of an installation, without its namespace. Values are those that `parseValues` returns. */
export function installationObjects(
  values: InstallationValues,
  release: Release,
  settings: ServerSettings,
): KubernetesObject[] {
  const scope: Scope = { values, release };
  return objectTemplates(settings)
    .filter(({ condition }) => condition === undefined || !isEmpty(condition.evaluate(scope)))
    .map(({ template }) => asObject(evaluateTemplate(template, scope)));
}

function asObject(value: unknown): KubernetesObject {
  if (isKubernetesObject(value)) return value;
  throw new BowlineError("Internal", "A template gave something that is no object of Kubernetes.");
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return (
    isRecord(value) &&
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isRecord(value["metadata"]) &&
    typeof value["metadata"]["name"] === "string"
  );
}
