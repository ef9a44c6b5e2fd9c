import type { NamedSetting } from "@bowline/program";

import { settingsForValues } from "../values/settings-values.ts";
import type { ServerSettings } from "../values/parse-values.ts";
import {
  any,
  choose,
  commaSeparated,
  concat,
  digits,
  either,
  not,
  quotient,
  releaseVersion,
  text,
  threeQuartersInMiB,
  value,
  type Expression,
} from "../template/expression.ts";
import { more, when, type Template, type TemplateMap, type When } from "../template/template.ts";
import { certificateNames, serverPort, url, usesCertManager, usesPostgres } from "./installation-names.ts";
import { folders } from "./server-volumes.ts";

const image: Expression = choose(
  value("image.digest"),
  text`${value("image.repository")}@${value("image.digest")}`,
  text`${value("image.repository")}:${either(value("image.tag"), releaseVersion)}`,
);

const startupPeriodSeconds = 5;

/** The server, with everything it is told by environment variables: a change of them makes new pods. */
export function serverContainer(settings: ServerSettings): TemplateMap {
  return {
    name: "server",
    image,
    imagePullPolicy: value("image.pullPolicy"),
    args: ["server"],
    env: [...ownVariables, ...settingsForValues(settings).map(settingVariable), more(value("extraEnv"))],
    ports: [{ name: "https", containerPort: serverPort, protocol: "TCP" }],
    // Time for a database that is not there yet, and for its tables to be changed.
    startupProbe: {
      ...probe("/livez"),
      periodSeconds: startupPeriodSeconds,
      failureThreshold: quotient(value("probes.startupSeconds"), startupPeriodSeconds),
    },
    livenessProbe: { ...probe("/livez"), periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...probe("/readyz"), periodSeconds: 5, failureThreshold: 2 },
    resources: value("resources"),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "data", mountPath: folders.data },
      { name: "tmp", mountPath: "/tmp" },
      mount(usesPostgres, "database"),
      mount(value("nats.existingSecret"), "nats"),
      mount(value("encryption.existingSecret"), "encryption"),
      mount(value("adminToken.existingSecret"), "admin"),
      mount(any(value("tls.existingSecret"), usesCertManager), "tls"),
      more(value("extraVolumeMounts")),
    ],
  };
}

function probe(path: string): TemplateMap {
  return { httpGet: { path, port: "https", scheme: "HTTPS" }, timeoutSeconds: 5 };
}

function mount(condition: Expression, name: Exclude<keyof typeof folders, "data">): When {
  return when(condition, { name, mountPath: folders[name], readOnly: true });
}

const heap = text`--max-old-space-size=${threeQuartersInMiB(value("resources.limits.memory"))}`;
const givenCertificate = any(value("tls.existingSecret"), usesCertManager);

const ownVariables: readonly Template[] = [
  variable("BOWLINE_LISTEN", `0.0.0.0:${serverPort}`),
  variable("BOWLINE_ADVERTISED_URL", url),
  // Below the volume, which belongs to root: the server makes the folder for itself alone.
  variable("BOWLINE_DATA", `${folders.data}/server`),
  variable("BOWLINE_DRAIN_DELAY", text`${value("drain.delaySeconds")}s`),
  variable("BOWLINE_DRAIN_TIME", text`${value("drain.timeSeconds")}s`),
  when(value("resources.limits.memory"), variable("NODE_OPTIONS", heap)),
  when(usesPostgres, variable("BOWLINE_DATABASE_URL_FILE", `${folders.database}/url`)),
  when(usesPostgres, variable("BOWLINE_DATABASE_CONNECTIONS", digits(value("database.connections")))),
  fromNats("existingSecret", "BOWLINE_NATS_URL_FILE", "key"),
  fromNats("credentialsKey", "BOWLINE_NATS_CREDENTIALS_FILE", "credentialsKey"),
  fromNats("caKey", "BOWLINE_NATS_CA_FILE", "caKey"),
  when(
    value("encryption.existingSecret"),
    variable("BOWLINE_ENCRYPTION_KEYS_FILE", `${folders.encryption}/keys`),
  ),
  when(value("adminToken.existingSecret"), variable("BOWLINE_ADMIN_TOKEN_FILE", `${folders.admin}/token`)),
  when(givenCertificate, variable("BOWLINE_TLS_CERT_FILE", `${folders.tls}/tls.crt`)),
  when(givenCertificate, variable("BOWLINE_TLS_KEY_FILE", `${folders.tls}/tls.key`)),
  when(
    not(givenCertificate),
    variable("BOWLINE_TLS_NAMES", commaSeparated(concat(certificateNames, value("tls.addresses")))),
  ),
];

function variable(name: string, given: Template): TemplateMap {
  return { name, value: given };
}

/** The Secret of NATS is mounted whole: it may hold a credentials file and certificates besides the address. */
function fromNats(condition: string, name: string, key: string): When {
  return when(value(`nats.${condition}`), variable(name, text`/etc/bowline/nats/${value(`nats.${key}`)}`));
}

function settingVariable({ name, variable: variableName, setting }: NamedSetting): When {
  const given = value(`settings.${name}`);
  if (setting.secret === "whole") {
    const secretKeyRef = {
      name: value(`settings.${name}.existingSecret`),
      key: value(`settings.${name}.key`),
    };
    return when(given, { name: variableName, valueFrom: { secretKeyRef } });
  }
  const type = setting.type.schema?.type ?? "string";
  const shown = type === "array" ? commaSeparated(given) : type === "integer" ? digits(given) : given;
  return when(given, variable(variableName, shown));
}
