/** Numbers of RFC 1035, 2136 and 8945. */

export const typeNumbers = { A: 1, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, TSIG: 250, ANY: 255 } as const;

/** A CNAME that is added where one of these stands is left out by servers without a word (RFC 2136, 3.4.2.2). */
export const typesBesideAddresses: Readonly<Record<string, number>> = {
  NS: 2,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  RP: 17,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  DS: 43,
  SSHFP: 44,
  TLSA: 52,
  SMIMEA: 53,
  OPENPGPKEY: 61,
  SVCB: 64,
  HTTPS: 65,
  SPF: 99,
  URI: 256,
  CAA: 257,
};

export const classNumbers = { IN: 1, NONE: 254, ANY: 255 } as const;
export const opcodes = { query: 0, update: 5 } as const;

const rcodeNames: Readonly<Record<number, string>> = {
  0: "NOERROR",
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  6: "YXDOMAIN",
  7: "YXRRSET",
  8: "NXRRSET",
  9: "NOTAUTH",
  10: "NOTZONE",
  16: "BADSIG",
  17: "BADKEY",
  18: "BADTIME",
  22: "BADTRUNC",
};

/** `NXDOMAIN`; `RCODE 23` for one that has no name here. */
export function rcodeName(number: number): string {
  return rcodeNames[number] ?? `RCODE ${number}`;
}

/** How long before and after the time in it a signature counts (RFC 8945). */
export const fudgeSeconds = 300;
/** Whatever is longer does not fit into the two bytes before a message over TCP. */
export const longestMessage = 65_535;
