/** A server and how to sign in to it, under a name. */
export interface ContextEntry {
  readonly name: string;
  readonly server: string;
  /** The certificate authorities to trust for it, and no others. */
  readonly caPem?: string | undefined;
  readonly token?: string | undefined;
  /** Read each time, so that a token that is renewed there is used at once. */
  readonly tokenFile?: string | undefined;
}

/** What one command line writes, another must be able to type without quotes. */
export const contextNamePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
