export interface StartedServer {
  readonly version: string;
  readonly url: string;
  /** Where it listens, which may have another name outside. */
  readonly address: string;
  /** Where the data is, in words. */
  readonly data: string;
  readonly role: string;
  readonly caFile: string | undefined;
  readonly caFingerprint: string | undefined;
  /** On the first start only. */
  readonly adminToken: string | undefined;
  readonly adminTokenFile: string;
  /** How this program is called: `bowline`, or `npx bowline` where npm started it. */
  readonly program: string;
}

/** What whoever started the server has to know. */
export function startedText(server: StartedServer): string {
  const facts = [
    ["Data", server.data],
    ...(server.role === "all" ? [] : [["Role", server.role]]),
    ...(server.caFile === undefined ? [] : [["CA", server.caFile]]),
    ...(server.caFingerprint === undefined ? [] : [["", server.caFingerprint]]),
  ];
  const lines = facts.map(([name = "", value]) => `  ${name.padEnd(5)} ${value}`);
  return [`Bowline ${server.version} listens on ${server.url}`, ...lines, ...firstStart(server), ""].join(
    "\n",
  );
}

function firstStart(server: StartedServer): string[] {
  if (server.adminToken === undefined) return [];
  return [
    "",
    "This is the first start. The token of the admin, which will not be shown again:",
    "",
    `  ${server.adminToken}`,
    "",
    `It is also in ${server.adminTokenFile}. Log in with:`,
    "",
    `  ${loginCommand(server)}`,
    "",
    "And go on with:",
    "",
    `  ${server.program} api-kinds`,
    `  ${server.program} get clusters`,
    "",
  ];
}

function loginCommand({ program, url, caFingerprint, adminTokenFile }: StartedServer): string {
  return [
    `${program} login ${url}`,
    ...(caFingerprint === undefined ? [] : [`--ca-fingerprint ${caFingerprint}`]),
    `--token-file ${quoted(adminTokenFile)}`,
  ].join(" ");
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w./~+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
