export { ManualClock } from "./manual-clock.ts";
export { sampleCertificate, sampleKey, seededRandom } from "./fixtures.ts";
