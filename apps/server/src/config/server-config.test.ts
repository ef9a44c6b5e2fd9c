import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { loadConfig, type ServerConfig } from "./server-config.ts";
import { serverSettings } from "./settings.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bowline-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Given {
  readonly flags?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly yaml?: string;
}

function load({ flags = {}, environment = {}, yaml }: Given): ServerConfig {
  if (yaml === undefined) return loadConfig({ flags, environment });
  const file = join(folder, "server.yaml");
  writeFileSync(file, yaml);
  return loadConfig({ flags: { "--config": file, ...flags }, environment });
}

function problemsOf(given: Given): string {
  try {
    load(given);
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(`${folder}/`, "") : String(error);
  }
  return "";
}

describe("loadConfig", () => {
  test("needs nothing", () => {
    const config = load({ environment: { HOME: "/home/operator" } });
    expect(config).toMatchObject({
      listen: { host: "127.0.0.1", port: 7443 },
      data: "/home/operator/.local/share/bowline",
      role: "all",
      database: { url: undefined, connections: 10 },
      limits: { body: 8 * 1024 * 1024 },
      retention: { audit: 90 * 24 * 3_600_000 },
      warnings: [],
    });
    expect(load({ environment: { XDG_DATA_HOME: "/srv" } }).data).toBe("/srv/bowline");
  });

  test("reads every setting from every place it can be in", () => {
    for (const { name, flag, variable, setting } of serverSettings.named) {
      const text = sampleText[name] ?? setting.default;
      if (text === undefined) throw new Error(`There is no sample of ${name}.`);
      const [group, key] = name.includes(".") ? name.split(".") : [undefined, name];
      const line = `${key}: ${JSON.stringify(text)}`;
      const others = companions[name] ?? {};
      const sources: Given[] = [
        { environment: { [variable]: text } },
        { yaml: group === undefined ? line : `${group}:\n  ${line}` },
        ...(flag === undefined ? [] : [{ flags: { [flag]: text } }]),
      ];
      for (const given of sources) {
        const config = load({ ...given, environment: { ...others, ...given.environment } });
        expect([name, valueAt(config, name)]).toEqual([name, setting.type.parse(text)]);
      }
    }
  });

  test("flags are stronger than the environment, that is stronger than the file, and that than the default", () => {
    const place = fc.option(fc.integer({ min: 2, max: 1000 }), { nil: undefined });
    fc.assert(
      fc.property(place, place, place, (flag, variable, file) => {
        const { database, origins } = load({
          ...(flag === undefined ? {} : { flags: { "--database-connections": `${flag}` } }),
          ...(variable === undefined ? {} : { environment: { BOWLINE_DATABASE_CONNECTIONS: `${variable}` } }),
          ...(file === undefined ? {} : { yaml: `database:\n  connections: ${file}` }),
        });
        expect(database.connections).toBe(flag ?? variable ?? file ?? 10);
        const source = origins.get("database.connections")?.source.replace(`${folder}/`, "");
        const sources = [
          "--database-connections",
          "BOWLINE_DATABASE_CONNECTIONS",
          "server.yaml: database.connections",
        ];
        const strongest = [flag, variable, file].findIndex((value) => value !== undefined);
        expect(source).toBe(sources[strongest] ?? "default");
      }),
    );
  });

  test("an empty variable is one that nobody filled in", () => {
    expect(load({ environment: { BOWLINE_ROLE: "", BOWLINE_LISTEN: "" } }).role).toBe("all");
  });

  test.each<[string, Given, string]>([
    [
      "a flag",
      { flags: { "--listen": "7443" } },
      '--listen must be an address with a port, such as 127.0.0.1:7443, 0.0.0.0:7443 or [::]:7443, not "7443".',
    ],
    ["a port that cannot be", { flags: { "--listen": "localhost:70000" } }, 'not "localhost:70000".'],
    [
      "a variable",
      { environment: { BOWLINE_DRAIN_TIME: "20" } },
      'BOWLINE_DRAIN_TIME must be a duration such as 30s, 1h30m or 7d, from 1s to 1h, not "20".',
    ],
    [
      "a value in the file",
      { yaml: "limits:\n  body: 1TiB" },
      'server.yaml: limits.body must be a size such as 512KiB or 4MiB, from 1KiB to 64MiB, not "1TiB".',
    ],
    [
      "a role there is not",
      { flags: { "--role": "worker" } },
      'must be one of all, api, controllers, gateway, not "worker".',
    ],
    ["an unknown key", { yaml: "listn: 1" }, "server.yaml: listn is no setting; did you mean listen?"],
    [
      "an unknown key in a group",
      { yaml: "database:\n  ulr: postgres://db/bowline" },
      "server.yaml: database.ulr is no setting; did you mean database.url?",
    ],
    ["an unknown group", { yaml: "databse:\n  url: x" }, "databse is no setting; did you mean database?"],
    ["a group where a value belongs", { yaml: "listen:\n  host: x" }, "listen must be a single value"],
    ["a value where a group belongs", { yaml: "tls: off" }, "server.yaml: tls must be a group of settings."],
    ["a file that is no YAML", { yaml: "listen: [" }, "server.yaml is not YAML at line 1, column 10:"],
    ["a file of aliases", { yaml: "data: &a x\nrole: *a" }, "server.yaml must not have anchors and aliases"],
    ["a file that is a list", { yaml: "- listen" }, "server.yaml must be a group of settings."],
    ["a file that is not there", { flags: { "--config": "/nowhere.yaml" } }, "--config names /nowhere.yaml"],
    [
      "a file named by the environment that is not there",
      { environment: { BOWLINE_SERVER_CONFIG: "/nowhere.yaml" } },
      "BOWLINE_SERVER_CONFIG names /nowhere.yaml",
    ],
    [
      "TLS switched off for other machines",
      { flags: { "--tls": "off", "--listen": "0.0.0.0:80" } },
      "--tls switches TLS off, but --listen lets other machines connect",
    ],
    [
      "a console without TLS for other machines",
      { flags: { "--console-listen": "0.0.0.0:8080" } },
      "--console-listen lets other machines connect without TLS",
    ],
    [
      "a certificate without its key",
      { flags: { "--tls-cert-file": "a" } },
      "--tls-cert-file is of no use without tls.keyFile.",
    ],
    [
      "a key without its certificate",
      { flags: { "--tls-key-file": "a" } },
      "--tls-key-file is of no use without tls.certFile.",
    ],
    [
      "names for a certificate that is given",
      { flags: { "--tls-cert-file": "a", "--tls-key-file": "b", "--tls-names": "c" } },
      "--tls-names is for the certificate that the server makes itself",
    ],
    [
      "a name that no certificate can have",
      { yaml: "tls:\n  names: [a.example.com, https://b.example.com]" },
      'server.yaml: tls.names must have DNS names and IP addresses without ports, not "https://b.example.com".',
    ],
    ["a part of a server on SQLite", { flags: { "--role": "api" } }, "--role must be all, not"],
    [
      "NATS without an address",
      { flags: { "--nats-ca-file": "a" } },
      "--nats-ca-file is of no use without --nats-url.",
    ],
    [
      "clusters on the machine of one of several servers",
      { yaml: "provider:\n  kind: on\nnats:\n  url: nats://a:4222" },
      "server.yaml: provider.kind must be off, because server.yaml: nats.url lets several servers",
    ],
    [
      "Neo4j without a password",
      { flags: { "--neo4j-url": "bolt+s://neo4j" } },
      "--neo4j-url is of no use without neo4j.password.",
    ],
    [
      "half of OIDC",
      { flags: { "--oidc-issuer": "https://id" } },
      "--oidc-issuer is of no use without oidc.clientId.",
    ],
  ])("refuses %s and says what would be right", (_what, given, problem) => {
    expect(problemsOf(given)).toContain(problem);
  });

  test("tells all that is wrong at once", () => {
    const given = {
      flags: { "--role": "boss" },
      environment: { BOWLINE_LISTEN: "x" },
      yaml: "drainTime: soon",
    };
    expect(() => load(given)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^3 settings are wrong, the first: BOWLINE_LISTEN must be/u),
        details: {
          fields: [
            { path: "BOWLINE_LISTEN", message: expect.stringMatching(/^must be an address/u) },
            { path: "--role", message: expect.stringContaining('not "boss"') },
            { path: expect.stringMatching(/server\.yaml: drainTime$/u), message: expect.any(String) },
          ],
        },
      }),
    );
  });

  test("TLS may be off where only this machine can connect", () => {
    for (const listen of ["127.0.0.1:0", "127.3.2.1:80", "[::1]:80", "localhost:80"]) {
      expect(load({ flags: { "--tls": "off", "--listen": listen } }).tls.mode).toBe("off");
    }
  });

  test("lists have commas, or are lists", () => {
    expect(load({ flags: { "--tls-names": "a.example.com, 10.0.0.1" } }).tls.names).toEqual([
      "a.example.com",
      "10.0.0.1",
    ]);
    expect(load({ yaml: "tls:\n  names: [a, b]" }).tls.names).toEqual(["a", "b"]);
    const roles = { "cn=ops,ou=it": "admin", "all of us": "viewer" };
    expect(load({ yaml: 'oidc:\n  roles: ["cn=ops,ou=it=admin", all of us=viewer]' }).oidc.roles).toEqual(
      roles,
    );
    expect(problemsOf({ flags: { "--oidc-roles": "ops=boss" } })).toContain(
      "one of viewer, editor, admin, not",
    );
  });

  test("hints at a variable that is nearly a setting, and not at others", () => {
    const environment = { BOWLINE_LISTN: "x", BOWLINE_TOKEN: "x", BOWLINE_DEBUG: "1", BOWLINE_CONTEXT: "x" };
    expect(load({ environment }).warnings).toEqual([
      "BOWLINE_LISTN is no setting; did you mean BOWLINE_LISTEN?",
    ]);
  });
});

describe("secrets", () => {
  const url = "postgres://bowline:p@ss:word@db/bowline";

  function secretFile(content: string): string {
    const file = join(folder, "database-url");
    writeFileSync(file, content);
    return file;
  }

  test("can be in a file of their own", () => {
    const file = secretFile(`${url}\n`);
    expect(load({ flags: { "--database-url-file": file } }).database.url).toBe(url);
    expect(load({ environment: { BOWLINE_DATABASE_URL_FILE: file } }).database.url).toBe(url);
    expect(load({ yaml: `database:\n  urlFile: ${file}` }).database.url).toBe(url);
    const stronger = {
      flags: { "--database-url": "postgres://other/db" },
      yaml: `database: {urlFile: ${file}}`,
    };
    expect(load(stronger).database.url).toBe("postgres://other/db");
  });

  test("are refused when they are given twice, or their file has none", () => {
    const file = secretFile("");
    const both = { flags: { "--database-url": url, "--database-url-file": file } };
    expect(problemsOf(both)).toContain("--database-url gives the same as --database-url-file");
    expect(problemsOf({ flags: { "--database-url-file": file } })).toContain("which is empty");
    expect(problemsOf({ flags: { "--database-url-file": "/nowhere" } })).toContain("cannot be read (ENOENT)");
  });

  test("are never shown", () => {
    const config = load({ flags: { "--database-url": url } });
    expect(config.origins.get("database.url")?.shown).toBe("postgres://bowline:[Redacted]@db/bowline");
    expect(config.warnings.join()).toContain("use --database-url-file or BOWLINE_DATABASE_URL_FILE");
    const nats = load({ environment: { BOWLINE_NATS_URL: "nats://s3cret@a:4222,tls://user:s3cret@b" } });
    expect(nats.origins.get("nats.url")?.shown).not.toContain("s3cret");
    const wrong = problemsOf({ flags: { "--database-url": "mysql://bowline:p@ss:word@db/bowline" } });
    expect(wrong).toMatch(/^--database-url must be an address such as postgres:/);
    for (const text of [JSON.stringify([...config.origins]), config.warnings.join(), wrong]) {
      expect(text).not.toMatch(/p@ss|ss:word|p%40/u);
    }
  });
});

/** A value of each setting that has no default. */
const sampleText: Readonly<Record<string, string>> = {
  "console.listen": "127.0.0.1:7080",
  "agent.image": "registry.example.com/bowline:1.2.3",
  "provider.programs": "rack=/usr/local/bin/make-rack",
  "gateway.urls": "https://agents.example.com",
  "gateways.user": "ops",
  "gateways.probeNetworks": "10.0.0.0/8",
  "provider.eksAccess": "203.0.113.7",
  "gateways.resolvers": "10.0.0.53",
  "gateways.implementations": "envoy=envoy-gateway",
  "gateways.certManager": "cert-manager",
  "gateways.externalDns": "external-dns",
  "neo4j.url": "neo4j+s://neo4j.example.com",
  "neo4j.password": "secret",
  "replica.url": "https://10.1.2.3:7443",
  advertisedUrl: "https://bowline.example.com",
  data: "/srv/bowline",
  role: "all",
  trustedProxies: "10.0.0.1,10.1.0.0/16",
  "database.url": "postgres://db/bowline",
  "nats.url": "nats://nats:4222",
  "nats.credentialsFile": "/etc/nats.creds",
  "nats.caFile": "/etc/nats.pem",
  "nats.certFile": "/etc/nats.crt",
  "nats.keyFile": "/etc/nats.key",
  "tls.certFile": "/etc/tls.crt",
  "tls.keyFile": "/etc/tls.key",
  "tls.names": "a.example.com,10.0.0.1",
  "encryption.keysFile": "/etc/encryption.keys",
  "oidc.issuer": "https://id.example.com",
  "oidc.clientId": "bowline",
  "oidc.clientSecret": "secret",
  "admin.token": "bwl_secret",
  "oidc.name": "Example",
  "oidc.roles": "cn=platform=admin,readers=viewer",
  "oidc.defaultRole": "viewer",
  "log.format": "text",
};

/** Other settings that have to be given so that one is right. */
const companions: Readonly<Record<string, Record<string, string>>> = {
  "neo4j.url": { BOWLINE_NEO4J_PASSWORD: "secret" },
  "neo4j.password": { BOWLINE_NEO4J_URL: "bolt://127.0.0.1:7687" },
  "nats.credentialsFile": { BOWLINE_NATS_URL: "nats://nats:4222" },
  "nats.caFile": { BOWLINE_NATS_URL: "nats://nats:4222" },
  "nats.certFile": { BOWLINE_NATS_URL: "nats://nats:4222", BOWLINE_NATS_KEY_FILE: "/etc/nats.key" },
  "nats.keyFile": { BOWLINE_NATS_URL: "nats://nats:4222", BOWLINE_NATS_CERT_FILE: "/etc/nats.crt" },
  "tls.certFile": { BOWLINE_TLS_KEY_FILE: "/etc/tls.key" },
  "tls.keyFile": { BOWLINE_TLS_CERT_FILE: "/etc/tls.crt" },
  "oidc.issuer": { BOWLINE_OIDC_CLIENT_ID: "bowline" },
  "oidc.clientId": { BOWLINE_OIDC_ISSUER: "https://id.example.com" },
};

function valueAt(config: object, name: string): unknown {
  return name.split(".").reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], config);
}
