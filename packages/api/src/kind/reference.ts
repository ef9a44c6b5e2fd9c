/**
 * A field that holds the name of another object.
 *
 * What it means to delete that other object with `?cascade`:
 * - `delete`: this object is deleted as well, because it makes no sense without the other
 * - `remove`: the name is taken out of the list; the object is deleted if the list would be empty
 * - `refuse`: never; somebody has to change this object first
 */
export interface Reference {
  /** A path as `parseFieldPath` takes it, with `[]` behind lists. */
  readonly field: string;
  /** The kind of the object that is named. */
  readonly kind: string;
  readonly cascade: "delete" | "remove" | "refuse";
  /** The other object must be there already when this one is written; else it may come later. */
  readonly mustExist?: boolean;
}
