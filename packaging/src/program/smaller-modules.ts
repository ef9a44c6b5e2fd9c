import * as http from "node:http";

import type { OutputOptions, Plugin } from "rolldown";

/**
 * Node keeps the text of its program, and of one with a single character beyond Latin-1 it takes two bytes for each: 5 MB
 * for an agent, of 90 MB that it has in all. Lines and names stay, for those who read stack traces.
 */
export const plainCode: OutputOptions = {
  minify: {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false, asciiOnly: true, legalComments: "inline" },
  },
  comments: { jsdoc: false, annotation: false, legal: true },
};

/**
 * The parts of undici that are used, with the file of each. Its whole, with fetch, caches and mocks, takes 2.8 MB of
 * heap and three quarters of a megabyte of text more, and five times as long to load.
 */
const undiciParts: Readonly<Record<string, string>> = {
  Agent: "undici/lib/dispatcher/agent.js",
  Pool: "undici/lib/dispatcher/pool.js",
  ProxyAgent: "undici/lib/dispatcher/proxy-agent.js",
  buildConnector: "undici/lib/core/connect.js",
};
/** Loaded by commands only, for WebSockets, which are most of the rest. */
const needWholeUndici = [
  "packages/client/src/http/cluster-socket.ts",
  "packages/kube/src/client/port-forward.ts",
];

/** Names of `node:http` that are read from Node's own undici, and make Node load that: another 40 ms and 3 MB. */
const fromUndici = new Set(["WebSocket", "CloseEvent", "MessageEvent"]);

const virtual = "\0bowline:";

/** Replaces modules of which a program needs less than they load. */
export const smallerModules: Plugin = {
  name: "smaller-modules",
  resolveId(source, importer = "") {
    if (source === "node:http") return `${virtual}http`;
    return source === "undici" && !needWholeUndici.some((file) => importer.endsWith(file))
      ? `${virtual}undici`
      : undefined;
  },
  load(id) {
    if (id === `${virtual}http`) return { code: httpModule(), moduleType: "js" };
    return id === `${virtual}undici` ? { code: undiciModule(), moduleType: "js" } : undefined;
  },
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = withPlainNotices(file.code);
  },
};

/**
 * The name of an author in a notice, with a letter beyond ASCII, would make Node keep two bytes for each character of
 * the file: 2.9 MB of a server. It is the one thing that the bundler leaves as it is.
 */
function withPlainNotices(code: string): string {
  return code.replaceAll(/\/\*!.*?\*\//gsu, (notice) =>
    notice
      .normalize("NFKD")
      .replaceAll(/\p{Mn}/gu, "")
      .replaceAll(/[^\x20-\x7E\s]/gu, "?"),
  );
}

function undiciModule(): string {
  return Object.entries(undiciParts)
    .map(([name, file]) => `export { default as ${name} } from ${JSON.stringify(file)};\n`)
    .join("");
}

/** An `import` of Node's module would read all that it exports. */
function httpModule(): string {
  const names = Object.keys(http).filter((name) => name !== "default" && !fromUndici.has(name));
  return [
    'const http = process.getBuiltinModule("node:http");',
    "export default http;",
    `export const { ${names.join(", ")} } = http;`,
  ].join("\n");
}
