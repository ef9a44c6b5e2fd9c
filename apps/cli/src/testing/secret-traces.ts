import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Secrets by the places that they belong to, and the search for them everywhere else. */
export class SecretTraces {
  readonly #secrets = new Map<string, string>();
  readonly #found = new Set<string>();

  add(name: string, secret: string): void {
    this.#secrets.set(name, secret);
  }

  /** Where secrets were found that do not belong there: `place: secret`. */
  get found(): readonly string[] {
    return [...this.#found].toSorted();
  }

  /** In a text or in bytes, in every form in which programs write them. */
  search(place: string, content: string | Buffer): void {
    for (const name of this.in(content)) this.#found.add(`${place}: ${name}`);
  }

  in(content: string | Buffer): string[] {
    const names = [...this.#secrets].filter(([, secret]) =>
      formsOf(secret).some((form) => content.includes(form)),
    );
    return names.map(([name]) => name);
  }

  /** All files below a folder, as they are on disk, and what is compressed in them. */
  async searchFolder(place: string, folder: string): Promise<number> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      // What a server writes and takes away meanwhile.
      const content = await readFile(path).catch(() => Buffer.alloc(0));
      bytes += content.length;
      this.search(`${place} ${entry.name}`, content);
      if (content.subarray(0, 2).equals(gzipHead)) this.search(`${place} ${entry.name}`, gunzipSync(content));
    }
    return bytes;
  }
}

const gzipHead = Buffer.from([0x1f, 0x8b]);

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
    ...base64Forms(Buffer.from(secret)),
  ];
}

/** In base64 three bytes are four letters: in another text it looks differently at each of three places. */
function base64Forms(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret]);
    return (["base64", "base64url"] as const).map((encoding) => {
      const whole = bytes.toString(encoding).replace(/=+$/u, "");
      // Letters at its ends have bits of what is beside it.
      return whole.slice(before === 0 ? 0 : 4, -2);
    });
  });
}
