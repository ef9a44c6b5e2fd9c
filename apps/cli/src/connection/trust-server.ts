import { BowlineError } from "@bowline/core";
import type { ShownCertificate } from "@bowline/tls";

import type { CommandContext } from "../command/command-context.ts";
import { printableLine } from "../output/terminal-text.ts";
import { clientFor } from "./connect-to-server.ts";
import { readNamedFile, requireCertificates } from "./named-file.ts";
import { presentedChain } from "./presented-chain.ts";

interface TrustQuestion {
  readonly server: string;
  /** The certificates that were trusted for this server before. */
  readonly knownPem: string | undefined;
  readonly fingerprint: string | undefined;
}

/**
 * The certificate authorities to trust for a server; undefined for those of the machine. No token has been sent when
 * this is decided.
 */
export async function trustServer(
  context: CommandContext,
  question: TrustQuestion,
): Promise<string | undefined> {
  const { server, knownPem, fingerprint } = question;
  const caFile = context.globals.caFile ?? context.environment["BOWLINE_CA_FILE"];
  if (fingerprint !== undefined && context.globals.caFile !== undefined) {
    throw new BowlineError("InvalidArgument", "--ca-file and --ca-fingerprint cannot both be given.");
  }
  if (fingerprint !== undefined) return pinByFingerprint(context, server, fingerprint);
  if (caFile !== undefined && caFile !== "") {
    return requireCertificates(await readNamedFile(caFile, "certificates"), caFile);
  }
  const problem = await trustProblem(context, server, knownPem);
  return problem === undefined ? knownPem : askToPin(context, server, problem);
}

async function pinByFingerprint(context: CommandContext, server: string, text: string): Promise<string> {
  const wanted = normalFingerprint(text);
  const chain = await presentedChain({ ...context, server });
  const found = chain.find((certificate) => certificate.fingerprint === wanted);
  if (found !== undefined) return found.pem;
  throw new BowlineError(
    "CertificateUntrusted",
    `${server} shows no certificate with the fingerprint ${wanted}; compare it with the one the server printed, since somebody may be in between.`,
    { details: { shown: chain.map(({ fingerprint }) => fingerprint) } },
  );
}

/** In upper case and with colons, as openssl prints them, is fine too. */
function normalFingerprint(text: string): string {
  const digits = text
    .replace(/^sha-?256[:=]/i, "")
    .replaceAll(":", "")
    .toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  throw new BowlineError(
    "InvalidArgument",
    "A fingerprint looks like sha256: with 64 hexadecimal digits after it.",
  );
}

/** Undefined when the server can be trusted as things are; rejects when it cannot be reached. */
async function trustProblem(
  context: CommandContext,
  server: string,
  caPem: string | undefined,
): Promise<BowlineError | undefined> {
  const client = await clientFor(context, { server, caPem, token: undefined });
  try {
    await client.version();
    return undefined;
  } catch (thrown) {
    const error = BowlineError.from(thrown);
    if (error.code === "CertificateUntrusted" && !isWrongName(error)) return error;
    // A server that answers has been trusted; whether it is Bowline's, the login will show.
    if (error.details?.["httpStatus"] !== undefined || error.code === "NotBowline") return undefined;
    throw error;
  } finally {
    await client.close();
  }
}

/** No pinning mends a certificate that is for another host. */
function isWrongName(error: BowlineError): boolean {
  return error.details?.["errno"] === "ERR_TLS_CERT_ALTNAME_INVALID";
}

async function askToPin(context: CommandContext, server: string, problem: BowlineError): Promise<string> {
  const { terminal, signal } = context;
  const authority = (await presentedChain({ ...context, server })).at(-1);
  if (authority === undefined) throw problem;
  if (!terminal.canAsk) {
    throw new BowlineError(
      "CertificateUntrusted",
      `The certificate of ${server} is not signed by an authority this machine trusts; if the server printed the same fingerprint, log in with --ca-fingerprint ${authority.fingerprint}.`,
      { cause: problem },
    );
  }
  terminal.error(explanation(server, authority));
  const answer = await terminal.ask("Trust it for this server? [y/N] ", { signal });
  if (/^y(?:es)?$/i.test(answer.trim())) return authority.pem;
  throw new BowlineError(
    "CertificateUntrusted",
    `The certificate of ${server} was not trusted, and nothing was saved.`,
  );
}

function explanation(server: string, { subject, expires, fingerprint }: ShownCertificate): string {
  return [
    `The certificate of ${server} is not signed by an authority this machine trusts.`,
    `  authority    ${printableLine(subject)}`,
    `  valid until  ${printableLine(expires)}`,
    `  fingerprint  ${fingerprint}`,
    "Compare the fingerprint with the one the server printed when it started.",
    "",
  ].join("\n");
}
