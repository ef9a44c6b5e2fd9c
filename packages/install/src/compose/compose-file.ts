import { wrapText } from "@bowline/core";
import { stringify } from "yaml";

import { serverPort } from "../objects/installation-names.ts";
import { folders } from "../objects/server-volumes.ts";
import type { InstallationValues, ServerSettings } from "../values/parse-values.ts";
import { checkOwnServices, refuseClusterValues } from "./compose-problems.ts";
import { serverParts, serverService, type ComposeRelease, type SecretFile } from "./compose-server.ts";

export interface ComposeOptions extends ComposeRelease {
  /** A PostgreSQL of its own, in the same file. */
  readonly postgres?: boolean;
  /** A NATS of its own, in the same file. */
  readonly nats?: boolean;
}

const postgresImage = "docker.io/library/postgres:17";
const natsImage = "docker.io/library/nats:2.12";
const postgresPassword: SecretFile = {
  name: "postgres-password",
  file: "./secrets/postgres-password",
  target: "/run/secrets/postgres-password",
};

/**
 * A compose file that runs the same servers on one machine. Secrets are files beside it, never in it: `NAME/KEY` in the
 * folder `secrets` for each key of a Secret that the values name. `InvalidArgument` for values that are for Kubernetes.
 */
export function composeFile(
  values: InstallationValues,
  options: ComposeOptions,
  settings: ServerSettings,
): string {
  refuseClusterValues(values);
  checkOwnServices(values, options);
  const parts = serverParts(values, options, settings);
  const { secrets } = parts;
  const ofNats = options.nats === true ? { BOWLINE_NATS_URL: "nats://nats:4222" } : {};
  const service = serverService(values, { ...parts, environment: { ...parts.environment, ...ofNats } });
  const files = options.postgres === true ? [...secrets, postgresPassword] : secrets;
  const document = {
    name: options.name,
    services: {
      ...servers(values, service, options),
      ...(options.postgres === true ? { postgres: postgresService } : {}),
      ...(options.nats === true ? { nats: natsService } : {}),
    },
    volumes: volumes(values, options),
    ...(files.length === 0
      ? {}
      : { secrets: Object.fromEntries(files.map(({ name, file }) => [name, { file }])) }),
  };
  return (
    header(files) +
    stringify(escaped(document), { compat: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false })
  );
}

/** Each on a port of its own: what is before them is not the business of this file. */
function servers(values: InstallationValues, service: object, options: ComposeOptions): object {
  const needs = [
    ...(options.postgres === true ? ["postgres"] : []),
    ...(options.nats === true ? ["nats"] : []),
  ];
  const dependsOn =
    needs.length === 0
      ? {}
      : { depends_on: Object.fromEntries(needs.map((name) => [name, { condition: "service_healthy" }])) };
  const names = serverNames(values);
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        ...service,
        ...dependsOn,
        ports: [`${values.service.port + index}:${serverPort}`],
        volumes: [`${dataVolume(name)}:${folders.data}`],
      },
    ]),
  );
}

function serverNames({ replicas }: InstallationValues): string[] {
  return replicas === 1 ? ["server"] : Array.from({ length: replicas }, (_, index) => `server-${index + 1}`);
}

function dataVolume(server: string): string {
  return server.replace("server", "data");
}

function volumes(values: InstallationValues, options: ComposeOptions): object {
  const names = [
    ...serverNames(values).map(dataVolume),
    ...(options.postgres === true ? ["postgres"] : []),
    ...(options.nats === true ? ["nats"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const postgresService = {
  image: postgresImage,
  restart: "unless-stopped",
  environment: {
    POSTGRES_USER: "bowline",
    POSTGRES_DB: "bowline",
    POSTGRES_PASSWORD_FILE: postgresPassword.target,
  },
  secrets: [{ source: postgresPassword.name, target: postgresPassword.target }],
  volumes: ["postgres:/var/lib/postgresql/data"],
  healthcheck: {
    // By its address: while the image makes the database, a server answers at the socket that is stopped again.
    test: ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "bowline"],
    interval: "5s",
    timeout: "5s",
    retries: 12,
  },
};

const natsService = {
  image: `${natsImage}-alpine`,
  restart: "unless-stopped",
  command: ["-js", "-sd", "/data", "-m", "8222"],
  volumes: ["nats:/data"],
  healthcheck: {
    test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8222/healthz"],
    interval: "5s",
    timeout: "5s",
    retries: 12,
  },
};

function header(secrets: readonly SecretFile[]): string {
  const sentences =
    secrets.length === 0
      ? [
          "Run it with docker compose up -d. The first start prints the token of the admin: docker compose logs server.",
        ]
      : [
          "Make these files first, in a folder that only you can enter; the files themselves have to be readable by user 65532:",
          ...secrets.map(({ file }) => `  ${file}`),
          "Then run it with docker compose up -d.",
        ];
  const lines = sentences.flatMap((sentence) =>
    sentence.startsWith(" ") ? [sentence] : wrapText(sentence, { columns: 98, indent: 0 }),
  );
  return `# Bowline, made by bowline install compose.\n${lines.map((line) => `# ${line}\n`).join("")}`;
}

/** Compose takes a single `$` for the beginning of a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("$", "$$$$");
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, escaped(each)]));
}
