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
  /** Whether the token of the first start is still in its file. */
  readonly hasAdminTokenFile: boolean;
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
  return [`Bowline ${server.version} listens on ${server.url}`, ...lines, ...howToLogIn(server), ""].join(
    "\n",
  );
}

/** The first start may have ended before it said so, as where another program had the port. */
function howToLogIn(server: StartedServer): string[] {
  if (server.adminToken !== undefined) return firstStart(server, server.adminToken);
  if (!server.hasAdminTokenFile) return [];
  return ["", "Log in with the token of the first start:", "", `  ${loginCommand(server)}`, ""];
}

function firstStart(server: StartedServer, adminToken: string): string[] {
  return [
    "",
    "This is the first start. The token of the admin, which will not be shown again:",
    "",
    `  ${adminToken}`,
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
