import { BowlineError } from "./bowline-error.ts";

/** What a tar file can hold; paths are relative, with `/` between the names. */
export type TarEntry =
  | { readonly type: "file"; readonly path: string; readonly content: Uint8Array; readonly mode?: number }
  | { readonly type: "folder"; readonly path: string; readonly mode?: number }
  | { readonly type: "link"; readonly path: string; readonly target: string };

const blockBytes = 512;

/** A tar file in the ustar format (POSIX.1-1988), owned by root, with no times: the same entries, the same bytes. */
export function createTar(entries: readonly TarEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    parts.push(header(entry));
    if (entry.type === "file") parts.push(entry.content, Buffer.alloc(padding(entry.content.byteLength)));
  }
  // Two empty blocks are the end of the archive.
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

const typeFlags = { file: "0", link: "2", folder: "5" } as const;
const defaultModes = { file: 0o644, link: 0o777, folder: 0o755 } as const;

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(blockBytes);
  const { name, prefix } = splitPath(entry.type === "folder" ? `${entry.path}/` : entry.path);
  const mode = entry.type === "link" ? undefined : entry.mode;
  block.write(name, 0, 100);
  block.write(octal(mode ?? defaultModes[entry.type], 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(entry.type === "file" ? entry.content.byteLength : 0, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(typeFlags[entry.type], 156);
  if (entry.type === "link") block.write(checked(entry.target, 100), 157, 100);
  block.write("ustar\x0000", 257);
  block.write(prefix, 345, 155);
  // The checksum counts its own field as spaces.
  block.write(" ".repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** Numbers are octal text that ends with NUL. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

function padding(sizeBytes: number): number {
  return (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
}

/** A path of more than 100 bytes is cut at a slash into a prefix and a name. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  for (let cut = path.indexOf("/"); cut !== -1 && cut < path.length - 1; cut = path.indexOf("/", cut + 1)) {
    const [prefix, name] = [path.slice(0, cut), path.slice(cut + 1)];
    if (Buffer.byteLength(name) <= 100) return { prefix: checked(prefix, 155), name };
  }
  return { name: checked(path, 100), prefix: "" };
}

function checked(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  throw new BowlineError("InvalidArgument", `The path ${text} is too long for a tar file.`);
}
