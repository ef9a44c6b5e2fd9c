/** What a command line wants, as its link says. All of it is by its own account but the challenge. */
export interface ApproveRequest {
  readonly challenge: string;
  /** Where the command says that it runs. */
  readonly from: string;
  /** A port of this machine where it waits; missing when somebody carries the code by hand. */
  readonly port?: number;
  readonly state?: string;
}

const challengePattern = /^[\w-]{43}$/u;
const statePattern = /^[\w-]{1,64}$/u;
const maxFromLength = 128;

/** Undefined for a link that no command line makes. */
export function readApproveRequest(search: Readonly<Record<string, unknown>>): ApproveRequest | undefined {
  const { challenge, from, port, state } = search;
  if (typeof challenge !== "string" || !challengePattern.test(challenge)) return undefined;
  if (typeof from !== "string" || from === "" || from.length > maxFromLength) return undefined;
  if (port === undefined) return { challenge, from };
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) return undefined;
  const text = typeof state === "number" ? String(state) : state;
  return typeof text === "string" && statePattern.test(text)
    ? { challenge, from, port: number, state: text }
    : undefined;
}

/**
 * Where the browser carries the answer: to this machine and nowhere else, whatever the link says. Without a code it says
 * that somebody refused.
 */
export function answerAddress(
  { port, state }: Pick<ApproveRequest, "port" | "state">,
  code?: string,
): string | undefined {
  if (port === undefined || state === undefined) return undefined;
  const query = new URLSearchParams({ state, ...(code === undefined ? { error: "refused" } : { code }) });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}
