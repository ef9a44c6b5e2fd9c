import type { Random } from "../backoff.ts";

/** The same numbers for the same seed, good enough to choose by (the mulberry32 generator). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A certificate that signed itself, made for tests and trusted by nobody, and its key. */
export const sampleCertificate = `
-----BEGIN CERTIFICATE-----
MIIBODCB66ADAgECAhQZYe1mbnvobFZq5GuB5GBeGhBDFzAFBgMrZXAwETEPMA0G
A1UEAwwGc2FtcGxlMCAXDTI2MTExNTE2NTMxNloYDzIxMjYxMDIyMTY1MzE2WjAR
MQ8wDQYDVQQDDAZzYW1wbGUwKjAFBgMrZXADIQAi9QoGKzm8SOR6frrlIY+YXSOo
i420UUNz+lpRYmUzIqNTMFEwHQYDVR0OBBYEFDOUp8syv6nkOrLTf5lsab81WiXW
MB8GA1UdIwQYMBaAFDOUp8syv6nkOrLTf5lsab81WiXWMA8GA1UdEwEB/wQFMAMB
Af8wBQYDK2VwA0EAa326ykXyFm5c/BGp3N3IwaEZ1M5qgE/EdeHgPMjmtfQr+HQ0
PLSmOYtjSmZBTnVrksy1KAkdPXPsRo/ykCPKAA==
-----END CERTIFICATE-----
`;

export const sampleKey = `
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEICARJxLLK9Xjz4IaGsMK3IjTxmNFegtEAfmcF8p32bOW
-----END PRIVATE KEY-----
`;
