export { ManualClock } from "./manual-clock.ts";
export { sampleCertificate, sampleKey } from "./sample-certificate.ts";
export { seededRandom } from "./seeded-random.ts";
