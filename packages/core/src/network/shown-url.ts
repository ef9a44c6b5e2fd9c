/** `https://user:secret@host/` without what may not be shown. */
export function withoutCredentials(url: string): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href.replace(/\/$/u, "");
}

/** `host:port` of a URL of HTTP, also where the port is the usual one. */
export function hostAndPort(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`;
}
