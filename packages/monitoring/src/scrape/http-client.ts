/** How the collector reaches something over HTTP: TLS, proxies and who it says it is. */
import { isUrl } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import { checkTlsFiles } from "../check/tls-files.ts";
import { nonEmptyList, nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";

const tlsVersions = ["TLS10", "TLS11", "TLS12", "TLS13"] as const;

/** Whether paths of files may be named: by an administrator, by a monitor that was allowed to, or not at all. */
export type FileAccess = "allowed" | "denied";

interface TlsOptions {
  readonly files: FileAccess;
  /** Defaults of a scrape class, for monitors that bring nothing of their own. */
  readonly defaults?: ConfigMap | undefined;
}

export function tlsConfig(field: Field, scope: Scope, options: TlsOptions): ConfigMap | undefined {
  const { defaults } = options;
  if (!field.present) return defaults;
  const ca = scope.secretOrConfigMapFile(field.get("ca"));
  const cert = scope.secretOrConfigMapFile(field.get("cert"));
  const key = scope.secretFile(field.get("keySecret"));
  checkTlsFiles({ ca, cert, key });
  const config: ConfigMap = {
    insecure_skip_verify: field.get("insecureSkipVerify").flag(),
    ca_file: ca?.path ?? filePath(field.get("caFile"), options) ?? defaults?.["ca_file"],
    cert_file: cert?.path ?? filePath(field.get("certFile"), options) ?? defaults?.["cert_file"],
    key_file: key?.path ?? filePath(field.get("keyFile"), options) ?? defaults?.["key_file"],
    server_name: field.get("serverName").word(),
    min_version: scope.since("2.35", field.get("minVersion"), (version) => version.choice(tlsVersions)),
    max_version: scope.since("2.41", field.get("maxVersion"), (version) => version.choice(tlsVersions)),
  };
  if ((config["cert_file"] === undefined) !== (config["key_file"] === undefined)) {
    field.reject(
      `${field.path} has a certificate or a key without the other.`,
      "Give both cert and keySecret, or neither.",
    );
  }
  return nonEmptyMap(config);
}

/** A path that comes from a monitor would let its author read any file of the collector, so it must be allowed. */
export function filePath(field: Field, { files }: { readonly files: FileAccess }): string | undefined {
  const path = field.word();
  if (path !== undefined && files === "denied") {
    field.reject(
      `${field.path} names a file of the collector, which monitors may not do here.`,
      "Refer to a Secret or a ConfigMap instead, or have an administrator set arbitraryFSAccessThroughSMs.deny to false.",
    );
  }
  return path;
}

export function proxyConfig(field: Field, scope: Scope): ConfigMap {
  if (scope.checksAll) checkProxy(field);
  return {
    proxy_url: field.get("proxyUrl").word(),
    no_proxy: scope.since("2.43", field.get("noProxy"), (noProxy) => noProxy.word()),
    proxy_from_environment: scope.since("2.43", field.get("proxyFromEnvironment"), (flag) => flag.flag()),
    proxy_connect_header: scope.since("2.43", field.get("proxyConnectHeader"), (headers) =>
      nonEmptyMap(
        Object.fromEntries(
          headers
            .entries()
            .map(([name, values]) => [name, values.list().flatMap((value) => scope.secret(value) ?? [])]),
        ),
      ),
    ),
  };
}

/** Checks for settings that Prometheus refuses, and with them the whole configuration. */
function checkProxy(field: Field): void {
  const url = field.get("proxyUrl").word();
  const hasUrl = url !== undefined;
  if (hasUrl && !isUrl(url)) {
    field
      .get("proxyUrl")
      .reject(`${field.path}.proxyUrl is no URL.`, "Give a URL such as http://proxy:3128.");
  }
  const isFromEnvironment = field.get("proxyFromEnvironment").flag() === true;
  if (hasUrl && isFromEnvironment) {
    field
      .get("proxyUrl")
      .reject(`${field.path} has both proxyUrl and proxyFromEnvironment.`, "Keep one of the two.");
  }
  if (field.get("noProxy").word() !== undefined && !hasUrl) {
    field
      .get("noProxy")
      .reject(`${field.path}.noProxy has no meaning without proxyUrl.`, "Give proxyUrl, or remove noProxy.");
  }
  if (field.get("proxyConnectHeader").entries().length > 0 && !hasUrl && !isFromEnvironment) {
    field
      .get("proxyConnectHeader")
      .reject(
        `${field.path}.proxyConnectHeader has no meaning without a proxy.`,
        "Give proxyUrl, or remove the headers.",
      );
  }
}

export function basicAuth(field: Field, scope: Scope): ConfigMap | undefined {
  if (!field.present) return undefined;
  return { username: scope.secret(field.get("username")), password: scope.secret(field.get("password")) };
}

export function authorization(field: Field, scope: Scope): ConfigMap | undefined {
  return scope.since("2.26", field, () => {
    const type = field.get("type").word()?.trim() ?? "Bearer";
    if (type.toLowerCase() === "basic") {
      field
        .get("type")
        .reject(`${field.path}.type is Basic, which Prometheus refuses here.`, "Use basicAuth instead.");
    }
    return {
      type,
      credentials: scope.secret(field.get("credentials")),
      credentials_file: field.get("credentialsFile").word(),
    };
  });
}

export function oauth2(field: Field, scope: Scope): ConfigMap | undefined {
  return scope.since("2.27", field, () => {
    for (const name of ["clientId", "clientSecret", "tokenUrl"]) {
      const part = field.get(name);
      if (!part.present || part.value === "")
        part.reject(`${part.path} is missing.`, "Give clientId, clientSecret and tokenUrl.");
    }
    return {
      client_id: filled(field.get("clientId"), scope.secretOrConfigMap(field.get("clientId"))),
      client_secret: filled(field.get("clientSecret"), scope.secret(field.get("clientSecret"))),
      token_url: field.get("tokenUrl").word(),
      scopes: nonEmptyList(field.get("scopes").texts()),
      endpoint_params: nonEmptyMap(field.get("endpointParams").textMap()),
      tls_config: scope.since("2.43", field.get("tlsConfig"), (tls) =>
        tlsConfig(tls, scope, { files: "denied" }),
      ),
      ...proxyConfig(field, scope),
    };
  });
}

/** Prometheus refuses OAuth without one of these, also where the key is optional or there is nothing in it. */
function filled(field: Field, value: string | undefined): string | undefined {
  if ((value ?? "") === "") {
    field.reject(`${field.path} gives no value.`, "Refer to a key that has one.");
  }
  return value;
}

/** Prometheus refuses more than one way to log in; the second would also be a surprise. */
export function checkOneAuth(parent: Field, names: readonly string[]): string | undefined {
  const used = names.filter((name) => isUsed(parent.get(name), name));
  const [first, second] = used;
  if (second !== undefined) {
    parent
      .get(second)
      .reject(
        `${parent.path} has both ${first} and ${second}.`,
        "Keep one way to authenticate and remove the others.",
      );
  }
  return first;
}

/** A selector without a name is one that the API server filled with defaults, and means nothing. */
function isUsed(field: Field, name: string): boolean {
  if (name === "bearerTokenSecret") return field.get("name").word() !== undefined;
  return field.value !== undefined && field.value !== "";
}
