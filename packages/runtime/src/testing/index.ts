export { MemoryBroker, type BrokerRecord, type MemoryBrokerOptions } from "./memory-broker.ts";
export { ScriptedReconciler, type ReconcileCall } from "./scripted-reconciler.ts";
export { MemoryLeaseStore } from "./memory-lease-store.ts";
