import { isIP } from "node:net";
import { join, resolve } from "node:path";

import { BowlineError, parseAddress, type Address } from "@bowline/core";
import { dataHome } from "@bowline/program";

import type { Environment } from "../../command/command-context.ts";
import type { TargetRecord } from "../installation-state.ts";

const localServices = ["process", "systemd", "compose"] as const;
type LocalService = (typeof localServices)[number];

export interface LocalOptions {
  readonly service: LocalService;
  /** `host:port` */
  readonly listen: string;
  /** The data folder of the server. */
  readonly data: string;
  /** The address that others know the server by. */
  readonly url: string | undefined;
  /** For compose only. */
  readonly image: string;
}

/** Flags as they were given; those left out are as they were before, or the default. */
export interface LocalFlags {
  readonly service?: string | undefined;
  readonly listen?: string | undefined;
  readonly data?: string | undefined;
  readonly url?: string | undefined;
  readonly image?: string | undefined;
}

const defaultListen = "127.0.0.1:7443";

interface Defaults {
  readonly environment: Environment;
  readonly version: string;
}

export function localOptions(
  flags: LocalFlags,
  before: TargetRecord | undefined,
  { environment, version }: Defaults,
): LocalOptions {
  const known = (field: keyof LocalFlags): string | undefined => {
    const value = flags[field] ?? before?.[field];
    return typeof value === "string" ? value : undefined;
  };
  const service = localServices.find((each) => each === (known("service") ?? "process"));
  if (service === undefined) {
    throw new BowlineError("InvalidArgument", `--service is one of ${localServices.join(", ")}.`);
  }
  const listen = known("listen") ?? defaultListen;
  addressOf({ listen });
  return {
    service,
    listen,
    data: resolve(known("data") ?? dataHome(environment)),
    url: known("url"),
    image: known("image") ?? `bowline:${version}`,
  };
}

export function localRecord({ service, listen, data, url, image }: LocalOptions): TargetRecord {
  return {
    type: "local",
    service,
    listen,
    data,
    ...(url === undefined ? {} : { url }),
    ...(service === "compose" ? { image } : {}),
  };
}

export function addressOf({ listen }: Pick<LocalOptions, "listen">): Address {
  const address = parseAddress(listen);
  if (address !== undefined && address.port > 0) return address;
  throw new BowlineError("InvalidArgument", `--listen is an address and a port such as ${defaultListen}.`);
}

/** How this machine reaches the server. */
export function localUrl({ listen }: Pick<LocalOptions, "listen">): string {
  const { host, port } = addressOf({ listen });
  const any = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host];
  return `https://${any ?? (isIP(host) === 6 ? `[${host}]` : host)}:${port}`;
}

interface LocalFiles {
  readonly log: string;
  readonly pid: string;
  readonly compose: string;
  readonly ca: string;
  /** As the server writes it at its first start, or as compose hands it to the server. */
  readonly adminToken: string;
  readonly composeToken: string;
  readonly database: string;
}

/** Files of an installation in the data folder of its server. */
export function localFiles({ data, service }: Pick<LocalOptions, "data" | "service">): LocalFiles {
  const composeToken = join(data, "secrets", "admin", "token");
  return {
    log: join(data, "server.log"),
    pid: join(data, "server.pid"),
    compose: join(data, "compose.yaml"),
    ca: join(data, "tls", "ca.crt"),
    adminToken: service === "compose" ? composeToken : join(data, "admin.token"),
    composeToken,
    database: join(data, "bowline.db"),
  };
}
