/** @public For the controller of domain names. */
export type { HostRecords, PutOutcome, RecordSet, WriteBy, ZoneWriter } from "./model/zone-writer.ts";
/** @public */
export { openRfc2136, type Rfc2136Options } from "./rfc2136/rfc2136-writer.ts";
