import { asRecord } from "@bowline/core";

import { serverPort, userId } from "../objects/installation-names.ts";
import { serverContainer } from "../objects/server-container.ts";
import { folders } from "../objects/server-volumes.ts";
import { evaluateTemplate } from "../template/evaluate-template.ts";
import { asList } from "../template/expression.ts";
import type { InstallationValues, ServerSettings } from "../values/parse-values.ts";

/** A file of a secret: where it is beside the compose file, and where the server finds it. */
export interface SecretFile {
  readonly name: string;
  readonly file: string;
  readonly target: string;
}

export interface ServerParts {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretFile[];
}

export interface ComposeRelease {
  readonly name: string;
  readonly version: string;
}

/** The server as its container in Kubernetes is: the same image, variables and files. */
export function serverParts(
  values: InstallationValues,
  release: ComposeRelease,
  settings: ServerSettings,
): ServerParts {
  const scope = { values: { ...values }, release: { ...release, namespace: "default" } };
  const container = asRecord(evaluateTemplate(serverContainer(settings), scope));
  const variables = asList(container["env"]).map((each) => readVariable(asRecord(each)));
  const plain = variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  const secret = variables.flatMap(({ name, secret }) => (secret === undefined ? [] : [{ name, ...secret }]));
  const ofSettings = secret.map(({ name, secretName, key }) => ({
    variable: `${name}_FILE`,
    secret: secretFile(secretName, key, `/etc/bowline/settings/${name}`),
  }));
  return {
    image: String(container["image"]),
    environment: {
      ...Object.fromEntries(plain),
      ...Object.fromEntries(ofSettings.map(({ variable, secret: { target } }) => [variable, target])),
      BOWLINE_ADVERTISED_URL: values.url === "" ? `https://localhost:${values.service.port}` : values.url,
      ...(values.tls.existingSecret === "" ? ownNames(values) : {}),
    },
    secrets: [...mountedSecrets(values), ...ofSettings.map((each) => each.secret)],
  };
}

function ownNames({ tls }: InstallationValues): Record<string, string> {
  return { BOWLINE_TLS_NAMES: ["localhost", ...tls.names, ...tls.addresses].join(",") };
}

interface ReadVariable {
  readonly name: string;
  readonly value?: string;
  readonly secret?: { readonly secretName: string; readonly key: string };
}

function readVariable({ name, value, valueFrom }: Readonly<Record<string, unknown>>): ReadVariable {
  if (typeof value === "string") return { name: String(name), value };
  const { name: secretName, key } = asRecord(asRecord(valueFrom)["secretKeyRef"]);
  return { name: String(name), secret: { secretName: String(secretName), key: String(key) } };
}

/** A Secret of Kubernetes is a folder here, with a file for each key. */
function mountedSecrets({ database, nats, encryption, adminToken, tls }: InstallationValues): SecretFile[] {
  const given: readonly (readonly [secret: string, key: string, target: string])[] = [
    [database.postgres.existingSecret, database.postgres.key, `${folders.database}/url`],
    ...[nats.key, nats.credentialsKey, nats.caKey].map(
      (key) => [key === "" ? "" : nats.existingSecret, key, `${folders.nats}/${key}`] as const,
    ),
    [encryption.existingSecret, encryption.key, `${folders.encryption}/keys`],
    [adminToken.existingSecret, adminToken.key, `${folders.admin}/token`],
    ...["tls.crt", "tls.key"].map((key) => [tls.existingSecret, key, `${folders.tls}/${key}`] as const),
  ];
  return given
    .filter(([secret]) => secret !== "")
    .map(([secret, key, target]) => secretFile(secret, key, target));
}

function secretFile(secret: string, key: string, target: string): SecretFile {
  return { name: `${secret}-${key}`.replaceAll(/[^-\w]/gu, "-"), file: `./secrets/${secret}/${key}`, target };
}

/** A program that ends well when the server is ready: the image has no curl. */
const isReady = `require("node:https").get({host:"127.0.0.1",port:${serverPort},path:"/readyz",rejectUnauthorized:false},(answer)=>process.exit(answer.statusCode===200?0:1)).on("error",()=>process.exit(1))`;

/** What holds for every server: nobody's user, nothing to write to but the data folder and /tmp. */
export function serverService(
  values: InstallationValues,
  { image, environment, secrets }: ServerParts,
): object {
  const { drain, probes, resources, temporaryStorage, image: given } = values;
  const memory = resources.limits.memory;
  return {
    image,
    pull_policy: { IfNotPresent: "missing", Always: "always", Never: "never" }[given.pullPolicy],
    command: ["server"],
    user: `${userId}:${userId}`,
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    // Keys and tokens are in its memory.
    ulimits: { core: 0 },
    restart: "unless-stopped",
    stop_grace_period: `${drain.delaySeconds + drain.timeSeconds + 10}s`,
    ...(memory === undefined ? {} : { mem_limit: composeSize(memory) }),
    environment,
    tmpfs: [`/tmp:size=${composeSize(temporaryStorage.tmp)},mode=1777`],
    ...(secrets.length === 0
      ? {}
      : { secrets: secrets.map(({ name, target }) => ({ source: name, target })) }),
    healthcheck: {
      test: ["CMD", "/usr/bin/node", "-e", isReady],
      interval: "10s",
      timeout: "5s",
      retries: 3,
      start_period: `${probes.startupSeconds}s`,
    },
  };
}

/** `1Gi` is `1g` here, and means the same. */
function composeSize(quantity: string): string {
  return quantity.replace(/i$/u, "").toLowerCase();
}
