import { open } from "node:fs/promises";

import { BowlineError } from "@bowline/core";

const maxFileBytes = 1024 * 1024;

/** A file somebody names in a flag. `InvalidArgument` when it is not there, or cannot be what it should. */
export async function readNamedFile(path: string, what: string): Promise<string> {
  try {
    // A pipe, as from <(pass show bowline), has no size to look at before it is read.
    await using file = await open(path);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxFileBytes)
        throw new BowlineError("InvalidArgument", `${path} is too long to be ${what}.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (cause) {
    if (cause instanceof BowlineError) throw cause;
    throw new BowlineError(
      "InvalidArgument",
      `${path} cannot be read as ${what}; check the path and permissions.`,
      {
        cause,
      },
    );
  }
}

/** A token as it may stand in a header. The error does not show it. */
export function requireToken(text: string, from: string): string {
  const token = text.trim();
  if (token === "") throw new BowlineError("InvalidArgument", `${from} holds no token.`);
  if (!/^[!-~]{1,8192}$/.test(token)) {
    throw new BowlineError("InvalidArgument", `What ${from} holds is not a token: a token is one word.`);
  }
  return token;
}

/** The certificates of a PEM text. */
export function requireCertificates(text: string, from: string): string {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length > 0) return `${certificates.join("\n")}\n`;
  throw new BowlineError("InvalidArgument", `${from} holds no certificate in PEM form.`);
}
