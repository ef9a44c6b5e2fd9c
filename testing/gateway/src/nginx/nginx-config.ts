import type { ProgrammedGateway } from "../controller/reference-controller.ts";
import type { Entry } from "../rules/precedence.ts";
import type { Backend } from "../rules/references.ts";
import type { Action } from "../rules/route-rules.ts";
import { endpointsOf, type Endpoint, type VirtualHost } from "./virtual-hosts.ts";

/** The addresses (`10.0.0.1:8080`) behind a port of a Service; none while nothing is ready. */
export type ResolveBackend = (backend: Backend) => readonly string[];

export interface NginxConfig {
  readonly text: string;
  /** Certificates and keys by the names that the text gives them. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ConfigOptions {
  readonly folder: string;
  /** What the control socket answers, so that a reload can be told from what was before. */
  readonly generation: number;
  readonly resolve: ResolveBackend;
  readonly asRoot: boolean;
}

/** Collects the parts of a configuration; a part that is needed twice is written once. */
class ConfigWriter {
  readonly files: Record<string, string> = {};
  readonly blocks: string[] = [];
  readonly #options: ConfigOptions;
  readonly #upstreams = new Map<string, string>();
  #maps = 0;

  constructor(options: ConfigOptions) {
    this.#options = options;
  }

  endpoint({ address, port, isTls, hosts }: Endpoint): void {
    const listen = `listen ${address}:${port}${isTls ? " ssl" : ""}`;
    const lines = isTls ? ["ssl_reject_handshake on;"] : ["return 404;"];
    if (!hosts.some(({ host }) => host === undefined))
      this.blocks.push(block("server", [`${listen} default_server;`, ...lines]));
    for (const host of hosts)
      this.#host(host, host.host === undefined ? `${listen} default_server;` : `${listen};`);
  }

  #host({ host = "_", certificate, entries }: VirtualHost, listen: string): void {
    const lines = [listen, `server_name ${host};`];
    if (certificate !== undefined) {
      const name = certificate.secret.replace("/", "_");
      this.files[`${name}.crt`] = certificate.cert;
      this.files[`${name}.key`] = certificate.key;
      lines.push(
        `ssl_certificate ${this.#path(`${name}.crt`)};`,
        `ssl_certificate_key ${this.#path(`${name}.key`)};`,
      );
    }
    const locations = new Map<string, Entry[]>();
    for (const { match } of entries) {
      const covering = (path: string): Entry[] => entries.filter((each) => covers(each, path));
      if (match.type === "Exact") locations.set(`= ${match.value}`, covering(match.value));
      else if (match.value === "/")
        locations.set(
          "/",
          entries.filter((each) => each.match.value === "/" && each.match.type === "PathPrefix"),
        );
      else {
        locations.set(`= ${match.value}`, covering(match.value));
        locations.set(
          `${match.value}/`,
          entries.filter((each) => each.match.type === "PathPrefix" && covers(each, `${match.value}/`)),
        );
      }
    }
    for (const [location, candidates] of locations)
      lines.push(block(`location ${location}`, this.#location(candidates)));
    if (!locations.has("/")) lines.push(block("location /", ["return 404;"]));
    this.blocks.push(block("server", lines));
  }

  /** One of several actions is chosen by the method alone, as headers and parameters are not served. */
  #location(candidates: readonly Entry[]): string[] {
    const variable = `$action_${this.#maps++}`;
    const fallback = candidates.find(({ match }) => match.method === undefined);
    const byMethod = Map.groupBy(candidates, ({ match }) => match.method ?? "default");
    const methods = [...byMethod].filter(([method]) => method !== "default");
    const lines = methods.flatMap(([method, [first]]) =>
      first === undefined ? [] : [`${method} ${this.#actionFor(first, fallback, candidates)};`],
    );
    const last = fallback === undefined ? this.#status(404) : this.#upstream(fallback.action);
    this.blocks.push(block(`map $request_method ${variable}`, [`default ${last};`, ...lines]));
    return [`proxy_pass http://${variable};`];
  }

  /** What names a method wins, unless something without one has a longer path. */
  #actionFor(first: Entry, fallback: Entry | undefined, candidates: readonly Entry[]): string {
    const isFirst = fallback === undefined || candidates.indexOf(first) < candidates.indexOf(fallback);
    return this.#upstream(isFirst ? first.action : fallback.action);
  }

  #upstream(action: Action): string {
    if (action.kind === "redirect") return this.#redirect(action.redirect);
    const servers = action.backends.flatMap(({ backend, weight }) => {
      if (weight === 0) return [];
      if (backend === undefined) return [`server unix:${this.#socket(500)} weight=${weight};`];
      const addresses = this.#options.resolve(backend);
      if (addresses.length === 0) return [`server unix:${this.#socket(503)} weight=${weight};`];
      return addresses.map((address) => `server ${address} weight=${weight} max_fails=0;`);
    });
    return servers.length === 0 ? this.#status(500) : this.#named(servers);
  }

  #redirect({
    scheme = "$http_x_forwarded_proto",
    hostname = "$host",
    port,
    statusCode = 302,
  }: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly port?: number;
    readonly statusCode?: number;
  }): string {
    const place = port === undefined ? hostname : `${hostname}:${port}`;
    return this.#answering(`return ${statusCode} ${scheme}://${place}$request_uri;`);
  }

  #status(status: number): string {
    return this.#named([`server unix:${this.#socket(status)};`]);
  }

  #socket(status: number): string {
    return this.#answerSocket(`return ${status};`);
  }

  #answering(line: string): string {
    return this.#named([`server unix:${this.#answerSocket(line)};`]);
  }

  readonly #sockets = new Map<string, string>();

  /** A server of nginx's own that always answers the same, so that every action is a place to forward to. */
  #answerSocket(line: string): string {
    const known = this.#sockets.get(line);
    if (known !== undefined) return known;
    const path = this.#path(`answer-${this.#options.generation}-${this.#sockets.size}.sock`);
    this.#sockets.set(line, path);
    this.blocks.push(block("server", [`listen unix:${path};`, line]));
    return path;
  }

  #named(servers: readonly string[]): string {
    const key = servers.join("\n");
    const known = this.#upstreams.get(key);
    if (known !== undefined) return known;
    const name = `backend_${this.#upstreams.size}`;
    this.#upstreams.set(key, name);
    this.blocks.push(block(`upstream ${name}`, servers));
    return name;
  }

  #path(name: string): string {
    return `${this.#options.folder}/${name}`;
  }
}

/** Everything that nginx needs to serve these Gateways. */
export function nginxConfig(gateways: readonly ProgrammedGateway[], options: ConfigOptions): NginxConfig {
  const { folder, generation, asRoot } = options;
  const writer = new ConfigWriter(options);
  for (const gateway of gateways) for (const endpoint of endpointsOf(gateway)) writer.endpoint(endpoint);
  const control = block("server", [`listen unix:${folder}/control.sock;`, `return 200 "${generation}";`]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  );
  const proxy = [
    "proxy_http_version 1.1;",
    "proxy_redirect off;",
    "proxy_set_header Host $http_host;",
    'proxy_set_header Connection "";',
    "proxy_set_header X-Forwarded-Proto $scheme;",
  ];
  const general = ["access_log off;", "server_names_hash_bucket_size 256;", "variables_hash_max_size 4096;"];
  return {
    files: writer.files,
    text: [
      // Its workers would else be somebody who may not look into the folder.
      ...(asRoot ? ["user root;"] : []),
      "daemon off;",
      "worker_processes 1;",
      `pid ${folder}/nginx.pid;`,
      "error_log stderr notice;",
      block("events", ["worker_connections 512;"]),
      block("http", [...general, ...temporary, ...proxy, control, ...writer.blocks]),
      "",
    ].join("\n"),
  };
}

function covers({ match }: Entry, path: string): boolean {
  if (match.type === "Exact") return match.value === path;
  return match.value === "/" || path === match.value || path.startsWith(`${match.value}/`);
}

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join("\n")}\n}`;
}
