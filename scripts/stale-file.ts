/** A generated file that is not what it should be. */
export interface StaleFile {
  /** Below the root of the repository. */
  readonly path: string;
  /** What it should be; undefined for a file that should not be there, because what it was made from is gone. */
  readonly content: string | undefined;
}
