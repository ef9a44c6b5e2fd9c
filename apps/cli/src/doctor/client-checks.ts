import type { ClientFacts } from "./doctor-facts.ts";
import { error, note, warning, type Finding } from "./finding.ts";
import { durationText } from "./spoken.ts";
import { promisedSkew, versionSkew } from "./version-skew.ts";

const dayMs = 24 * 3_600_000;
/** Tokens and certificates of some hours begin to be refused, and times in lists look odd. */
const clockErrorMs = 5 * 60_000;
const clockWarningMs = 30_000;
const certificateWarningMs = 14 * dayMs;
const tokenWarningMs = 7 * dayMs;

/** The config file, the context and the way to the server. */
export function checkConnection(client: ClientFacts): Finding[] {
  const { configProblem, choiceProblem, connectionProblem } = client;
  if (configProblem !== undefined) {
    return [
      error("config-file", configProblem.message, "Mend the file, or name another with BOWLINE_CONFIG."),
    ];
  }
  if (choiceProblem !== undefined) {
    return [
      error(
        "context",
        choiceProblem.message,
        "Sign in with `bowline login URL`, or look at a server that is stopped with `bowline doctor --data FOLDER`.",
      ),
    ];
  }
  if (connectionProblem === undefined) return [];
  return [
    error(
      "connection",
      connectionProblem.message,
      "On the machine of the server, `bowline doctor --data FOLDER` looks at what is there.",
    ),
  ];
}

/** The certificate that the server shows, seen from here. */
export function checkShownCertificate({ certificateEndsMs, nowMs }: ClientFacts): Finding[] {
  if (certificateEndsMs === undefined) return [];
  const leftMs = certificateEndsMs - nowMs;
  if (leftMs > certificateWarningMs) return [];
  const when = new Date(certificateEndsMs).toISOString();
  const message =
    leftMs <= 0
      ? `The certificate of the server has ended at ${when}.`
      : `The certificate of the server ends in ${durationText(leftMs)}, at ${when}.`;
  const advice =
    "Renew the files that --tls-cert-file and --tls-key-file name; one that the server made itself it renews a month before its end.";
  return [leftMs <= 0 ? error("certificate", message, advice) : warning("certificate", message, advice)];
}

export function checkClock({ clockAheadMs }: ClientFacts): Finding[] {
  if (clockAheadMs === undefined) return [];
  const byMs = Math.abs(clockAheadMs);
  if (byMs < clockWarningMs) return [];
  const message = `The clock of the server is ${durationText(byMs)} ${clockAheadMs > 0 ? "ahead of" : "behind"} that of this machine.`;
  const advice =
    "Find out which of the two is wrong, and let it follow a time server (timedatectl set-ntp true).";
  return [byMs >= clockErrorMs ? error("clock", message, advice) : warning("clock", message, advice)];
}

export function checkVersions({ version, serverVersion }: ClientFacts): Finding[] {
  if (serverVersion === undefined) return [];
  const skew = versionSkew(version, serverVersion);
  if (skew === undefined || Math.abs(skew) <= promisedSkew) return [];
  return [
    warning(
      "client-version",
      `This program is ${version} and the server ${serverVersion}; they promise to work together when they are no more than one minor version apart.`,
      skew > 0 ? "Upgrade the server, or use the program of its version." : "Upgrade this program.",
    ),
  ];
}

/** Whether there is a token, whether it works, and what may be looked at with it. */
export function checkIdentity({
  identity,
  identityProblem,
  nowMs,
  connectionProblem,
}: ClientFacts): Finding[] {
  if (connectionProblem !== undefined) return [];
  if (identityProblem !== undefined) {
    return [error("token", identityProblem.message, "Sign in again with `bowline login`.")];
  }
  if (identity === undefined) return [];
  const findings: Finding[] = [];
  const leftMs = identity.expiresAt === undefined ? Infinity : Date.parse(identity.expiresAt) - nowMs;
  if (leftMs < tokenWarningMs && leftMs > dayMs) {
    findings.push(
      warning(
        "token",
        `Your token ends in ${durationText(leftMs)}.`,
        "Make another with `bowline token create`.",
      ),
    );
  }
  if (identity.role !== "admin") {
    findings.push(
      note(
        "role",
        `You are "${identity.user}" with the role ${identity.role}: the server tells only admins about itself, so its inside was not looked at.`,
        "Ask an admin to run `bowline doctor`.",
      ),
    );
  }
  return findings;
}
