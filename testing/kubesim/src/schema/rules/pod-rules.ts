import { isRecord } from "@bowline/core";

import { amountOf } from "../../controllers/quantity.ts";
import { dnsLabel, dnsSubdomain } from "../../store/name-rules.ts";
import type { FieldProblem } from "../../store/status-errors.ts";
import { duplicate, invalid, required } from "../field-problem.ts";
import type { JsonObject } from "../json-value.ts";
import {
  all,
  atLeast,
  between,
  type Check,
  fields,
  items,
  named,
  needed,
  portName,
  portNumber,
  portOrName,
  type Problems,
  type Rule,
  text,
} from "./check.ts";
import { labels } from "./label-rules.ts";

const prefix = "io.k8s.api.core.v1";

const envName: Check = function* (value, path) {
  if (typeof value !== "string" || value === "" || /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value)) return;
  yield invalid(
    path,
    value,
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
  );
};

const oneHandler: Check = function* (value, path) {
  if (!isRecord(value)) return;
  const handlers = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"].filter(
    (name) => value[name] !== undefined,
  );
  if (handlers.length === 0) yield required(path, "must specify a handler type");
};

const env: Rule = function* (object, path) {
  if (text(object["value"]) !== "" && object["valueFrom"] !== undefined) {
    yield invalid(`${path}valueFrom`, "", "may not be specified when `value` is not empty");
  }
};

const container: Rule = function* (object, path) {
  yield* uniqueNames(object, "ports", path);
  const mounted = new Set<string>();
  for (const [mount, at] of items(object, "volumeMounts", path)) {
    const place = text(mount["mountPath"]);
    if (place !== "" && mounted.has(place)) yield invalid(`${at}mountPath`, place, "must be unique");
    mounted.add(place);
  }
};

const resources: Rule = function* (object, path) {
  for (const part of ["limits", "requests"]) {
    for (const [name, amount] of quantities(object[part])) {
      if (amountOf(amount) < 0)
        yield invalid(`${path}${part}[${name}]`, amount, "must be greater than or equal to 0");
    }
  }
  const limits = new Map(quantities(object["limits"]));
  for (const [name, amount] of quantities(object["requests"])) {
    const limit = limits.get(name);
    if (limit !== undefined && amountOf(amount) > amountOf(limit)) {
      yield invalid(`${path}requests`, amount, `must be less than or equal to ${name} limit`);
    }
  }
};

const podSpec: Rule = function* (object, path) {
  yield* uniqueNames(object, "volumes", path);
  yield* uniqueNames(object, "containers", path);
  const volumes = new Set([...items(object, "volumes", path)].map(([volume]) => volume["name"]));
  for (const list of ["initContainers", "containers"]) {
    for (const [item, at] of items(object, list, path)) {
      for (const [mount, mountAt] of items(item, "volumeMounts", at)) {
        if (!volumes.has(mount["name"])) yield notFound(`${mountAt}name`, mount["name"]);
      }
    }
  }
};

const toleration: Rule = function* (object, path) {
  if (text(object["key"]) === "" && object["operator"] !== "Exists") {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    yield invalid(`${path}operator`, text(object["operator"]), why);
  }
};

export const podRules: ReadonlyMap<string, Rule> = new Map([
  [
    `${prefix}.PodSpec`,
    all(
      fields({
        containers: [needed()],
        activeDeadlineSeconds: [between(1, 2 ** 31 - 1)],
        nodeSelector: [labels],
        hostname: [named(dnsLabel)],
        subdomain: [named(dnsLabel)],
        serviceAccountName: [named(dnsSubdomain)],
        nodeName: [named(dnsSubdomain)],
      }),
      podSpec,
    ),
  ],
  [
    `${prefix}.Container`,
    all(
      fields({
        name: [needed(), named(dnsLabel)],
        image: [needed()],
        livenessProbe: [oneHandler],
        readinessProbe: [oneHandler],
        startupProbe: [oneHandler],
      }),
      container,
    ),
  ],
  [`${prefix}.Lifecycle`, fields({ preStop: [oneHandler], postStart: [oneHandler] })],
  [
    `${prefix}.Probe`,
    fields({
      timeoutSeconds: [atLeast(0)],
      periodSeconds: [atLeast(0)],
      initialDelaySeconds: [atLeast(0)],
      failureThreshold: [atLeast(0)],
      successThreshold: [atLeast(0)],
    }),
  ],
  [`${prefix}.HTTPGetAction`, fields({ port: [zeroIfMissing(portOrName)] })],
  [`${prefix}.TCPSocketAction`, fields({ port: [zeroIfMissing(portOrName)] })],
  [
    `${prefix}.ContainerPort`,
    fields({ containerPort: [neededNumber(portNumber)], hostPort: [portNumber], name: [portName] }),
  ],
  [`${prefix}.EnvVar`, all(fields({ name: [needed(), envName] }), env)],
  [`${prefix}.VolumeMount`, fields({ name: [needed()], mountPath: [needed()] })],
  [`${prefix}.Volume`, fields({ name: [needed(), named(dnsLabel)] })],
  [`${prefix}.ResourceRequirements`, resources],
  [`${prefix}.Toleration`, toleration],
  [`${prefix}.KeyToPath`, fields({ key: [needed()], path: [needed()] })],
  [`${prefix}.HostPathVolumeSource`, fields({ path: [needed()] })],
  [`${prefix}.PersistentVolumeClaimVolumeSource`, fields({ claimName: [needed()] })],
]);

/** A number that must not be zero is missing when it is. */
function neededNumber(check: Check): Check {
  return function* (value, path) {
    if (value === undefined || value === 0) yield required(path);
    else yield* check(value, path);
  };
}

function zeroIfMissing(check: Check): Check {
  return (value, path) => check(value ?? 0, path);
}

function* uniqueNames(object: JsonObject, list: string, path: string): Problems {
  const seen = new Set<string>();
  for (const [item, at] of items(object, list, path)) {
    const name = text(item["name"]);
    if (name !== "" && seen.has(name)) yield duplicate(`${at}name`, name);
    seen.add(name);
  }
}

function quantities(value: unknown): [string, string | number][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, amount]) =>
    typeof amount === "string" || typeof amount === "number" ? [[name, amount]] : [],
  );
}

function notFound(field: string, value: unknown): FieldProblem {
  return { field, reason: "FieldValueNotFound", message: `Not found: ${JSON.stringify(value)}` };
}
