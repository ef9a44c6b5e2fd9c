import type { FieldRequirement } from "../select/field-selector.ts";

/** Of some objects there must always be one, once there is any: no write takes the last one away. */
export interface KeepsOne {
  /** Which objects these are. */
  readonly fields: readonly FieldRequirement[];
  /** Completes "It is the last …". */
  readonly what: string;
}
