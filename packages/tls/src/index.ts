export { certificateName, certificateNames, type CertificateName } from "./certificate-name.ts";
export { fingerprintOf } from "./fingerprint.ts";
export type { KeyPair } from "./key-pair.ts";
