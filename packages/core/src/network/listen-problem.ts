import { codeOf } from "../has-code.ts";

const problems: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  EADDRINUSE: ["another program listens there", "stop it, or choose another address"],
  EACCES: ["this user may not use the port", "choose one above 1023"],
  EADDRNOTAVAIL: ["this machine does not have that address", "choose another"],
  ENOTFOUND: ["the name is not known", "choose an address"],
};

/**
 * Why a program cannot listen, and what to do about it, to stand behind a colon: `another program listens there; stop
 * it, or choose another address with --listen`.
 */
export function listenProblem(error: unknown, setting: string): string {
  const code = codeOf(error) ?? "";
  const known = Object.hasOwn(problems, code) ? problems[code] : undefined;
  const [reason, remedy] = known ?? [
    error instanceof Error ? error.message : String(error),
    "choose another address",
  ];
  return `${reason}; ${remedy} with ${setting}`;
}
