import { BowlineError } from "@bowline/core";
import { recordOf, textOf } from "../json-fields.ts";
import type { ClusterConnection, ExecPlugin } from "./cluster-connection.ts";
import { bearer, type Credential } from "./credentials.ts";

/** The object that a plugin reads from `KUBERNETES_EXEC_INFO`. */
export function execInfo(
  plugin: ExecPlugin,
  connection: ClusterConnection,
  { interactive, caPem }: { readonly interactive: boolean; readonly caPem: string | undefined },
): object {
  const cluster = {
    server: connection.server,
    "tls-server-name": connection.tlsServerName,
    "insecure-skip-tls-verify": connection.insecureSkipVerify,
    "certificate-authority-data": caPem === undefined ? undefined : Buffer.from(caPem).toString("base64"),
    "proxy-url": connection.proxyUrl,
    config: plugin.clusterConfig,
  };
  return {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: { interactive, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
}

/** Checks what a plugin printed. Errors never quote it: it holds secrets. */
export function parseExecCredential(
  output: string,
  plugin: ExecPlugin,
): Credential & { readonly expiresAtMs: number } {
  const answer = parsed(output, plugin);
  if (answer["kind"] !== "ExecCredential" || answer["apiVersion"] !== plugin.apiVersion) {
    throw bad(
      plugin,
      `did not print an ExecCredential of ${plugin.apiVersion}; set apiVersion to what it speaks`,
    );
  }
  const status = recordOf(answer["status"]) ?? {};
  const token = textOf(status["token"]);
  const cert = textOf(status["clientCertificateData"]);
  const key = textOf(status["clientKeyData"]);
  if ((cert === undefined) !== (key === undefined))
    throw bad(plugin, "printed a certificate or a key without the other");
  if (token === undefined && cert === undefined)
    throw bad(plugin, "printed neither a token nor a certificate");
  return {
    ...(token === undefined ? {} : { authorization: bearer(token, `the exec plugin "${plugin.command}"`) }),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    expiresAtMs: expiryOf(status["expirationTimestamp"], plugin),
  };
}

function parsed(output: string, plugin: ExecPlugin): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(output)) ?? {};
  } catch {
    // The parser's message would quote the output.
    throw bad(plugin, "did not print JSON");
  }
}

function expiryOf(value: unknown, plugin: ExecPlugin): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  const expiresAtMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(expiresAtMs)) throw bad(plugin, "printed an expirationTimestamp that is not a time");
  return expiresAtMs;
}

function bad(plugin: ExecPlugin, what: string): BowlineError {
  return new BowlineError("ExecPluginFailed", `The exec plugin "${plugin.command}" ${what}.`, {
    retryable: false,
  });
}
