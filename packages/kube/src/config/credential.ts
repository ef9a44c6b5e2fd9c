/** What proves the client's identity in one request. */
export interface Credential {
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
}

/** Where credentials come from; they may change from one request to the next. */
export interface Credentials {
  current(): Promise<Credential>;
  /** After the server refused `used`: what to try instead, or `undefined` when there is nothing else to try. */
  replace(used: Credential): Promise<Credential | undefined>;
  close(): void;
}
