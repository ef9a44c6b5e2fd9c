import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import {
  createTempFolder,
  freePort,
  ManagedProcess,
  namedProgram,
  requireProgram,
} from "@bowline/test-services";

export interface DnsServer extends AsyncDisposable {
  readonly port: number;
  readonly zone: string;
  /** A file with the key that may change and read the whole zone, as `nsupdate -k` and `dig -k` take it. */
  readonly keyFile: string;
  /** What is in that file. */
  readonly key: { readonly name: string; readonly algorithm: "hmac-sha256"; readonly secret: string };
  /** A resolver that asks this server and no other. */
  readonly resolver: Resolver;
  /** Idempotent: ends the process and removes its folder. */
  stop(): Promise<void>;
}

const keyName = "bowline-test";

/**
 * BIND on loopback, with one zone that takes RFC 2136 updates signed with its key; on a free port unless one is given.
 * Programs that name a server by its address alone ask at 53, which only root can have.
 */
export async function startDnsServer(
  zone: string,
  { port: wantedPort }: { readonly port?: number } = {},
): Promise<DnsServer> {
  const command = await requireProgram(namedProgram);
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await createTempFolder("named")).path;
  const port = wantedPort ?? (await freePort());
  const keyFile = join(folder, "key.conf");
  const key = {
    name: keyName,
    algorithm: "hmac-sha256",
    secret: randomBytes(32).toString("base64"),
  } as const;
  const { algorithm, secret } = key;
  await writeFile(keyFile, `key "${keyName}" { algorithm ${algorithm}; secret "${secret}"; };\n`, {
    mode: 0o600,
  });
  await writeFile(join(folder, "zone"), zoneText(zone));
  await writeFile(join(folder, "named.conf"), configText({ folder, port, zone, keyFile }));
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  starting.use(
    await ManagedProcess.start({
      name: "named",
      command,
      args: ["-g", "-n", "1", "-c", join(folder, "named.conf")],
      isReady: async () => (await resolver.resolveSoa(zone)).serial > 0,
    }),
  );
  const owned = starting.move();
  const stop = (): Promise<void> => owned.disposeAsync();
  return { port, zone, keyFile, key, resolver, stop, [Symbol.asyncDispose]: stop };
}

function zoneText(zone: string): string {
  return [
    "$TTL 60",
    `@ IN SOA ns.${zone}. admin.${zone}. 1 3600 600 86400 1`,
    `@ IN NS ns.${zone}.`,
    "ns IN A 127.0.0.1",
    "",
  ].join("\n");
}

function configText(options: { folder: string; port: number; zone: string; keyFile: string }): string {
  const { folder, port, zone, keyFile } = options;
  return `
include "${keyFile}";
options {
  directory "${folder}";
  pid-file none;
  session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  notify no;
};
controls { };
zone "${zone}" {
  type primary;
  file "zone";
  allow-update { key "${keyName}"; };
  allow-transfer { key "${keyName}"; };
};
`;
}

export interface DnsRecord {
  /** Without the dot at its end. */
  readonly name: string;
  readonly type: "A" | "CNAME" | "TXT";
  readonly value: string;
}

/** Every record of the zone that can be one of ours, by a transfer. */
export async function zoneRecords({ port, zone, keyFile }: DnsServer): Promise<DnsRecord[]> {
  const args = [
    "@127.0.0.1",
    "-p",
    String(port),
    "-k",
    keyFile,
    zone,
    "AXFR",
    "+noall",
    "+answer",
    "+onesoa",
  ];
  const { stdout } = await promisify(execFile)("dig", args, { timeout: 10_000 });
  return stdout.split("\n").flatMap((line): DnsRecord[] => {
    const [, name, type, value] = /^(\S+)\.\s+\d+\s+IN\s+(A|CNAME|TXT)\s+(.*)$/u.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    if (type === "TXT") return [{ name, type, value: value.replaceAll('"', "") }];
    return type === "A" || type === "CNAME" ? [{ name, type, value: value.replace(/\.$/u, "") }] : [];
  });
}
