/** Why an item is not stored, for people; the keys are for counting. */
export const refusals = {
  unsupported: "This server does not take such items.",
  "missing-uid": "The object has no UID, or one that is too long.",
  "invalid-name": "The kind, the namespace or the name is missing, too long or has control characters.",
  "unknown-workload": "No WorkloadInstance of this name is placed in the cluster.",
  "invalid-facts": "The facts are not a JSON object.",
  "invalid-digest": "The digest is not that of the facts.",
  "invalid-view": "The view has no name, or more or other numbers than the server keeps.",
  "too-large": "The facts are longer than the server keeps, of one object or of all in the cluster.",
  "too-many-resources": "The server keeps no more objects of this cluster.",
} as const;

export type Refusal = keyof typeof refusals;
