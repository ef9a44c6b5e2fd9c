/**
 * Fields of a status that follow from the secret fields of the spec. They are worked out when those are written, because
 * later nobody could: the API never returns what they follow from.
 */
export interface DerivedStatus<Spec = object, Status = object> {
  /** Whatever else writes the status leaves these as they are. */
  readonly fields: readonly string[];
  /** `fingerprint` is another one whenever a secret field changes, and tells nothing about its value. */
  of(spec: Spec, fingerprint: string): Partial<Status>;
}
