/** Whether this is what `npm run package` and `npm run image` make of the sources, rather than the sources. */
const isBundle = !import.meta.url.endsWith(".ts");

/**
 * A file or folder that belongs to the program. From the sources it is where `source` says; a bundle has all of them in
 * one folder, by `name`.
 */
export function ownFile(name: string, source: URL): URL {
  return isBundle ? new URL(name, import.meta.url) : source;
}
