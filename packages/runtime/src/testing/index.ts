export { MemoryBroker } from "./memory-broker.ts";
export { MemoryLeaseStore } from "./memory-lease-store.ts";
