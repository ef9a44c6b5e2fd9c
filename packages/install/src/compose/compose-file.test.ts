import { Script } from "node:vm";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { sampleSettings } from "../testing/sample-settings.ts";
import { parseValues } from "../values/parse-values.ts";
import { composeFile, type ComposeOptions } from "./compose-file.ts";

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly healthcheck: { readonly test: readonly string[] };
}

interface ComposeDocument {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

function textOf(values: object, options: Partial<ComposeOptions> = {}): string {
  const parsed = parseValues(values, sampleSettings);
  return composeFile(parsed, { name: "bowline", version: "1.2.3", ...options }, sampleSettings);
}

function composeOf(values: object, options: Partial<ComposeOptions> = {}): ComposeDocument {
  return parse(textOf(values, options));
}

const several = {
  replicas: 2,
  database: { postgres: { existingSecret: "database" } },
  encryption: { existingSecret: "encryption" },
  adminToken: { existingSecret: "admin" },
};

describe("a compose file", () => {
  test("is one server on SQLite, as nobody, with a volume and nothing else to write to", () => {
    const { services, volumes, secrets } = composeOf({});
    expect(Object.keys(services)).toEqual(["server"]);
    expect(services["server"]).toMatchObject({
      image: "docker.io/library/bowline:1.2.3",
      user: "65532:65532",
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      ulimits: { core: 0 },
      mem_limit: "1g",
      stop_grace_period: "35s",
      ports: ["7443:7443"],
      volumes: ["data:/var/lib/bowline"],
      environment: {
        BOWLINE_LISTEN: "0.0.0.0:7443",
        BOWLINE_DATA: "/var/lib/bowline/server",
        BOWLINE_ADVERTISED_URL: "https://localhost:7443",
        BOWLINE_TLS_NAMES: "localhost",
      },
    });
    expect(volumes).toEqual({ data: {} });
    expect(secrets).toBeUndefined();
  });

  test("is several servers on a PostgreSQL and a NATS of its own", () => {
    const { services, volumes, secrets } = composeOf(several, { postgres: true, nats: true });
    expect(Object.keys(services)).toEqual(["server-1", "server-2", "postgres", "nats"]);
    expect([services["server-1"]?.ports, services["server-2"]?.ports]).toEqual([
      ["7443:7443"],
      ["7444:7443"],
    ]);
    expect(services["server-2"]).toMatchObject({
      environment: {
        BOWLINE_DATABASE_URL_FILE: "/etc/bowline/database/url",
        BOWLINE_ENCRYPTION_KEYS_FILE: "/etc/bowline/encryption/keys",
        BOWLINE_NATS_URL: "nats://nats:4222",
      },
      depends_on: { postgres: { condition: "service_healthy" }, nats: { condition: "service_healthy" } },
    });
    expect(Object.keys(volumes)).toEqual(["data-1", "data-2", "postgres", "nats"]);
    expect(Object.values(secrets ?? {}).map(({ file }) => file)).toEqual([
      "./secrets/database/url",
      "./secrets/encryption/encryption.keys",
      "./secrets/admin/token",
      "./secrets/postgres-password",
    ]);
  });

  test("waits for the PostgreSQL that stays, not for the one that makes the database", () => {
    const { services } = composeOf(several, { postgres: true });
    expect(services["postgres"]?.healthcheck.test.slice(0, 4)).toEqual([
      "CMD",
      "pg_isready",
      "-h",
      "127.0.0.1",
    ]);
  });

  test.each([
    ["settings", { settings: { oidc: { clientSecret: { existingSecret: "oidc", key: "secret" } } } }],
    ["a certificate", { tls: { existingSecret: "tls" } }],
    ["NATS", { nats: { existingSecret: "nats", credentialsKey: "a.creds" } }],
    ["everything for several", several],
  ])("has a file for every secret of %s, where the server looks for it", (_, values) => {
    const { services, secrets = {} } = composeOf(values);
    for (const { environment, secrets: mounted = [] } of Object.values(services)) {
      const looked = Object.entries(environment)
        .filter(([name]) => name.endsWith("_FILE"))
        .map(([, path]) => path);
      expect(mounted.map(({ target }) => target).toSorted()).toEqual(looked.toSorted());
      expect(mounted.map(({ source }) => source).every((source) => source in secrets)).toBe(true);
    }
    expect(textOf(values)).toContain("Make these files first");
  });

  test("writes what compose would take for a variable so that it does not", () => {
    expect(textOf({ extraEnv: [{ name: "A", value: "cost $5 or ${HOME}" }] })).toContain(
      "cost $$5 or $${HOME}",
    );
  });

  test("asks the server whether it is ready with a program that the image has", () => {
    const [command, program, flag, script] = composeOf({}).services["server"]?.healthcheck.test ?? [];
    expect([command, program, flag]).toEqual(["CMD", "/usr/bin/node", "-e"]);
    expect(new Script(script ?? "")).toBeInstanceOf(Script);
    expect(script).not.toContain("$");
  });

  test.each([
    ["ingress.enabled", { ingress: { enabled: true, host: "a.b" } }],
    ["tls.certManager.issuerRef.name", { tls: { certManager: { issuerRef: { name: "ca" } } } }],
    ["extraEnv", { extraEnv: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }] }],
  ])("refuses %s, which nothing would come of", (path, values) => {
    expect(() => textOf(values)).toThrow(`A compose file cannot have ${path}: that is for Kubernetes.`);
  });

  test("refuses a PostgreSQL whose address the servers do not know, and a second NATS", () => {
    expect(() => textOf({}, { postgres: true })).toThrow(/database\.postgres\.existingSecret/u);
    expect(() => textOf({ nats: { existingSecret: "a" } }, { nats: true })).toThrow(/names a NATS already/u);
  });
});
