export interface Address {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const pattern = /^(?:\[([0-9a-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/iu;
const largestPort = 65_535;

/** `127.0.0.1:7443`, `[::]:7443` or `localhost:0`; undefined for everything else. */
export function parseAddress(text: string): Address | undefined {
  const [, bracketed, plain, digits] = pattern.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > largestPort ? undefined : { host, port };
}
