export {
  certificateName,
  certificateNames,
  fingerprintOf,
  type CertificateName,
  type KeyPair,
} from "./certificate.ts";
