import { readFile } from "node:fs/promises";
import { BowlineError } from "@bowline/core";

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Who to run a server as that refuses to run as root: the first of `names` that this machine knows. Undefined when
 * this process is not root, and so has no other user to become.
 */
export async function unprivilegedUser(names: readonly string[]): Promise<UserIds | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile("/etc/passwd", "utf8"));
  for (const name of names) {
    const ids = users.get(name);
    if (ids) return ids;
  }
  throw new BowlineError(
    "MissingProgram",
    `This runs as root and there is no user ${names.join(" or ")} to run the server as: create one, or do not use root.`,
  );
}

/** Lines of `name:password:uid:gid:…`. */
export function parsePasswd(text: string): Map<string, UserIds> {
  return new Map(
    text.split("\n").flatMap((line) => {
      const [name, , uid, gid] = line.split(":");
      return name && uid && gid ? [[name, { uid: Number(uid), gid: Number(gid) }]] : [];
    }),
  );
}
